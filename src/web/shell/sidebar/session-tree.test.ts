import { expect, it } from "bun:test";
import { SessionRow } from "../../../protocol/server-messages.ts";
import { sessionMark } from "./session-mark.ts";
import { type SessionBranch, sessionTree } from "./session-tree.ts";

const row = (id: string, parentId?: string): SessionRow =>
  SessionRow.parse({
    id: `builtin:${id}`,
    projectId: "p1",
    title: id,
    lastActiveAt: "2026-03-01T12:00:00Z",
    createdAt: "2026-03-01T12:00:00Z",
    cliType: "builtin",
    archived: false,
    turn: { state: "idle" },
    ...(parentId === undefined ? {} : { parentId: `builtin:${parentId}` }),
  });
const names = (branches: readonly SessionBranch[]): unknown[] =>
  branches.map(({ session, children }) => (children.length === 0 ? session.title : [session.title, names(children)]));

it("[O-5] puts children under their parent, at any depth, and keeps the order given", () => {
  const tree = sessionTree([row("grandchild", "child"), row("other"), row("child", "parent"), row("parent")]);
  expect(names(tree)).toEqual(["other", ["parent", [["child", ["grandchild"]]]]]);
});

it("lets a child whose parent is archived stand by itself", () => {
  expect(names(sessionTree([row("child", "gone")]))).toEqual(["child"]);
});

it.each([
  ["working", { state: "running" }, true],
  ["waiting", { state: "waiting" }, true],
  ["stalled", { state: "stalled" }, false],
  ["failed", { state: "idle", stopReason: "interrupted" }, true],
  ["failed", { state: "idle", error: { code: "AGENT_PROTOCOL_ERROR", message: "no" } }, false],
  ["unread", { state: "idle", stopReason: "end_turn" }, true],
  ["none", { state: "idle", stopReason: "cancelled" }, false],
] as const)("is marked %s", (mark, turn, unread) => {
  expect(sessionMark({ turn, unread })).toBe(mark);
});
