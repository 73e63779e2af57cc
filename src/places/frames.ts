/** Before the first frame of a runner: what a login shell prints comes before it. */
export const OPENING = "\nliminal-runner\n";
/** More than this before the opening is no runner. */
export const NOISE_BYTES_MAX = 64 * 1024;
/** Messages of the contract are on this channel; every other one carries the records of one agent's holder. */
export const CONTROL = 0;

const HEAD_BYTES = 12;
/** Longer pieces are cut, so that one agent does not hold up the others for long. */
export const PIECE_BYTES_MAX = 256 * 1024;
/** A file of 10 MB as JSON, in the worst case. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

interface Frame {
  readonly channel: number;
  readonly bytes: Uint8Array;
}

/** The bytes differ from what was sent, or no runner sent them. */
export class BrokenFrameError extends Error {
  override readonly name = "BrokenFrameError";
}

/** Length, checksum, channel, then the bytes. The checksum covers channel and bytes. */
export function encodeFrame({ channel, bytes }: Frame): Uint8Array {
  const frame = new Uint8Array(HEAD_BYTES + bytes.byteLength);
  const view = new DataView(frame.buffer);
  view.setUint32(0, bytes.byteLength, true);
  view.setUint32(8, channel, true);
  frame.set(bytes, HEAD_BYTES);
  view.setUint32(4, Bun.hash.crc32(frame.subarray(8)), true);
  return frame;
}

/** Bytes of one channel as frames of bounded size. */
export function* piecesOf(channel: number, bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += PIECE_BYTES_MAX)
    yield encodeFrame({ channel, bytes: bytes.subarray(from, from + PIECE_BYTES_MAX) });
}

/** Decodes frames from chunks of any size. Throws BrokenFrameError at the first invalid one. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #needed = HEAD_BYTES;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  push(chunk: Uint8Array): void {
    this.#parts.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#bytes < this.#needed) return;
    let rest: Uint8Array = Buffer.concat(this.#parts);
    for (this.#needed = lengthOf(rest); rest.byteLength >= this.#needed; this.#needed = lengthOf(rest)) {
      const frame = decode(rest.subarray(0, this.#needed));
      rest = rest.subarray(this.#needed);
      this.#onFrame(frame);
    }
    this.#parts = rest.byteLength > 0 ? [new Uint8Array(rest)] : [];
    this.#bytes = rest.byteLength;
  }
}

/** Of the frame that begins here; of its head as long as that is incomplete. */
function lengthOf(bytes: Uint8Array): number {
  if (bytes.byteLength < HEAD_BYTES) return HEAD_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(0, true);
  const max = view.getUint32(8, true) === CONTROL ? MESSAGE_BYTES_MAX : PIECE_BYTES_MAX;
  if (length > max) throw new BrokenFrameError(`a frame of ${length} bytes is over the limit of ${max}`);
  return HEAD_BYTES + length;
}

function decode(frame: Uint8Array): Frame {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (Bun.hash.crc32(frame.subarray(8)) !== view.getUint32(4, true))
    throw new BrokenFrameError("a frame does not match its checksum");
  return { channel: view.getUint32(8, true), bytes: frame.subarray(HEAD_BYTES) };
}
