/** The end of an output is what matters, so the beginning goes first; UTF-8 is never cut in two. */
export class OutputTail {
  readonly #charactersMax: number;
  readonly #decoder = new TextDecoder();
  #text = "";
  #dropped = 0;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  push(bytes: Uint8Array): void {
    this.#text += this.#decoder.decode(bytes, { stream: true });
    const excess = this.#text.length - this.#charactersMax;
    if (excess <= 0) return;
    this.#dropped += excess;
    this.#text = this.#text.slice(excess);
  }

  get truncated(): boolean {
    return this.#dropped > 0;
  }

  get text(): string {
    return this.truncated ? `[${this.#dropped} characters left out]\n${this.#text}` : this.#text;
  }
}
