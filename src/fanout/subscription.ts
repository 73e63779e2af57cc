import type { LogFrame, SessionLog } from "../ports/session-log.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { Hub } from "./hub.ts";

const BATCH_FRAMES_MAX = 256;
/** A database that is away may be back by then. No other event wakes the reader of an idle session. */
const READ_AGAIN_MS = 250;

export interface SubscriptionOptions {
  readonly log: Pick<SessionLog, "recentAfter" | "readAfter">;
  readonly hub: Hub;
  readonly sessionId: SessionId;
  /** The last seq the reader has. */
  readonly after: number;
  /** False while the reader can accept no more; it calls `pump` again when it can. */
  readonly ready: () => boolean;
  /** False while the reader does not show the session: text may then arrive in larger pieces. */
  readonly isWatching?: () => boolean;
  readonly send: (frame: LogFrame) => void;
  /** The reader was slower than facts are kept: the next ones are deleted, and it needs a fresh history. */
  readonly onGap: () => void;
  /** Facts that had to be read from disk were sent; those in memory are sent before `pump` returns. */
  readonly onRead?: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Sends the facts after a cursor, then new ones, without a gap and on one path: live, late and slow readers are the
 * same.
 */
export class Subscription implements Disposable {
  readonly #options: SubscriptionOptions;
  readonly #following: Disposable;
  #cursor: number;
  /** The current disk read. */
  #reading: Promise<void> | null = null;
  /** Woken during the read. */
  #isDue = false;
  #again: ReturnType<typeof setTimeout> | undefined;
  /** Disposed, or it has a gap that only a fresh history fills. */
  #isOver = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#cursor = options.after;
    this.#following = options.hub.follow(options.sessionId, () => this.pump(), options.isWatching);
  }

  /** The last seq that was sent or needs no sending. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Resolves when no disk read is running. */
  async settled(): Promise<void> {
    while (this.#reading) await this.#reading;
  }

  /** Sends everything after the cursor, or as much as the reader accepts. Facts that are not in memory are read first. */
  pump(): void {
    const { log, sessionId } = this.#options;
    // A wake during a read may be for a fact that the read does not include.
    this.#isDue = this.#reading !== null;
    while (!this.#reading && this.#isReady) {
      const recent = log.recentAfter(sessionId, this.#cursor, BATCH_FRAMES_MAX);
      if (!recent) this.#reading = this.#read().finally(() => this.#hasRead());
      else if (!this.#send(recent)) return;
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#again);
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
      onError(error);
      clearTimeout(this.#again);
      if (!this.#isOver) this.#again = setTimeout(() => this.pump(), READ_AGAIN_MS);
    }
  }

  #hasRead(): void {
    this.#reading = null;
    if (this.#isDue) this.pump();
    if (!this.#isOver) this.#options.onRead?.();
  }

  /** False if there is nothing more to send for now. */
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
      // Kept for a later version; current readers cannot use it.
      if (frame.type !== "session:raw") send(frame);
    }
    return batch.length === BATCH_FRAMES_MAX;
  }
}
