import { redactSecrets } from "../../../lib/redact-secrets.ts";

const TRACE_LINES_MAX = 2_000;
const TRACE_CHARS_MAX = 2_000_000;
const LINE_CHARS_MAX = 100_000;

export interface TraceLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `note`: process events such as started, ready, ended, restarted. */
  readonly direction: "in" | "out" | "junk" | "stderr" | "note";
  readonly text: string;
}

/** The last messages in both directions and the last stderr lines, bounded, for diagnosis. */
export class WireTrace {
  readonly #now: () => number;
  #lines: TraceLine[] = [];
  #chars = 0;
  /** Index of the first kept line; earlier ones are removed in bulk. */
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

  /** Oldest first, safe to share: secrets are removed here, not on arrival. */
  recent(): TraceLine[] {
    return this.#lines.slice(this.#start).map((line) => ({ ...line, text: redactSecrets(line.text) }));
  }
}
