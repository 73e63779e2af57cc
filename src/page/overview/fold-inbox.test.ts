import { expect, test } from "bun:test";
import { SessionId } from "../../protocol/ids.ts";
import { requestIdOf } from "../../protocol/pending-request.ts";
import { FactMessage, PlainServerMessage, type ServerMessage } from "../../protocol/server-messages.ts";
import { SessionRow } from "../../protocol/session-schema.ts";
import { EMPTY_INBOX, foldInbox, type Inbox, inboxEntries } from "./fold-inbox.ts";

const A = SessionId.parse("builtin:a");
const B = SessionId.parse("builtin:b");
const at = (second: number) => `2026-01-15T09:00:0${second}.000Z`;
const permission = (id: string, second: number) => ({
  ...{ permissionId: id, askedAt: at(second) },
  toolCall: { toolCallId: "t", name: "Run ls" },
  options: [{ optionId: "yes", name: "Allow", kind: "allow_once" }],
});
const question = (id: string, second: number) => ({
  ...{ elicitationId: id, askedAt: at(second), mode: "form", message: "Which?", fields: [] },
});
const fact = (sessionId: SessionId, seq: number, body: object): ServerMessage =>
  FactMessage.parse({ sessionId, seq, ...body }) as ServerMessage;
const asked = (sessionId: SessionId, seq: number, id: string) =>
  fact(sessionId, seq, { type: "permission:request", ...permission(id, seq) });
const resolved = (sessionId: SessionId, seq: number, id: string) =>
  fact(sessionId, seq, { type: "permission:resolved", permissionId: id, outcome: { outcome: "cancelled" } });
const list = (...items: object[]) => PlainServerMessage.parse({ type: "inbox", items });
const fold = (...messages: readonly ServerMessage[]) => messages.reduce(foldInbox, EMPTY_INBOX);
const idsIn = (inbox: Inbox) => [...inbox.values()].flatMap(({ pending }) => pending.map(requestIdOf));
const row = (id: SessionId) =>
  SessionRow.parse({
    ...{ id, projectId: "p", title: id, cliType: "builtin", archived: false, turn: { state: "waiting" } },
    ...{ createdAt: at(0), lastActiveAt: at(0) },
  });

test("X-22 the server's list, then the facts: requests are added, resolved ones removed", () => {
  const inbox = fold(
    list({ sessionId: A, seq: 3, pending: [permission("p1", 1)] }),
    asked(B, 7, "p2"),
    fact(B, 8, { type: "elicitation:request", ...question("q1", 8) }),
  );
  expect(idsIn(inbox)).toEqual(["p1", "p2", "q1"]);
  const answered = [
    resolved(A, 4, "p1"),
    fact(B, 9, { type: "elicitation:resolved", elicitationId: "q1", action: "accept" }),
  ];
  expect(idsIn(answered.reduce(foldInbox, inbox))).toEqual(["p2"]);
});

test("X-22 a fact that the list already has changes nothing, however late it arrives", () => {
  const inbox = fold(list({ sessionId: A, seq: 5, pending: [] }));
  expect(foldInbox(inbox, asked(A, 4, "answered-since"))).toBe(inbox);
});

test("X-22 a request answered by the policy never waits, and an ended turn has none", () => {
  expect(idsIn(fold(fact(A, 1, { type: "permission:request", ...permission("p", 1), by: "policy" })))).toEqual([]);
  const over = fact(A, 3, { type: "session:turn", turn: { state: "idle", stopReason: "cancelled" } });
  expect(idsIn(fold(asked(A, 2, "p"), over))).toEqual([]);
});

test("X-22 other messages leave the same list object", () => {
  const inbox = fold(asked(A, 1, "p"));
  expect(foldInbox(inbox, PlainServerMessage.parse({ type: "ok" }))).toBe(inbox);
});

test("X-22 the oldest request comes first, over all sessions; an unknown session has none", () => {
  const inbox = fold(asked(A, 5, "later"), asked(B, 2, "earlier"), asked(SessionId.parse("builtin:gone"), 1, "lost"));
  const sessions = new Map([A, B].map((id) => [id, row(id)]));
  expect(inboxEntries(inbox, sessions).map(({ request }) => requestIdOf(request))).toEqual(["earlier", "later"]);
});
