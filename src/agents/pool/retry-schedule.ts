/** How often, and after how long, an agent that crashed is started again by itself. */
export class RetrySchedule {
  readonly #delaysMs: readonly number[];
  #used = 0;

  constructor(delaysMs: readonly number[]) {
    this.#delaysMs = delaysMs;
  }

  /** The time to wait before the next try, or null when it is the user's turn. */
  next(): number | null {
    const delayMs = this.#delaysMs[this.#used];
    if (delayMs === undefined) return null;
    this.#used++;
    return delayMs;
  }

  get max(): number {
    return this.#delaysMs.length;
  }

  get used(): number {
    return this.#used;
  }

  /** The agent has shown that it works, or the user asked: a later crash starts from the beginning. */
  reset(): void {
    this.#used = 0;
  }
}
