import type { ClientRequest } from "../../client/pending-requests.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";

/** Reports to the server which sessions this page shows, so that every page agrees on what was not read yet. */
export class SeenSessions {
  readonly #ask: (request: ClientRequest) => void;
  /** The last fact that this page has received of each session. */
  readonly #lastSeq = new Map<SessionId, number>();
  #shown: ReadonlySet<SessionId> = new Set();
  /** Sessions that were reported as shown on this connection. */
  readonly #reported = new Set<SessionId>();

  constructor(ask: (request: ClientRequest) => void) {
    this.#ask = ask;
  }

  /** None while no session is in view: another window is in front, or none is open. */
  show(sessionIds: readonly SessionId[]): void {
    const shown = new Set(sessionIds);
    if (shown.size === this.#shown.size && sessionIds.every((id) => this.#shown.has(id))) return;
    this.#shown = shown;
    for (const id of [...this.#reported]) if (!this.#shown.has(id)) this.#report(id, false);
    for (const id of this.#shown) if (!this.#reported.has(id) && this.#lastSeq.has(id)) this.#report(id, true);
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
        if (this.#shown.has(message.sessionId)) this.#report(message.sessionId, true);
        return;
      case "session:turn":
        this.#lastSeq.set(message.sessionId, message.seq);
        return;
      case "session:changed":
        // The update was sent before the server received our report.
        if (this.#shown.has(message.id) && message.unread === true) this.#report(message.id, true);
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
