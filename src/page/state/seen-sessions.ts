import type { ClientRequest } from "../../client/pending-requests.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";

/** Tells the server which sessions this page shows, so that every page agrees on what was not read yet. */
export class SeenSessions {
  readonly #ask: (request: ClientRequest) => void;
  /** How far this page has heard of each session. */
  readonly #heard = new Map<SessionId, number>();
  #shown: ReadonlySet<SessionId> = new Set();
  /** Those of which the server knows that they are shown. */
  readonly #told = new Set<SessionId>();

  constructor(ask: (request: ClientRequest) => void) {
    this.#ask = ask;
  }

  /** None while no session is in view: another window is in front, or none is open. */
  show(sessionIds: readonly SessionId[]): void {
    const shown = new Set(sessionIds);
    if (shown.size === this.#shown.size && sessionIds.every((id) => this.#shown.has(id))) return;
    this.#shown = shown;
    for (const id of [...this.#told]) if (!this.#shown.has(id)) this.#tell(id, false);
    for (const id of this.#shown) if (!this.#told.has(id) && this.#heard.has(id)) this.#tell(id, true);
  }

  hear(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.#told.clear(); // another connection, of which the server knows nothing yet
        return;
      case "session:deleted":
        this.#heard.delete(message.sessionId);
        this.#told.delete(message.sessionId);
        return;
      case "session:history":
      case "session:resumed":
        this.#heard.set(message.sessionId, message.seq);
        if (this.#shown.has(message.sessionId)) this.#tell(message.sessionId, true);
        return;
      case "session:turn":
        this.#heard.set(message.sessionId, message.seq);
        return;
      case "session:changed":
        // News came before the server knew that it is shown here.
        if (this.#shown.has(message.id) && message.unread === true) this.#tell(message.id, true);
        return;
      default:
    }
  }

  #tell(sessionId: SessionId, showing: boolean): void {
    if (showing) this.#told.add(sessionId);
    else this.#told.delete(sessionId);
    this.#ask({ type: "session:seen", sessionId, seq: this.#heard.get(sessionId) ?? 0, showing });
  }
}
