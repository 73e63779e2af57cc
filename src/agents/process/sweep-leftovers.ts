import { readdirSync } from "node:fs";
import { identityOf, type LedgerEntry, quietRead } from "./process-ledger.ts";

/** Every process of ours and its children carry the mark of their data directory. */
export const OWNER_VARIABLE = "LIMINAL_OWNER";
/** And the mark of the server run that started it. */
export const RUN_VARIABLE = "LIMINAL_RUN";

export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** Processes held for us, and the runs that they and their children belong to. */
export interface Kept {
  readonly pids: ReadonlySet<number>;
  readonly runs: ReadonlySet<string>;
}
const NOTHING_KEPT: Kept = { pids: new Set(), runs: new Set() };

interface Found extends Leftover {
  readonly identity: string | null;
  /** It leads a group that was ours from the start, so that the whole group can be ended. */
  readonly leads: boolean;
  /** The mark of its run; empty if it has none or it is unknown. */
  readonly run: string;
}

/**
 * Ends processes that an earlier, killed run of the server left behind: recorded ones as groups, and all that carry the
 * mark in their environment, including daemons. Never by name, and never by pid alone: right before it is killed, each
 * process is identified again. Without `/proc` only recorded processes are known, and a daemon that left its agent's
 * group is not found.
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
      // Read before the mark: a pid that is reused in between then has another identity.
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

/** Only Linux exposes another process's environment. */
function processIds(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** False if it had already ended. */
function end(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
    return false;
  }
}
