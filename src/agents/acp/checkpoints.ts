const RETRY_MS = 1_000;

/** Takes a checkpoint when one is due; one that cannot be taken is tried again until it can. */
export class Checkpoints {
  readonly #take: () => boolean;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #isOver = false;

  /** `take` says whether it could be done. */
  constructor(take: () => boolean) {
    this.#take = take;
  }

  due(): void {
    if (this.#isOver || this.#retry || this.#take()) return;
    // An agent that has to wait for room says nothing that would remind us.
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.due();
    }, RETRY_MS).unref();
  }

  /** The process is gone. */
  end(): void {
    this.#isOver = true;
  }
}
