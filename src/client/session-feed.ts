import type { Refusal } from "../protocol/errors.ts";
import { foldMessage } from "../protocol/fold-message.ts";
import type { SessionId } from "../protocol/ids.ts";
import { EMPTY_SESSION, type SessionState } from "../protocol/session-schema.ts";
import type { Connection } from "./connection.ts";
import { refusalOf } from "./pending-requests.ts";

interface SessionFeedOptions {
  readonly connection: Connection;
  readonly sessionId: SessionId;
  readonly onChange?: (state: SessionState) => void;
  readonly onRefused?: (refusal: Refusal) => void;
}

/** A followed session as an up-to-date state, using the same fold as the page and the server. */
export class SessionFeed implements Disposable {
  readonly #unfollow: () => void;
  #state: SessionState = EMPTY_SESSION;

  constructor({ connection, sessionId, onChange, onRefused }: SessionFeedOptions) {
    this.#unfollow = connection.follow(sessionId, (message) => {
      switch (message.type) {
        case "error":
          onRefused?.(refusalOf(message));
          return;
        case "session:draft":
        case "session:presence":
        case "changes:state":
          return;
        default: {
          const next = foldMessage(this.#state, message);
          if (next === this.#state) return;
          this.#state = next;
          onChange?.(next);
        }
      }
    });
  }

  get state(): SessionState {
    return this.#state;
  }

  [Symbol.dispose](): void {
    this.#unfollow();
  }
}
