/** Notices when nothing has been heard for a while. Hearing something costs no timer: the one there is looks again. */
export class SilenceWatch {
  readonly #silentMs: number;
  readonly #now: () => number;
  readonly #onSilent: () => void;
  #heardAt = 0;
  #watching = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(silentMs: number, now: () => number, onSilent: () => void) {
    this.#silentMs = silentMs;
    this.#now = now;
    this.#onSilent = onSilent;
  }

  heard(watch: boolean): void {
    this.#heardAt = this.#now();
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
    const leftMs = this.#heardAt + this.#silentMs - this.#now();
    if (leftMs > 0) this.#arm(leftMs);
    else this.#onSilent();
  }
}
