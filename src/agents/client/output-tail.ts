/** The last of a command's output, cut from the front between characters. */
export class OutputTail {
  readonly #bytesMax: number;
  #text = "";
  #isTruncated = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(text: string): void {
    this.#text += text;
    // Twice the limit is let in before the text is cut, so that a chatty command is not copied byte by byte.
    if (this.#text.length > 2 * this.#bytesMax) this.#cut();
  }

  get text(): string {
    this.#cut();
    return this.#text;
  }

  get isTruncated(): boolean {
    this.#cut();
    return this.#isTruncated;
  }

  #cut(): void {
    const bytes = Buffer.from(this.#text);
    if (bytes.byteLength <= this.#bytesMax) return;
    this.#isTruncated = true;
    let start = bytes.byteLength - this.#bytesMax;
    while (start < bytes.byteLength && isContinuation(bytes[start])) start++;
    this.#text = bytes.subarray(start).toString();
  }
}

/** In UTF-8 only the first byte of a character does not start with the bits 10. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
