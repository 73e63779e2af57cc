/** Detects that there was no event for a while. An event costs no timer: the running one checks again. */
export class SilenceWatch {
  readonly #silentMs: number;
  readonly #now: () => number;
  readonly #onSilent: () => void;
  #lastEventAt = 0;
  #watching = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(silentMs: number, now: () => number, onSilent: () => void) {
    this.#silentMs = silentMs;
    this.#now = now;
    this.#onSilent = onSilent;
  }

  /** There was an event. `watch`: a silence from now on counts. */
  reset(watch: boolean): void {
    this.#lastEventAt = this.#now();
    this.#watching = watch;
    if (watch && !this.#timer) this.#arm(this.#silentMs);
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms);
    this.#timer.unref();
  }

  #look(): void {
    this.#timer = null;
    if (!this.#watching) return;
    const leftMs = this.#lastEventAt + this.#silentMs - this.#now();
    if (leftMs > 0) this.#arm(leftMs);
    else this.#onSilent();
  }
}
