/** Hands on an answer only while its question is the newest: an old one that comes late changes nothing. */
export class LatestAnswer {
  #asked = 0;

  async ask<Value>(question: () => Promise<Value>, onAnswer: (value: Value) => void): Promise<void> {
    this.#asked += 1;
    const own = this.#asked;
    const value = await question();
    if (own === this.#asked) onAnswer(value);
  }

  /** Whatever is still on its way is of no interest any more. */
  forget(): void {
    this.#asked += 1;
  }
}
