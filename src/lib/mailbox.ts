interface MailboxOptions<Item> {
  /** With this many waiting, a held batch is handled at once: memory stays bounded however fast items come. */
  readonly itemsMax: number;
  /** At most one batch of held items in this time; the first one after a quiet spell goes at once. Asked for each item. */
  readonly holdMs: () => number;
  readonly now: () => number;
  readonly handle: (batch: readonly Item[]) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * One handler at a time, in arrival order, given everything that waits as one batch.
 * `post` is synchronous, so arrival order is wire order; batching lets one commit carry a burst.
 */
export class Mailbox<Item> {
  readonly #options: MailboxOptions<Item>;
  #waiting: Item[] = [];
  #scheduled = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When held items were last handed over; others do not use up their share of the frame rate. */
  #releasedAt = Number.NEGATIVE_INFINITY;
  #holdsSome = false;

  constructor(options: MailboxOptions<Item>) {
    this.#options = options;
  }

  /** `soon` items wait for their share of the frame rate; a `now` item takes everything before it along. */
  post(item: Item, urgency: "now" | "soon" = "now"): void {
    this.#waiting.push(item);
    if (urgency === "soon") this.#holdsSome = true;
    if (this.#scheduled) return;
    const waitMs = this.#releasedAt + this.#options.holdMs() - this.#options.now();
    if (urgency === "now" || waitMs <= 0 || this.#waiting.length >= this.#options.itemsMax) this.#schedule();
    else this.#timer ??= setTimeout(() => this.flush(), waitMs);
  }

  /** Handles what waits, now. Tests and shutdown call this instead of waiting. */
  flush(): void {
    this.#scheduled = false;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    if (this.#holdsSome) this.#releasedAt = this.#options.now();
    this.#holdsSome = false;
    try {
      this.#options.handle(batch);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #schedule(): void {
    this.#scheduled = true;
    queueMicrotask(() => {
      if (this.#scheduled) this.flush();
    });
  }
}
