const SLICE_MS_MAX = 10;

/** Lets long work on the one thread be done in slices: between two of them everyone else gets their turn. */
export class TimeSlice {
  #beganAt = performance.now();

  /** To be awaited after every small piece of the work; nearly always it returns at once. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#beganAt < SLICE_MS_MAX) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#beganAt = performance.now();
  }
}
