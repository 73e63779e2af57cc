/** A pipe holds less. More than this, read after its writer has ended, comes from another process. */
const PIPE_BYTES_MAX = 1024 * 1024;
/** The event loop reads from pipes between two of these; a round more than it takes to deliver what is there. */
const POLL_ROUNDS = 3;

/** Passes on all chunks of a pipe until it ends or is abandoned. */
export class StreamDrain {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly ended: Promise<void>;
  #bytes = 0;
  /** Set while the consumer has no room for the next chunk. */
  #full: Promise<void> | null = null;

  /** `onChunk` may return a promise: reading pauses until it resolves. */
  constructor(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => Promise<void> | null | void) {
    this.#reader = stream.getReader();
    this.ended = this.#read(onChunk);
  }

  /**
   * To be called when the writer has ended: all it wrote is in the pipe by then. Another process may hold the other side
   * open forever. Settles at the pipe's end, or, after this time, once nothing is left in it: on a busy machine the time
   * may pass before anything is read.
   */
  async endWithin(ms: number): Promise<void> {
    let isOver = false;
    const over = this.ended.then(() => {
      isOver = true;
    });
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([over, timedOut]);
    clearTimeout(timer);
    const bytesMax = this.#bytes + PIPE_BYTES_MAX;
    for (let before = -1; !isOver && before !== this.#bytes && this.#bytes < bytesMax; ) {
      await this.#full;
      before = this.#bytes;
      await poll();
    }
    await this.#reader.cancel();
    await this.ended;
  }

  async #read(onChunk: (chunk: Uint8Array) => Promise<void> | null | void): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      this.#bytes += value.byteLength;
      this.#full = onChunk(value) ?? null;
      if (this.#full) await this.#full;
      this.#full = null;
    }
  }
}

async function poll(): Promise<void> {
  for (let round = 0; round < POLL_ROUNDS; round += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
