import type { SessionId } from "../protocol/ids.ts";

/** Which sessions someone looks at this moment, and who: each viewer at one at a time. */
export class ShownSessions {
  readonly #shown = new Map<object, SessionId>();

  /** From now on this viewer looks at it, until it says otherwise or is gone. */
  show(viewer: object, sessionId: SessionId): void {
    this.#shown.set(viewer, sessionId);
  }

  /** Without a session: whatever the viewer looked at. */
  hide(viewer: object, sessionId?: SessionId): void {
    if (sessionId === undefined || this.#shown.get(viewer) === sessionId) this.#shown.delete(viewer);
  }

  has(sessionId: SessionId): boolean {
    return [...this.#shown.values()].includes(sessionId);
  }
}
