import type { Size } from "./frames.ts";
import { firstLineEnd, ScreenState } from "./screen-state.ts";

/** Output is cut at the end of a line, if there is one within this many bytes. */
const LINE_BYTES_MAX = 4096;
/** Output is taken in pieces, so that one call with much of it never drops what it just added. */
const PIECE_BYTES_MAX = 64 * 1024;

/** Changes of the size that are kept; beyond that, the oldest are dropped. */
const SIZES_MAX = 1_000;

interface SizeMark extends Size {
  readonly offset: number;
}

/** The newest output of a terminal, with the offsets of its bytes since the start, and the state of the screen before it. */
export class OutputRing {
  readonly #bytes: Uint8Array;
  /** Before the first kept byte. */
  readonly #state = new ScreenState();
  #start = 0;
  #end = 0;
  /** The first one holds at the start. */
  #sizes: SizeMark[];

  constructor(bytesMax: number, size: Size) {
    this.#bytes = new Uint8Array(bytesMax);
    this.#sizes = [{ ...size, offset: 0 }];
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  append(data: Uint8Array): void {
    const pieceBytes = Math.min(PIECE_BYTES_MAX, this.#bytes.byteLength / 4);
    for (let from = 0; from < data.byteLength; from += pieceBytes) this.#append(data.subarray(from, from + pieceBytes));
  }

  resized(size: Size): void {
    if (this.#sizes.at(-1)?.offset === this.#end) this.#sizes.pop();
    this.#sizes.push({ ...size, offset: this.#end });
    if (this.#sizes.length === 1) this.#state.resized();
    if (this.#sizes.length > SIZES_MAX) this.#sizes.splice(1, 1);
  }

  sizeAt(offset: number): Size {
    const { columns, rows } = this.#sizes.findLast((mark) => mark.offset <= offset) ?? this.#firstSize;
    return { columns, rows };
  }

  /** Up to the next change of the size, or the wrap of the buffer. The bytes are valid until more are added. */
  read(offset: number, bytesMax: number): Uint8Array {
    const nextSize = this.#sizes.find((mark) => mark.offset > offset)?.offset ?? this.#end;
    const at = offset % this.#bytes.byteLength;
    const length = Math.min(bytesMax, nextSize - offset, this.#end - offset, this.#bytes.byteLength - at);
    return this.#bytes.subarray(at, at + length);
  }

  /** Puts a fresh screen into the state before the first kept byte. */
  prelude(): string {
    return `\x1bc${this.#state.prelude(this.#firstSize.rows, this.#start > 0)}`;
  }

  /** Whether the screen now shows a program that draws all of it. */
  isAlternate(): boolean {
    const state = this.#state.clone();
    for (let at = this.#start; at < this.#end; ) {
      const bytes = this.read(at, this.#end - at);
      state.read(bytes);
      at += bytes.byteLength;
    }
    return state.isAlternate;
  }

  get #firstSize(): SizeMark {
    return this.#sizes[0] ?? { columns: 80, rows: 24, offset: 0 };
  }

  #append(piece: Uint8Array): void {
    const free = this.#bytes.byteLength - (this.#end - this.#start);
    if (piece.byteLength > free) this.#drop(piece.byteLength - free);
    const at = this.#end % this.#bytes.byteLength;
    const first = piece.subarray(0, this.#bytes.byteLength - at);
    this.#bytes.set(first, at);
    this.#bytes.set(piece.subarray(first.byteLength), 0);
    this.#end += piece.byteLength;
  }

  /** At least this many bytes, and on to a place where the output can be cut. */
  #drop(bytesMin: number): void {
    this.#pass(this.#start + bytesMin);
    const line = this.read(this.#start, LINE_BYTES_MAX);
    const lineEnd = firstLineEnd(line);
    if (lineEnd !== -1) this.#pass(this.#start + lineEnd + 1);
    while (!this.#state.isBetween && this.#start < this.#end) {
      const bytes = this.read(this.#start, PIECE_BYTES_MAX);
      this.#advance(this.#state.readToCut(bytes));
    }
  }

  #pass(to: number): void {
    while (this.#start < to) {
      const bytes = this.read(this.#start, to - this.#start);
      this.#state.read(bytes);
      this.#advance(bytes.byteLength);
    }
  }

  #advance(bytes: number): void {
    this.#start += bytes;
    while ((this.#sizes[1]?.offset ?? Number.POSITIVE_INFINITY) <= this.#start) {
      this.#sizes.shift();
      this.#state.resized();
    }
  }
}
