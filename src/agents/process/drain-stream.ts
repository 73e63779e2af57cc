/** Hands over everything a stream brings, until it ends or is given up. */
export class StreamDrain {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly ended: Promise<void>;
  /** Set while whoever takes the chunks has no room for the next. */
  #full: Promise<void> | null = null;

  /** `onChunk` may answer with a promise: nothing more is read until it is kept. */
  constructor(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => Promise<void> | null | void) {
    this.#reader = stream.getReader();
    this.ended = this.#read(onChunk);
  }

  /** Settles with the stream's end, or this long from now: someone else may hold its other side open for ever. */
  async endWithin(ms: number): Promise<void> {
    let isOver = false;
    const over = this.ended.then(() => {
      isOver = true;
    });
    do {
      // What waits for room is not late.
      await this.#full;
      const { promise: timedOut, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      await Promise.race([over, timedOut]);
      clearTimeout(timer);
    } while (this.#full && !isOver);
    await this.#reader.cancel();
    await this.ended;
  }

  async #read(onChunk: (chunk: Uint8Array) => Promise<void> | null | void): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      this.#full = onChunk(value) ?? null;
      if (this.#full) await this.#full;
      this.#full = null;
    }
  }
}
