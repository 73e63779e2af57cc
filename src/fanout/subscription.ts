import type { LogFrame, SessionLog } from "../ports/session-log.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { Hub } from "./hub.ts";

const BATCH_FRAMES_MAX = 256;

export interface SubscriptionOptions {
  readonly log: SessionLog;
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
}

/** Facts after a cursor, then facts as they come, with no gap and no second path: live, late and slow are one read. */
export class Subscription implements Disposable {
  readonly #options: SubscriptionOptions;
  readonly #following: Disposable;
  #cursor: number;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#cursor = options.after;
    this.#following = options.hub.follow(options.sessionId, () => this.pump(), options.isWatching);
  }

  /** The last seq that was sent, or needs no sending. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Sends all there is after the cursor, or as much as the reader takes. */
  pump(): void {
    const { log, sessionId, ready, send, onGap } = this.#options;
    while (ready()) {
      const batch = log.readAfter(sessionId, this.#cursor, BATCH_FRAMES_MAX);
      for (const frame of batch) {
        if (!ready()) return;
        if (frame.seq !== this.#cursor + 1) {
          onGap();
          return;
        }
        this.#cursor = frame.seq;
        // Kept for a later version of ourselves; no reader of today knows what to do with it.
        if (frame.type !== "session:raw") send(frame);
      }
      if (batch.length < BATCH_FRAMES_MAX) return;
    }
  }

  [Symbol.dispose](): void {
    this.#following[Symbol.dispose]();
  }
}
