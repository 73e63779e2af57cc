import { readdirSync, readFileSync } from "node:fs";

/** A process found by a variable in its environment, which its children inherit. */
export type MarkedProcess = { readonly pid: number; readonly commandLine: string };

/** Every living process whose environment has exactly `name=value`; none where the system has no /proc. */
export function findMarked(name: string, value: string): MarkedProcess[] {
  return processIds().flatMap((pid) => {
    const isMarked = readProc(pid, "environ").split("\0").includes(`${name}=${value}`);
    const commandLine = isMarked ? readProc(pid, "cmdline").split("\0").join(" ").trim() : "";
    // One that has ended between the two looks is not alive.
    return commandLine === "" ? [] : [{ pid, commandLine }];
  });
}

/** Kills them, or sends another signal; one that has already ended is fine. */
export function killMarked(processes: readonly Pick<MarkedProcess, "pid">[], signal: NodeJS.Signals = "SIGKILL"): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return []; // no /proc on this system
  }
}

/** What stands in a file of a process; nothing if it has ended meanwhile, or belongs to another user. */
export function readProc(pid: number, file: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // ENOENT, ESRCH, EACCES
  }
}
