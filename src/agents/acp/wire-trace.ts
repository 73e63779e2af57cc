import { RingBuffer } from "../../lib/ring-buffer.ts";

const TRACE_MESSAGES_MAX = 2_000;
const TRACE_MESSAGE_CHARS_MAX = 4_096;

export interface TraceLine {
  readonly at: number;
  readonly direction: "in" | "out" | "junk" | "stderr";
  readonly text: string;
}

/** The last messages both ways, cut to size: what to look at when an agent misbehaves. */
export class WireTrace {
  readonly #lines = new RingBuffer<TraceLine>(TRACE_MESSAGES_MAX);
  readonly #now: () => number;
  /** Lines on stdout that were no JSON objects. */
  junkCount = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  record(direction: TraceLine["direction"], text: string): void {
    if (direction === "junk") this.junkCount++;
    this.#lines.push({ at: this.#now(), direction, text: text.slice(0, TRACE_MESSAGE_CHARS_MAX) });
  }

  recent(): TraceLine[] {
    return this.#lines.toArray();
  }
}
