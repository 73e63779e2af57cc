import { appendFileSync, writeFileSync } from "node:fs";
import { identityOf } from "./process-identity.ts";
import { quietRead } from "./quiet-read.ts";

const FILE_MODE = 0o600;

/** A process group of ours that an earlier run of the server wrote down and never crossed out. */
export interface LedgerEntry {
  readonly pid: number;
  readonly identity: string;
}

/**
 * Which agent processes run, on disk, so that the next run of the server finds what this one may leave behind, also
 * where a process's environment cannot be read. A line that a crash tore in two is passed over.
 */
export class ProcessLedger {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  add(pid: number): void {
    const identity = identityOf(pid);
    if (identity !== null) appendFileSync(this.#path, `+ ${pid} ${identity}\n`, { mode: FILE_MODE });
  }

  remove(pid: number): void {
    appendFileSync(this.#path, `- ${pid}\n`, { mode: FILE_MODE });
  }

  /** What was left when the last run ended; the page begins anew. */
  takeOver(): readonly LedgerEntry[] {
    const left = new Map<number, LedgerEntry>();
    for (const line of (quietRead(this.#path) ?? "").split("\n").slice(0, -1)) {
      const [, change, number, identity = ""] = /^([+-]) (\d+) ?(.*)$/.exec(line) ?? [];
      const pid = Number(number);
      if (change === "+") left.set(pid, { pid, identity });
      else if (change === "-") left.delete(pid);
    }
    writeFileSync(this.#path, "", { mode: FILE_MODE });
    return [...left.values()];
  }
}
