/** Every command may keep this much, however many there are. */
const FIRST_BYTES = 16 * 1024;

/** Memory that many outputs share. */
export class OutputMemory {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False when so much more is not there. */
  reserve(bytes: number): boolean {
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The last of a command's output, in a ring that grows up to its limit while there is memory, cut between characters. */
export class OutputTail {
  readonly #bytesMax: number;
  readonly #memory: OutputMemory;
  #ring: Buffer;
  /** Bytes ever pushed; the ring has the last of them. */
  #total = 0;

  constructor(bytesMax: number, memory: OutputMemory) {
    this.#bytesMax = bytesMax;
    this.#memory = memory;
    this.#ring = Buffer.alloc(Math.min(bytesMax, FIRST_BYTES));
  }

  push(text: string): void {
    const bytes = Buffer.from(text);
    this.#grow(Math.min(this.#total + bytes.byteLength, this.#bytesMax));
    const size = this.#ring.byteLength;
    const kept = bytes.subarray(Math.max(0, bytes.byteLength - size));
    const at = size === 0 ? 0 : (this.#total + bytes.byteLength - kept.byteLength) % size;
    const head = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, head);
    this.#total += bytes.byteLength;
  }

  /** The last `bytesMax` bytes of what is kept. */
  last(bytesMax: number): { readonly text: string; readonly isTruncated: boolean } {
    const bytes = this.#unrolled();
    let start = Math.max(0, bytes.byteLength - bytesMax);
    const isTruncated = this.#total > bytes.byteLength - start;
    while (isTruncated && start < bytes.byteLength && isContinuation(bytes[start])) start++;
    return { text: bytes.subarray(start).toString(), isTruncated };
  }

  /** Nobody will read it any more. */
  [Symbol.dispose](): void {
    this.#memory.release(Math.max(0, this.#ring.byteLength - FIRST_BYTES));
    this.#ring = Buffer.alloc(0);
    this.#total = 0;
  }

  #grow(needed: number): void {
    const size = this.#ring.byteLength;
    if (size === 0 || needed <= size || size === this.#bytesMax) return;
    const next = Math.min(this.#bytesMax, Math.max(2 * size, needed));
    if (!this.#memory.reserve(next - size)) return;
    const kept = this.#unrolled();
    // The place of a byte follows from how many came before it.
    this.#ring = Buffer.alloc(next);
    const at = (this.#total - kept.byteLength) % next;
    const head = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, head);
  }

  /** What is kept, oldest first. */
  #unrolled(): Buffer {
    const size = this.#ring.byteLength;
    if (this.#total <= size) return this.#ring.subarray(0, this.#total);
    const at = this.#total % size;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }
}

/** In UTF-8 only the first byte of a character does not start with the bits 10. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
