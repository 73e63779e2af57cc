import type { SessionId } from "../protocol/ids.ts";

/** Which sessions someone looks at this moment, and who: a viewer may have several side by side. */
export class ShownSessions {
  readonly #shown = new Map<object, ReadonlySet<SessionId>>();

  /** From now on this viewer looks at it, until it says otherwise or is gone. */
  show(viewer: object, sessionId: SessionId): void {
    this.#shown.set(viewer, new Set(this.#shown.get(viewer)).add(sessionId));
  }

  /** Without a session: whatever the viewer looked at. */
  hide(viewer: object, sessionId?: SessionId): void {
    const left = new Set(this.#shown.get(viewer));
    if (sessionId !== undefined) left.delete(sessionId);
    if (sessionId === undefined || left.size === 0) this.#shown.delete(viewer);
    else this.#shown.set(viewer, left);
  }

  has(sessionId: SessionId): boolean {
    return [...this.#shown.values()].some((shown) => shown.has(sessionId));
  }
}
