/**
 * Lookups for pure functions: they answer from memory at once. What is not there is noted as missing; `fetchMissing`
 * reads it, and the function runs again.
 */
export class Lookups {
  readonly #fetched = new Map<string, unknown>();
  readonly #missing = new Map<string, () => Promise<unknown>>();

  /** `name` stands for one lookup and one type of result; `absent` is returned until it has been read. */
  find<Result>(name: string, absent: Result, read: () => Promise<Result>): Result {
    if (this.#fetched.has(name)) return this.#fetched.get(name) as Result;
    this.#missing.set(name, read);
    return absent;
  }

  /** Something was asked for that is not in memory: the result of whoever asked does not count. */
  get isMissing(): boolean {
    return this.#missing.size > 0;
  }

  async fetchMissing(): Promise<void> {
    const missing = [...this.#missing];
    this.#missing.clear();
    await Promise.all(missing.map(async ([name, read]) => this.#fetched.set(name, await read())));
  }

  /** What was read may have changed. */
  clear(): void {
    this.#fetched.clear();
    this.#missing.clear();
  }
}
