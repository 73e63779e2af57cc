import type { LogFrame } from "../../ports/session-log.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { FrameCache } from "./frame-cache.ts";

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

  /** Null when some of the frames after `seq` may lie before what is cached. */
  after(sessionId: SessionId, seq: number, limit: number): readonly LogFrame[] | null {
    return this.#caches.get(sessionId)?.after(seq, limit) ?? null;
  }

  delete(sessionId: SessionId): void {
    this.#caches.delete(sessionId);
  }
}
