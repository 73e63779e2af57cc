/** The messages between server and terminal holder: a length (4 bytes), a kind (1 byte), the content. */
export const FRAME = {
  // From the server.
  control: 1,
  read: 2,
  acknowledge: 3,
  input: 4,
  resize: 5,
  close: 6,
  // From the holder.
  hello: 16,
  attached: 17,
  output: 18,
  ended: 19,
} as const;

/** Other versions are rejected. */
export const TERMINAL_HOLDER_VERSION = 1;

const HEAD_BYTES = 5;
/** Longer than any frame of ours. */
const FRAME_BYTES_MAX = 4 * 1024 * 1024;

export class BrokenFrameError extends Error {}

export function encodeFrame(kind: number, content: Uint8Array | string = ""): Uint8Array {
  const body = typeof content === "string" ? Buffer.from(content) : content;
  const frame = new Uint8Array(HEAD_BYTES + body.byteLength);
  const view = new DataView(frame.buffer);
  view.setUint32(0, body.byteLength);
  view.setUint8(4, kind);
  frame.set(body, HEAD_BYTES);
  return frame;
}

/** An offset in the output, or NaN for none. */
export function encodeOffset(kind: number, offset: number | null): Uint8Array {
  const content = new Uint8Array(8);
  new DataView(content.buffer).setFloat64(0, offset ?? Number.NaN);
  return encodeFrame(kind, content);
}

export function offsetOf(content: Uint8Array): number | null {
  if (content.byteLength !== 8) throw new BrokenFrameError("an offset has 8 bytes");
  const offset = viewOf(content).getFloat64(0);
  return Number.isNaN(offset) ? null : offset;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export function encodeSize({ columns, rows }: Size): Uint8Array {
  const content = new Uint8Array(4);
  const view = new DataView(content.buffer);
  view.setUint16(0, columns);
  view.setUint16(2, rows);
  return encodeFrame(FRAME.resize, content);
}

export function sizeOf(content: Uint8Array): Size {
  if (content.byteLength !== 4) throw new BrokenFrameError("a size has 4 bytes");
  const view = viewOf(content);
  return { columns: view.getUint16(0), rows: view.getUint16(2) };
}

const OUTPUT_HEAD_BYTES = 20;

export function spaceForOutput(bytesMax: number): Uint8Array {
  return new Uint8Array(HEAD_BYTES + OUTPUT_HEAD_BYTES + bytesMax);
}

/** `offset`: after the bytes. `size`: null if it stays. */
export interface OutputPiece {
  readonly offset: number;
  readonly skipped: number;
  readonly size: Size | null;
  readonly bytes: Uint8Array;
}

/** Written into `space` if it has room: under a flood, memory for each frame would keep the garbage collector busy. */
export function encodeOutput({ offset, skipped, size, bytes }: OutputPiece, space: Uint8Array): Uint8Array {
  const length = HEAD_BYTES + OUTPUT_HEAD_BYTES + bytes.byteLength;
  const frame = length <= space.byteLength ? space.subarray(0, length) : new Uint8Array(length);
  const view = viewOf(frame);
  view.setUint32(0, OUTPUT_HEAD_BYTES + bytes.byteLength);
  view.setUint8(4, FRAME.output);
  view.setFloat64(5, offset);
  view.setFloat64(13, skipped);
  view.setUint16(21, size?.columns ?? 0);
  view.setUint16(23, size?.rows ?? 0);
  frame.set(bytes, HEAD_BYTES + OUTPUT_HEAD_BYTES);
  return frame;
}

export function outputOf(content: Uint8Array): OutputPiece {
  if (content.byteLength < OUTPUT_HEAD_BYTES) throw new BrokenFrameError("output without its head");
  const view = viewOf(content);
  const columns = view.getUint16(16);
  return {
    offset: view.getFloat64(0),
    skipped: view.getFloat64(8),
    size: columns === 0 ? null : { columns, rows: view.getUint16(18) },
    bytes: content.subarray(OUTPUT_HEAD_BYTES),
  };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Puts frames together from what a socket delivers. The content is valid during the call only. */
export class FrameReader {
  readonly #onFrame: (kind: number, content: Uint8Array) => void;
  readonly #head = new Uint8Array(HEAD_BYTES);
  /** Of a frame that comes in pieces; null until its length is known. */
  #frame: Uint8Array | null = null;
  /** Of the head, then of the frame. */
  #bytes = 0;

  constructor(onFrame: (kind: number, content: Uint8Array) => void) {
    this.#onFrame = onFrame;
  }

  /** Throws BrokenFrameError for what we never send. */
  push(data: Uint8Array): void {
    let rest = data;
    while (rest.byteLength > 0) {
      const whole = this.#bytes > 0 || rest.byteLength < HEAD_BYTES ? Number.POSITIVE_INFINITY : frameBytes(rest);
      if (rest.byteLength >= whole) {
        this.#onFrame(rest[4] ?? 0, rest.subarray(HEAD_BYTES, whole));
        rest = rest.subarray(whole);
      } else rest = this.#fill(rest);
    }
  }

  /** Copies, because the socket uses its buffer again. Returns what belongs to later frames. */
  #fill(data: Uint8Array): Uint8Array {
    const target = this.#frame ?? this.#head;
    const piece = data.subarray(0, target.byteLength - this.#bytes);
    target.set(piece, this.#bytes);
    this.#bytes += piece.byteLength;
    if (this.#bytes === target.byteLength) this.#filled();
    return data.subarray(piece.byteLength);
  }

  #filled(): void {
    if (!this.#frame) {
      this.#frame = new Uint8Array(frameBytes(this.#head));
      this.#frame.set(this.#head);
      if (this.#frame.byteLength > HEAD_BYTES) return;
    }
    const frame = this.#frame;
    this.#frame = null;
    this.#bytes = 0;
    this.#onFrame(frame[4] ?? 0, frame.subarray(HEAD_BYTES));
  }
}

function frameBytes(head: Uint8Array): number {
  const bytes = HEAD_BYTES + viewOf(head).getUint32(0);
  if (bytes > FRAME_BYTES_MAX) throw new BrokenFrameError("a frame is too long");
  return bytes;
}
