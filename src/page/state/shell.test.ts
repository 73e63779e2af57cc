import { expect, test } from "bun:test";
import { PlainServerMessage } from "../../protocol/server-messages.ts";
import { SessionRow } from "../../protocol/session-schema.ts";
import { Shell } from "./shell.ts";

const PROJECT = { id: "a", path: "/code/a", name: "a", addedAt: "2026-03-01T00:00:00Z" };
const IMPORTED = SessionRow.parse({
  id: "codex:imported",
  projectId: "a",
  title: "A talk from elsewhere",
  lastActiveAt: "2026-03-01T12:00:00Z",
  createdAt: "2026-03-01T12:00:00Z",
  cliType: "codex",
  archived: false,
  turn: { state: "idle" },
});

test("a session that HTTP told of first keeps its tab until its row comes over the socket, and after", () => {
  const shell = new Shell(() => new Promise(() => undefined), 0);
  const receive = (message: object) => shell.receive(PlainServerMessage.parse(message));
  receive({ type: "hello", version: "1", protocol: 1, projects: [PROJECT], agents: [] });
  receive({ type: "session:list", projectId: "a", sessions: [] });
  shell.openAnswered(IMPORTED);
  receive({ type: "ok" });
  expect(shell.tabs.value).toEqual({ order: [IMPORTED.id], active: IMPORTED.id });
  receive({
    type: "session:created",
    sessionId: IMPORTED.id,
    projectId: "a",
    session: { ...IMPORTED, title: "Newer" },
  });
  shell.openAnswered(IMPORTED);
  expect(shell.server.value.sessions.get(IMPORTED.id)?.title).toBe("Newer");
  receive({ type: "session:list", projectId: "a", sessions: [] });
  expect(shell.tabs.value.order).toEqual([]);
});
