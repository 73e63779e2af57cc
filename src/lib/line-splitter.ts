const NEWLINE = 10;

/** Splits a stream of bytes into lines. A line over the limit is dropped completely and reported; the stream continues. */
export class LineSplitter {
  readonly #lineBytesMax: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: (bytes: number) => void;
  readonly #decoder = new TextDecoder();
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(options: {
    lineBytesMax: number;
    onLine: (line: string) => void;
    onTooLong: (bytes: number) => void;
  }) {
    this.#lineBytesMax = options.lineBytesMax;
    this.#onLine = options.onLine;
    this.#onTooLong = options.onTooLong;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    // A copy, because the reader may reuse its buffer. `slice` of a Buffer would be a view of it.
    if (start < chunk.byteLength) this.#add(new Uint8Array(chunk.subarray(start)));
  }

  /** The stream has ended. A last line without a newline is passed on. */
  end(): void {
    if (this.#bytes > 0) this.#endLine();
  }

  #add(part: Uint8Array): void {
    this.#bytes += part.byteLength;
    if (this.#bytes <= this.#lineBytesMax) this.#parts.push(part);
    else this.#parts = [];
  }

  #endLine(): void {
    const bytes = this.#bytes;
    const parts = this.#parts;
    this.#bytes = 0;
    this.#parts = [];
    if (bytes > this.#lineBytesMax) this.#onTooLong(bytes);
    else this.#onLine(this.#decoder.decode(join(parts, bytes)));
  }
}

function join(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const whole = new Uint8Array(bytes);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
