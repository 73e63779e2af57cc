const SLICE_MS_MAX = 10;

/** Splits long work on the single thread into slices, so that other work can run in between. */
export class TimeSlice {
  #beganAt = performance.now();

  /** Await it after every small piece of the work; it nearly always returns at once. */
  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.#beganAt < SLICE_MS_MAX) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#beganAt = performance.now();
  }
}
