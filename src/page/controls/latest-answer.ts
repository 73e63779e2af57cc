/** Passes on a response only if its request is the newest one. */
export class LatestAnswer {
  #asked = 0;

  async ask<Value>(question: () => Promise<Value>, onAnswer: (value: Value) => void): Promise<void> {
    this.#asked += 1;
    const own = this.#asked;
    const value = await question();
    if (own === this.#asked) onAnswer(value);
  }

  /** Ignores responses that are still on their way. */
  forget(): void {
    this.#asked += 1;
  }
}
