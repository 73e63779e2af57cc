import { openSync, writeSync } from "node:fs";

const SINK_BUFFER_BYTES = 64 * 1024;
const RECORD_FILE_MODE = 0o600;

/** The only writer of stdout: keeps lines complete and in order, and detects a slow reader. */
export class LineWriter {
  readonly #sink = Bun.stdout.writer({ highWaterMark: SINK_BUFFER_BYTES });
  readonly #recordFd: number | undefined;
  readonly #onBroken: (error: unknown) => void;
  /** Lines that wait while a caller owns the stream or collects one big write. */
  #held: string[] | undefined;
  #pending: Promise<void> | undefined;

  constructor(options: { recordFile: string | undefined; onBroken: (error: unknown) => void }) {
    this.#recordFd = options.recordFile ? openSync(options.recordFile, "a", RECORD_FILE_MODE) : undefined;
    this.#onBroken = options.onBroken;
  }

  /** Text that ends in a newline; several lines in one text are written at once. */
  write(text: string): void {
    if (this.#held) this.#held.push(text);
    else this.#put(text);
  }

  /** Everything written by `gather` is written at once. */
  together(gather: () => void): void {
    if (this.#held) {
      gather();
      return;
    }
    this.#held = [];
    try {
      gather();
    } finally {
      this.#release();
    }
  }

  /** One line that is too big for memory: its pieces are written one by one, without anything in between. */
  async exclusively(pieces: Iterable<string>): Promise<void> {
    this.#held = [];
    try {
      for (const piece of pieces) {
        this.#put(piece);
        await this.drained();
      }
    } finally {
      this.#release();
    }
  }

  /** Resolves once the reader has taken the output; await it between batches. */
  async drained(): Promise<void> {
    await this.#pending;
  }

  #release(): void {
    const text = this.#held?.join("") ?? "";
    this.#held = undefined;
    if (text !== "") this.#put(text);
  }

  #put(text: string): void {
    if (this.#recordFd !== undefined) writeSync(this.#recordFd, text);
    try {
      this.#sink.write(text);
      const flushed = this.#sink.flush();
      if (flushed instanceof Promise) this.#await(flushed);
    } catch (error) {
      this.#onBroken(error);
    }
  }

  #await(flushed: Promise<unknown>): void {
    const pending = flushed.then(
      () => {
        if (this.#pending === pending) this.#pending = undefined;
      },
      (error: unknown) => this.#onBroken(error),
    );
    this.#pending = pending;
  }
}
