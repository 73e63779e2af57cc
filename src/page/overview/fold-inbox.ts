import type { SessionId } from "../../protocol/ids.ts";
import type { InboxItem } from "../../protocol/inbox.ts";
import { type PendingRequest, requestIdOf } from "../../protocol/pending-request.ts";
import type { FactMessage, ServerMessage } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";

/** The activity and open requests of each working session. */
export type Inbox = ReadonlyMap<SessionId, InboxItem>;

export const EMPTY_INBOX: Inbox = new Map();

/** The server's list, and the facts that keep it current. Pure; the same map if nothing changed. */
export function foldInbox(inbox: Inbox, message: ServerMessage): Inbox {
  switch (message.type) {
    case "inbox":
      return new Map(message.items.map((item) => [item.sessionId, item]));
    case "permission:request": {
      const { type: _type, sessionId: _session, seq: _seq, requestId: _request, by, ...permission } = message;
      return by === "policy" ? inbox : withPending(inbox, message, (pending) => add(pending, permission));
    }
    case "permission:resolved":
      return withPending(inbox, message, (pending) => without(pending, message.permissionId));
    case "elicitation:request": {
      if (!("seq" in message)) return inbox;
      const { type: _type, sessionId: _session, seq: _seq, requestId: _request, ...question } = message;
      return withPending(inbox, message, (pending) => add(pending, question));
    }
    case "elicitation:resolved":
      return "seq" in message
        ? withPending(inbox, message, (pending) => without(pending, message.elicitationId))
        : inbox;
    case "session:turn":
      // Requests end with their turn.
      return message.turn.state === "idle" ? dropped(inbox, message.sessionId) : inbox;
    case "session:deleted":
      return dropped(inbox, message.sessionId);
    default:
      return inbox;
  }
}

type Pending = readonly PendingRequest[];

/** A fact that is already in the list changes nothing. */
function withPending(
  inbox: Inbox,
  { sessionId, seq }: Pick<FactMessage, "sessionId" | "seq">,
  change: (pending: Pending) => Pending,
): Inbox {
  const known = inbox.get(sessionId);
  if (known !== undefined && seq <= known.seq) return inbox;
  return new Map(inbox).set(sessionId, { ...known, sessionId, seq, pending: [...change(known?.pending ?? [])] });
}

function add(pending: Pending, request: PendingRequest): Pending {
  return [...without(pending, requestIdOf(request)), request];
}

function without(pending: Pending, id: string): Pending {
  return pending.filter((request) => requestIdOf(request) !== id);
}

function dropped(inbox: Inbox, id: SessionId): Inbox {
  return inbox.has(id) ? new Map([...inbox].filter(([other]) => other !== id)) : inbox;
}

/** One open request. */
export interface InboxEntry {
  readonly id: string;
  readonly session: SessionRow;
  readonly request: PendingRequest;
}

/** All open requests of all sessions, oldest first. */
export function inboxEntries(inbox: Inbox, sessions: ReadonlyMap<SessionId, SessionRow>): readonly InboxEntry[] {
  return [...inbox.values()]
    .flatMap(({ sessionId, pending }) => {
      const session = sessions.get(sessionId);
      return session === undefined
        ? []
        : pending.map((request) => ({ id: `${sessionId} ${requestIdOf(request)}`, session, request }));
    })
    .sort((a, b) => (a.request.askedAt < b.request.askedAt ? -1 : a.request.askedAt > b.request.askedAt ? 1 : 0));
}
