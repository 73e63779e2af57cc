/** Hands over everything a stream brings, until it ends or is given up. */
export class StreamDrain {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly ended: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => void) {
    this.#reader = stream.getReader();
    this.ended = this.#read(onChunk);
  }

  /** Settles with the stream's end, or this long from now: someone else may hold its other side open for ever. */
  async endWithin(ms: number): Promise<void> {
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([this.ended, timedOut]);
    clearTimeout(timer);
    await this.#reader.cancel();
    await this.ended;
  }

  async #read(onChunk: (chunk: Uint8Array) => void): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      onChunk(value);
    }
  }
}
