import type { ClientRequest } from "../../../client/pending-requests.ts";
import type { SessionId } from "../../../protocol/ids.ts";
import type { ServerMessage } from "../../../protocol/server-messages.ts";

/** Tells the server which session this page shows, so that every page agrees on what was not read yet. */
export class SeenSessions {
  readonly #ask: (request: ClientRequest) => void;
  /** How far this page has heard of each session. */
  readonly #heard = new Map<SessionId, number>();
  #shown: SessionId | null = null;
  /** The server knows that it is shown. */
  #isTold = false;

  constructor(ask: (request: ClientRequest) => void) {
    this.#ask = ask;
  }

  /** Null while no session is in view: another window is in front, or none is open. */
  show(sessionId: SessionId | null): void {
    if (sessionId === this.#shown) return;
    const before = this.#shown;
    this.#shown = sessionId;
    if (before !== null && this.#isTold) this.#tell(before, false);
    this.#isTold = false;
    if (sessionId !== null && this.#heard.has(sessionId)) this.#tell(sessionId, true);
  }

  hear(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.#isTold = false; // another connection, of which the server knows nothing yet
        return;
      case "session:deleted":
        this.#heard.delete(message.sessionId);
        return;
      case "session:history":
      case "session:resumed":
        this.#heard.set(message.sessionId, message.seq);
        if (message.sessionId === this.#shown) this.#tell(message.sessionId, true);
        return;
      case "session:turn":
        this.#heard.set(message.sessionId, message.seq);
        return;
      case "session:changed":
        // News came before the server knew that it is shown here.
        if (message.id === this.#shown && message.unread === true) this.#tell(message.id, true);
        return;
      default:
    }
  }

  #tell(sessionId: SessionId, showing: boolean): void {
    this.#isTold = showing;
    this.#ask({ type: "session:seen", sessionId, seq: this.#heard.get(sessionId) ?? 0, showing });
  }
}
