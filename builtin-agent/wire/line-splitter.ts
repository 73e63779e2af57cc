const NEWLINE = 0x0a;
/** A longer line from the client is dropped and answered with an error; prompts with images stay far below. */
const INBOUND_LINE_BYTES_MAX = 64 * 1024 * 1024;

/** Cuts stdin into lines; bytes of one line are joined only once, when its end is there. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  readonly #decoder = new TextDecoder();
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #dropping = false;

  constructor(onLine: (line: string) => void, onTooLong: () => void) {
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #add(piece: Uint8Array): void {
    if (this.#dropping) return;
    this.#bytes += piece.length;
    if (this.#bytes > INBOUND_LINE_BYTES_MAX) {
      this.#dropping = true;
      this.#pieces = [];
      return;
    }
    this.#pieces.push(piece);
  }

  #endLine(): void {
    const pieces = this.#pieces;
    const tooLong = this.#dropping;
    this.#pieces = [];
    this.#bytes = 0;
    this.#dropping = false;
    if (tooLong) {
      this.#onTooLong();
      return;
    }
    const [only] = pieces;
    const line = this.#decoder.decode(pieces.length === 1 && only ? only : Buffer.concat(pieces));
    if (line.trim() !== "") this.#onLine(line);
  }
}
