import { TerminalId } from "./terminals.ts";

/**
 * Output of a terminal as a binary frame of the socket, for clients that attached with `output: "binary"`. Numbers are big
 * endian: the kind of the frame (1 byte), the length of the terminal's id (1), `offset` (8, a double), `skipped` (8, a
 * double), columns and rows (2 each, 0 if they stay), the id, and then the bytes that the program wrote.
 */
export interface TerminalOutputFrame {
  readonly terminalId: TerminalId;
  /** Where the output stands after `bytes`, since the start of the terminal. */
  readonly offset: number;
  /** Bytes that a slow client does not get; `bytes` then begin by resetting the screen. */
  readonly skipped: number;
  /** From the start of `bytes` on; null if it stays. */
  readonly size: { readonly columns: number; readonly rows: number } | null;
  readonly bytes: Uint8Array;
}

const OUTPUT_KIND = 1;
const HEAD_BYTES = 22;

/** Writes frames of one terminal. */
export class TerminalFrameWriter {
  readonly #id: Uint8Array;
  /** Used again: under a flood, memory for each frame would keep the garbage collector busy. */
  #space = new Uint8Array(0);

  constructor(terminalId: TerminalId) {
    this.#id = new TextEncoder().encode(terminalId);
    if (this.#id.byteLength > 0xff) throw new RangeError("the id of a terminal is too long for a frame");
  }

  /** The frame is valid until the next one is written. */
  write({ offset, skipped, size, bytes }: Omit<TerminalOutputFrame, "terminalId">): Uint8Array<ArrayBuffer> {
    const head = HEAD_BYTES + this.#id.byteLength;
    const length = head + bytes.byteLength;
    if (this.#space.byteLength < length) this.#space = new Uint8Array(length);
    const frame = new Uint8Array(this.#space.buffer as ArrayBuffer, 0, length);
    const view = new DataView(frame.buffer);
    view.setUint8(0, OUTPUT_KIND);
    view.setUint8(1, this.#id.byteLength);
    view.setFloat64(2, offset);
    view.setFloat64(10, skipped);
    view.setUint16(18, size?.columns ?? 0);
    view.setUint16(20, size?.rows ?? 0);
    frame.set(this.#id, HEAD_BYTES);
    frame.set(bytes, head);
    return frame;
  }
}

/** Null: it is of a kind that this client does not know, or damaged. The bytes are part of `data`, not a copy. */
export function readTerminalFrame(data: ArrayBuffer): TerminalOutputFrame | null {
  if (data.byteLength < HEAD_BYTES) return null;
  const view = new DataView(data);
  const head = HEAD_BYTES + view.getUint8(1);
  if (view.getUint8(0) !== OUTPUT_KIND || data.byteLength < head) return null;
  const terminalId = TerminalId.safeParse(
    new TextDecoder().decode(new Uint8Array(data, HEAD_BYTES, head - HEAD_BYTES)),
  );
  const [offset, skipped] = [view.getFloat64(2), view.getFloat64(10)];
  const [columns, rows] = [view.getUint16(18), view.getUint16(20)];
  const isSize = (columns === 0) === (rows === 0);
  if (!terminalId.success || !isPosition(offset) || !isPosition(skipped) || !isSize) return null;
  return {
    terminalId: terminalId.data,
    offset,
    skipped,
    size: columns === 0 ? null : { columns, rows },
    bytes: new Uint8Array(data, head),
  };
}

function isPosition(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
