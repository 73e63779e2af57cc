interface MailboxOptions<Item> {
  /** With this many waiting, a held batch is handled at once: memory stays bounded however fast items arrive. */
  readonly itemsMax: number;
  /**
   * At most one batch of held items in this time; the first one after a quiet period is handled at once. Called for
   * each item.
   */
  readonly holdMs: () => number;
  readonly now: () => number;
  /** May wait, for a commit for example: items that arrive meanwhile are the next batch. */
  readonly handle: (batch: readonly Item[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * One handler at a time, in arrival order, with all waiting items as one batch.
 * `post` is synchronous, so arrival order is wire order; batching lets one commit carry a burst.
 */
export class Mailbox<Item> {
  readonly #options: MailboxOptions<Item>;
  #waiting: Item[] = [];
  #postedCount = 0;
  #handledCount = 0;
  /** The batch being handled; it never rejects. */
  #handling: Promise<void> | null = null;
  #isScheduled = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When held items were last handled; other items do not count. */
  #releasedAt = Number.NEGATIVE_INFINITY;
  #holdsSome = false;
  #holdsUrgent = false;

  constructor(options: MailboxOptions<Item>) {
    this.#options = options;
  }

  /** `soon` items are held; a `now` item is handled at once with everything before it. */
  post(item: Item, urgency: "now" | "soon" = "now"): void {
    this.#waiting.push(item);
    this.#postedCount += 1;
    if (urgency === "soon") this.#holdsSome = true;
    else this.#holdsUrgent = true;
    if (!this.#isScheduled && !this.#handling) this.#arrange();
  }

  /** Resolves when everything posted before this call has been handled. */
  async flush(): Promise<void> {
    const target = this.#postedCount;
    while (this.#handledCount < target) {
      if (!this.#handling) this.#begin();
      await this.#handling;
    }
  }

  /** Decides when the waiting items are handled. */
  #arrange(): void {
    const waitMs = this.#releasedAt + this.#options.holdMs() - this.#options.now();
    if (this.#holdsUrgent || waitMs <= 0 || this.#waiting.length >= this.#options.itemsMax) this.#schedule();
    else this.#timer ??= setTimeout(() => this.#begin(), waitMs);
  }

  #schedule(): void {
    this.#isScheduled = true;
    queueMicrotask(() => {
      if (this.#isScheduled) this.#begin();
    });
  }

  #begin(): void {
    this.#isScheduled = false;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#handling || this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    if (this.#holdsSome) this.#releasedAt = this.#options.now();
    this.#holdsSome = false;
    this.#holdsUrgent = false;
    this.#handling = this.#handle(batch);
  }

  async #handle(batch: readonly Item[]): Promise<void> {
    try {
      await this.#options.handle(batch);
    } catch (error) {
      this.#options.onError(error);
    }
    this.#handling = null;
    this.#handledCount += batch.length;
    if (this.#waiting.length > 0) this.#arrange();
  }
}
