import type { ClientRequest } from "../../client/pending-requests.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";

/** Reports to the server which sessions this page shows, so that all pages agree on what is unread. */
export class SeenSessions {
  readonly #ask: (request: ClientRequest) => void;
  /** The last fact that this page has received of each session. */
  readonly #lastSeq = new Map<SessionId, number>();
  #shown: ReadonlySet<SessionId> = new Set();
  /** Sessions that were reported as shown on this connection. */
  readonly #reported = new Set<SessionId>();

  /** The user marked it as unread while it is in view: it stays so until it is shown again. */
  #left: SessionId | null = null;

  constructor(ask: (request: ClientRequest) => void) {
    this.#ask = ask;
  }

  /** Empty while no session is in view: another window is in front, or none is open. */
  show(sessionIds: readonly SessionId[]): void {
    const shown = new Set(sessionIds);
    if (shown.size === this.#shown.size && sessionIds.every((id) => this.#shown.has(id))) return;
    this.#shown = shown;
    if (this.#left !== null && !shown.has(this.#left)) this.#left = null;
    for (const id of [...this.#reported]) if (!this.#shown.has(id)) this.#report(id, false);
    for (const id of this.#shown)
      if (!this.#reported.has(id) && this.#lastSeq.has(id) && id !== this.#left) this.#report(id, true);
  }

  leaveUnread(sessionId: SessionId): void {
    if (this.#shown.has(sessionId)) this.#left = sessionId;
  }

  receive(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.#reported.clear(); // a new connection: nothing is reported on it yet
        return;
      case "session:deleted":
        this.#lastSeq.delete(message.sessionId);
        this.#reported.delete(message.sessionId);
        return;
      case "session:history":
      case "session:resumed":
        this.#lastSeq.set(message.sessionId, message.seq);
        // It may be late: by then the user may have marked the session as unread.
        if (this.#shown.has(message.sessionId) && message.sessionId !== this.#left)
          this.#report(message.sessionId, true);
        return;
      case "session:turn":
        this.#lastSeq.set(message.sessionId, message.seq);
        return;
      case "session:changed":
        // The update was sent before the server received our report.
        if (this.#shown.has(message.id) && message.unread === true && message.id !== this.#left)
          this.#report(message.id, true);
        return;
      default:
    }
  }

  #report(sessionId: SessionId, showing: boolean): void {
    if (showing) this.#reported.add(sessionId);
    else this.#reported.delete(sessionId);
    this.#ask({ type: "session:seen", sessionId, seq: this.#lastSeq.get(sessionId) ?? 0, showing });
  }
}
