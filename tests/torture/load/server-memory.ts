import { readFileSync } from "node:fs";

const LOOK_EVERY_MS = 250;
const KB = 1_024;

/** Its own pages, and its share of those it has in common with others. */
export function pssBytes(pid: number): number {
  return kilobytes(`/proc/${pid}/smaps_rollup`, "Pss") * KB;
}

function rssBytes(pid: number): number {
  return kilobytes(`/proc/${pid}/status`, "VmRSS") * KB;
}

/** Zero for a process that is gone. */
function kilobytes(path: string, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(path, "utf8"))?.[1] ?? 0);
  } catch (error) {
    if (error instanceof Error && "code" in error) return 0;
    throw error;
  }
}

/** The most that any run of the server had in memory. */
export class PeakMemory implements Disposable {
  readonly #timer: ReturnType<typeof setInterval>;
  bytes = 0;

  constructor(pid: () => number | null) {
    this.#timer = setInterval(() => {
      const running = pid();
      if (running !== null) this.bytes = Math.max(this.bytes, rssBytes(running));
    }, LOOK_EVERY_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
