/**
 * Lookups for pure functions: they answer from memory synchronously. Missing values are recorded; `fetchMissing`
 * reads them, and the function runs again.
 */
export class Lookups {
  readonly #fetched = new Map<string, unknown>();
  readonly #missing = new Map<string, () => Promise<unknown>>();

  /** `name` identifies one lookup and one type of result; `absent` is returned until it has been read. */
  find<Result>(name: string, absent: Result, read: () => Promise<Result>): Result {
    if (this.#fetched.has(name)) return this.#fetched.get(name) as Result;
    this.#missing.set(name, read);
    return absent;
  }

  /** A value was missing: the result of the function does not count. */
  get isMissing(): boolean {
    return this.#missing.size > 0;
  }

  async fetchMissing(): Promise<void> {
    const missing = [...this.#missing];
    this.#missing.clear();
    await Promise.all(missing.map(async ([name, read]) => this.#fetched.set(name, await read())));
  }

  /** The read values may have changed. */
  clear(): void {
    this.#fetched.clear();
    this.#missing.clear();
  }
}
