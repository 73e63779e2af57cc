import { readdirSync, readFileSync } from "node:fs";

/** Every process of ours, and whatever it starts, carries the mark of the data directory it belongs to. */
export const OWNER_VARIABLE = "LIMINAL_OWNER";
/** And the mark of the one run of the server that started it. */
export const RUN_VARIABLE = "LIMINAL_RUN";

export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/**
 * Ends processes that an earlier, killed run of the server left behind. They are found by the mark in their own
 * environment, never by name; a data directory has one server at a time, so a marked process is nobody else's.
 */
export function sweepLeftovers(owner: string): readonly Leftover[] {
  const leftovers = findMarked(owner);
  for (const { pid } of leftovers) kill(pid);
  return leftovers;
}

export function findMarked(owner: string): readonly Leftover[] {
  const mark = `${OWNER_VARIABLE}=${owner}`;
  return processIds()
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => {
      const environment = readProc(pid, "environ");
      if (!environment?.split("\0").includes(mark)) return [];
      return [{ pid, command: readProc(pid, "cmdline")?.replaceAll("\0", " ").trim() ?? "" }];
    });
}

/** Only Linux shows another process's environment; elsewhere agents end with the pipe they read from. */
function processIds(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** A process may end, or belong to someone else, between being listed and being read. */
function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
  }
}
