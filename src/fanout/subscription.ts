import type { LogFrame, SessionLog } from "../ports/session-log.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { Hub } from "./hub.ts";

const BATCH_FRAMES_MAX = 256;

export interface SubscriptionOptions {
  readonly log: Pick<SessionLog, "recentAfter" | "readAfter">;
  readonly hub: Hub;
  readonly sessionId: SessionId;
  /** The last seq the reader has. */
  readonly after: number;
  /** False while the reader can take no more; it calls `pump` again when it can. */
  readonly ready: () => boolean;
  /** False while the reader keeps the session out of view: text may then come in larger pieces. */
  readonly isWatching?: () => boolean;
  readonly send: (frame: LogFrame) => void;
  /** The reader was slower than facts are kept: the next ones are gone, and only a fresh history helps. */
  readonly onGap: () => void;
  /** Facts that had to be read from the disk have been sent; those in memory are sent before `pump` returns. */
  readonly onRead?: () => void;
  readonly onError: (error: unknown) => void;
}

/** Facts after a cursor, then facts as they come, with no gap and no second path: live, late and slow are one read. */
export class Subscription implements Disposable {
  readonly #options: SubscriptionOptions;
  readonly #following: Disposable;
  #cursor: number;
  /** The read of the disk under way. */
  #reading: Promise<void> | null = null;
  /** It was woken during the read. */
  #isDue = false;
  /** It was left, or has a gap that only a fresh history fills. */
  #isOver = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#cursor = options.after;
    this.#following = options.hub.follow(options.sessionId, () => this.pump(), options.isWatching);
  }

  /** The last seq that was sent, or needs no sending. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Resolves when no read of the disk is under way. */
  async settled(): Promise<void> {
    while (this.#reading) await this.#reading;
  }

  /** Sends all there is after the cursor, or as much as the reader takes. What is not in memory is read first. */
  pump(): void {
    const { log, sessionId } = this.#options;
    // A wake during a read may be for something that the read does not see.
    this.#isDue = this.#reading !== null;
    while (!this.#reading && this.#isReady) {
      const recent = log.recentAfter(sessionId, this.#cursor, BATCH_FRAMES_MAX);
      if (!recent) this.#reading = this.#read().finally(() => this.#hasRead());
      else if (!this.#send(recent)) return;
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#following[Symbol.dispose]();
  }

  get #isReady(): boolean {
    return !this.#isOver && this.#options.ready();
  }

  async #read(): Promise<void> {
    const { log, sessionId, onError } = this.#options;
    try {
      for (let hasMore = true; hasMore; )
        hasMore = this.#send(await log.readAfter(sessionId, this.#cursor, BATCH_FRAMES_MAX));
    } catch (error) {
      // The next wake tries again.
      onError(error);
    }
  }

  #hasRead(): void {
    this.#reading = null;
    if (this.#isDue) this.pump();
    if (!this.#isOver) this.#options.onRead?.();
  }

  /** False when there is no more to send for now. */
  #send(batch: readonly LogFrame[]): boolean {
    const { send, onGap } = this.#options;
    for (const frame of batch) {
      if (!this.#isReady) return false;
      if (frame.seq !== this.#cursor + 1) {
        this.#isOver = true;
        onGap();
        return false;
      }
      this.#cursor = frame.seq;
      // Kept for a later version of ourselves; no reader of today knows what to do with it.
      if (frame.type !== "session:raw") send(frame);
    }
    return batch.length === BATCH_FRAMES_MAX;
  }
}
