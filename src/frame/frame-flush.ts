/** Gathers changes into one flush per frame, and into none at all while nobody looks. */
export class FrameFlush {
  readonly #flush: () => void;
  #isVisible = true;
  #isStale = false;
  #frame: number | null = null;

  constructor(flush: () => void) {
    this.#flush = flush;
  }

  /** Something changed: shown with the next frame, or when the page is next looked at. */
  request(): void {
    this.#isStale = true;
    if (this.#isVisible) this.#frame ??= requestAnimationFrame(() => this.run());
  }

  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    // Caught up in one step, before the frame is painted for the first time.
    if (isVisible && this.#isStale) this.run();
  }

  /** Flushes now what waits. */
  run(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
    if (!this.#isStale || !this.#isVisible) return;
    this.#isStale = false;
    this.#flush();
  }
}
