import { redactSecrets } from "../../../lib/redact-secrets.ts";

const TRACE_LINES_MAX = 2_000;
const TRACE_CHARS_MAX = 2_000_000;
const LINE_CHARS_MAX = 100_000;

export interface TraceLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `note` is what became of the process: started, ready, ended, restarted. */
  readonly direction: "in" | "out" | "junk" | "stderr" | "note";
  readonly text: string;
}

/** The last messages both ways and the last complaints, bounded: what to look at when an agent misbehaves. */
export class WireTrace {
  readonly #now: () => number;
  #lines: TraceLine[] = [];
  #chars = 0;
  /** Where the kept lines start; the part before it is dropped now and then, not line by line. */
  #start = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  record(direction: TraceLine["direction"], text: string): void {
    const kept = text.length <= LINE_CHARS_MAX ? text : `${text.slice(0, LINE_CHARS_MAX)}… (${text.length} characters)`;
    this.#lines.push({ at: this.#now(), direction, text: kept });
    this.#chars += kept.length;
    while (this.#lines.length - this.#start > TRACE_LINES_MAX || this.#chars > TRACE_CHARS_MAX) {
      this.#chars -= this.#lines[this.#start]?.text.length ?? 0;
      this.#start++;
    }
    if (this.#start < TRACE_LINES_MAX) return;
    this.#lines = this.#lines.slice(this.#start);
    this.#start = 0;
  }

  /** Oldest first, fit to be shown and sent to someone: secrets are taken out here, not when the agent speaks. */
  recent(): TraceLine[] {
    return this.#lines.slice(this.#start).map((line) => ({ ...line, text: redactSecrets(line.text) }));
  }
}
