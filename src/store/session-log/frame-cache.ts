import type { LogFrame } from "../../ports/session-log.ts";
import type { SessionId } from "../../protocol/ids.ts";

const SESSIONS_MAX = 64;

/** The newest frames of the sessions that were written to last. */
export class FrameCaches {
  readonly #caches = new Map<SessionId, FrameCache>();

  of(sessionId: SessionId): FrameCache {
    const cache = this.#caches.get(sessionId) ?? new FrameCache();
    this.#caches.delete(sessionId);
    this.#caches.set(sessionId, cache);
    const oldest = this.#caches.keys().next().value;
    if (this.#caches.size > SESSIONS_MAX && oldest !== undefined) this.#caches.delete(oldest);
    return cache;
  }

  /** Null if some of the frames after `seq` may be older than the cache. */
  after(sessionId: SessionId, seq: number, limit: number): readonly LogFrame[] | null {
    return this.#caches.get(sessionId)?.after(seq, limit) ?? null;
  }

  delete(sessionId: SessionId): void {
    this.#caches.delete(sessionId);
  }
}

const FRAMES_MAX = 1_024;
const FRAME_CHARS_MAX = 2_000_000;

/** The newest frames of one session, so that ten live readers need no disk read. */
export class FrameCache {
  #frames: LogFrame[] = [];
  #chars = 0;

  push(frame: LogFrame): void {
    this.#frames.push(frame);
    this.#chars += frame.json.length;
    if (this.#frames.length > FRAMES_MAX || this.#chars > FRAME_CHARS_MAX) this.#dropOlderHalf();
  }

  /** The frames after `seq`, or null if some of them may be older than the cache. */
  after(seq: number, limit: number): readonly LogFrame[] | null {
    const first = this.#frames[0];
    if (!first || seq < first.seq - 1) return null;
    // Almost every reader is at or near the end, so searching from there is fast.
    let from = this.#frames.length;
    while (from > 0 && (this.#frames[from - 1]?.seq ?? 0) > seq) from--;
    return this.#frames.slice(from, from + limit);
  }

  #dropOlderHalf(): void {
    this.#frames = this.#frames.slice(Math.ceil(this.#frames.length / 2));
    this.#chars = this.#frames.reduce((sum, frame) => sum + frame.json.length, 0);
  }
}
