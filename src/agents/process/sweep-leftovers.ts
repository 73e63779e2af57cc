import { readdirSync } from "node:fs";
import { identityOf, type LedgerEntry, quietRead } from "./process-ledger.ts";

/** Every process of ours, and whatever it starts, carries the mark of the data directory it belongs to. */
export const OWNER_VARIABLE = "LIMINAL_OWNER";
/** And the mark of the one run of the server that started it. */
export const RUN_VARIABLE = "LIMINAL_RUN";

export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** Processes that are held for us, and the runs they and whatever they started belong to. */
export interface Kept {
  readonly pids: ReadonlySet<number>;
  readonly runs: ReadonlySet<string>;
}
const NOTHING_KEPT: Kept = { pids: new Set(), runs: new Set() };

interface Found extends Leftover {
  readonly identity: string | null;
  /** It leads a group that was ours from the start, so that the whole group goes. */
  readonly leads: boolean;
  /** The mark of its run; empty when it has none, or that is not known. */
  readonly run: string;
}

/**
 * Ends processes that an earlier, killed run of the server left behind: those it wrote down, as groups, and those that
 * carry the mark in their environment, daemons included. Never by name, and never by a number alone: right before the
 * end each must still be the process it was found as. Without `/proc` only the written down are known; a daemon that
 * left its agent's group is then beyond us.
 */
export function sweepLeftovers(
  owner: string,
  ledger: readonly LedgerEntry[] = [],
  kept: Kept = NOTHING_KEPT,
): readonly Leftover[] {
  const recorded = findRecorded(ledger);
  const known = new Set(recorded.map(({ pid }) => pid));
  const found = [...recorded, ...findMarked(owner).filter(({ pid }) => !known.has(pid))];
  return found
    .filter(({ pid, run }) => !kept.pids.has(pid) && !kept.runs.has(run))
    .filter(({ pid, identity, leads }) => identity !== null && identity === identityOf(pid) && end(leads ? -pid : pid))
    .map(({ pid, command }) => ({ pid, command }));
}

function findRecorded(ledger: readonly LedgerEntry[]): readonly Found[] {
  return ledger
    .filter(({ pid, identity }) => pid !== process.pid && identityOf(pid) === identity)
    .map(({ pid, identity }) => ({ pid, identity, leads: true, run: "", command: commandOf(pid) }));
}

export function findMarked(owner: string): readonly Found[] {
  const mark = `${OWNER_VARIABLE}=${owner}`;
  return processIds()
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => {
      // Before the mark is read: a number that changes hands in between is then no longer the same.
      const identity = identityOf(pid);
      const environment = quietRead(`/proc/${pid}/environ`)?.split("\0") ?? [];
      if (!environment.includes(mark)) return [];
      const prefix = `${RUN_VARIABLE}=`;
      const run = environment.find((variable) => variable.startsWith(prefix))?.slice(prefix.length) ?? "";
      return [{ pid, identity, leads: false, run, command: commandOf(pid) }];
    });
}

function commandOf(pid: number): string {
  return quietRead(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim() ?? "";
}

/** Only Linux shows another process's environment. */
function processIds(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** False when it was gone already. */
function end(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
    return false;
  }
}
