/** Agents stop within a second or not at all. */
const CANCEL_DEADLINE_MS = 10_000;
const GIVE_UP_MS = 5_000;

interface CancelDeadlineOptions {
  /** A plain cancel was not enough: the request itself is withdrawn. */
  readonly insist: () => void;
  /** That was not enough either; only the user can decide what happens to the process. */
  readonly giveUp: () => void;
}

/** Watches whether a cancel is heeded. It never ends a process: other sessions may work in it. */
export class CancelDeadline implements Disposable {
  #timer: ReturnType<typeof setTimeout>;

  constructor({ insist, giveUp }: CancelDeadlineOptions) {
    this.#timer = setTimeout(() => {
      insist();
      this.#timer = setTimeout(giveUp, GIVE_UP_MS);
    }, CANCEL_DEADLINE_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
