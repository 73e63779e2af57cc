import { invariant } from "../lib/assert.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import type { FollowMessage } from "../protocol/fold-message.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { FactMessage, PlainServerMessage, ServerMessage } from "../protocol/server-messages.ts";
import type { SessionHistory, SessionResumed } from "../protocol/session-messages.ts";
import type { ErrorMessage } from "./pending-requests.ts";

/** All messages for the follower of one session, in order; `error` means that it could not be opened. */
export type SessionMessage =
  | FollowMessage
  | Extract<PlainServerMessage, { type: "session:draft" | "session:presence" | "changes:state" }>
  | ErrorMessage;
export type FollowListener = (message: SessionMessage) => void;

interface Follow {
  readonly listener: FollowListener;
  /** Number of newest entries in a history; without it the server decides. */
  readonly limit: number | undefined;
  /** The seq of the last fact passed on; null before the first history. */
  seq: number | null;
  /** Set while an answer to `session:open` is awaited: facts received meanwhile have gaps before them and are dropped. */
  openRequestId: string | null;
}

/** Which sessions this client follows, and the last fact of each, so that a new socket resumes where the old one ended. */
export class FollowedSessions {
  readonly #follows = new Map<SessionId, Follow>();
  readonly #newRequestId: () => string;

  constructor(newRequestId: () => string) {
    this.#newRequestId = newRequestId;
  }

  add(sessionId: SessionId, listener: FollowListener, limit?: number): void {
    invariant(!this.#follows.has(sessionId), `session ${sessionId} is already followed by this client`);
    this.#follows.set(sessionId, { listener, limit, seq: null, openRequestId: null });
  }

  remove(sessionId: SessionId): boolean {
    return this.#follows.delete(sessionId);
  }

  ids(): readonly SessionId[] {
    return [...this.#follows.keys()];
  }

  /** The request that starts following on a fresh socket: from the last fact received, or from the newest page. */
  openRequest(sessionId: SessionId): ClientMessage {
    const follow = this.#follows.get(sessionId);
    invariant(follow, `session ${sessionId} is not followed`);
    const requestId = this.#newRequestId();
    follow.openRequestId = requestId;
    const { seq, limit } = follow;
    return {
      type: "session:open",
      requestId,
      sessionId,
      ...(seq !== null && { after: seq }),
      ...(limit !== undefined && { limit }),
    };
  }

  /** Passes a message to the session's follower if it can be folded onto the previous ones. */
  dispatch(message: ServerMessage): void {
    if (message.type === "error") this.#refused(message);
    else if ("sessionId" in message && message.sessionId !== undefined) {
      const follow = this.#follows.get(message.sessionId);
      if (follow !== undefined) handOn(follow, message);
    }
  }

  #refused(message: ErrorMessage): void {
    if (message.requestId === undefined) return;
    for (const follow of this.#follows.values()) {
      if (follow.openRequestId === message.requestId) follow.listener(message);
    }
  }
}

function handOn(follow: Follow, message: Exclude<ServerMessage, ErrorMessage>): void {
  switch (message.type) {
    case "session:history":
    case "session:resumed":
      opened(follow, message);
      return;
    case "session:page":
    case "session:draft":
    case "session:presence":
    case "changes:state":
      follow.listener(message);
      return;
    default:
      if ("seq" in message && message.type !== "ok") handOnFact(follow, message);
  }
}

function handOnFact(follow: Follow, fact: FactMessage): void {
  if (follow.openRequestId !== null || follow.seq === null || fact.seq <= follow.seq) return;
  follow.seq = fact.seq;
  follow.listener(fact);
}

function opened(follow: Follow, message: SessionHistory | SessionResumed): void {
  // An answer to an earlier socket's request, or to an ended follow, does not apply to this one.
  if (follow.openRequestId !== (message.requestId ?? follow.openRequestId)) return;
  follow.openRequestId = null;
  // A resume only promises the missed facts: its seq must not hide them if the socket drops before they arrive.
  if (message.type === "session:history") follow.seq = message.seq;
  follow.listener(message);
}
