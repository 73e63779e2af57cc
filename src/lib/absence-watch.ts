/** Runs a call after a delay; the returned function cancels it. */
export type After = (ms: number, call: () => void) => () => void;

/** A timer that keeps no process alive. */
export const afterTimeout: After = (ms, call) => {
  const timer = setTimeout(call, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

/** Reports things that are left open while no client is connected for a continuous time. */
export class AbsenceWatch {
  readonly #absentMs: number;
  readonly #after: After;
  readonly #watched = new Map<string, () => void>();
  readonly #timers = new Map<string, () => void>();
  #isPresent = false;

  constructor(absentMs: number, after: After = afterTimeout) {
    this.#absentMs = absentMs;
    this.#after = after;
  }

  /** A client that returns restarts the time of everything that is open. */
  setPresent(isPresent: boolean): void {
    if (isPresent === this.#isPresent) return;
    this.#isPresent = isPresent;
    if (isPresent) for (const key of this.#timers.keys()) this.#stop(key);
    else for (const key of this.#watched.keys()) this.#start(key);
  }

  watch(key: string, onAbsent: () => void): void {
    this.#watched.set(key, onAbsent);
    if (!this.#isPresent) this.#start(key);
  }

  forget(key: string): void {
    this.#watched.delete(key);
    this.#stop(key);
  }

  #start(key: string): void {
    this.#stop(key);
    const elapsed = () => {
      const onAbsent = this.#watched.get(key);
      this.forget(key);
      onAbsent?.();
    };
    this.#timers.set(key, this.#after(this.#absentMs, elapsed));
  }

  #stop(key: string): void {
    this.#timers.get(key)?.();
    this.#timers.delete(key);
  }
}
