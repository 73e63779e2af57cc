import { expect, it } from "bun:test";
import { SessionRow } from "../../protocol/session-schema.ts";
import { sessionMark } from "../state/session-mark.ts";
import { type SessionBranch, sessionTree } from "./project-group.tsx";

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
  branches.map(({ id, children }) => {
    const name = id.slice("builtin:".length);
    return children.length === 0 ? name : [name, names(children)];
  });

it("[O-5] puts children under their parent, at any depth, and keeps the order given", () => {
  const tree = sessionTree([row("grandchild", "child"), row("other"), row("child", "parent"), row("parent")]);
  expect(names(tree)).toEqual(["other", ["parent", [["child", ["grandchild"]]]]]);
});

it("shows a child whose parent is archived as a root", () => {
  expect(names(sessionTree([row("child", "gone")]))).toEqual(["child"]);
});

it("a change in one branch leaves the others the same objects", () => {
  const rows = [row("a"), row("b"), row("child", "b")];
  const before = sessionTree(rows);
  expect(sessionTree([...rows], before)).toBe(before);
  const [a, b] = sessionTree([...rows, row("new", "b")], before);
  expect(a).toBe(before[0] ?? a);
  expect(b).not.toBe(before[1]);
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

it("[X-40] a dismissed failure no longer asks for attention", () => {
  const turn = { state: "idle", stopReason: "error" } as const;
  expect(sessionMark({ turn, unread: false, dismissed: true })).toBe("none");
  expect(sessionMark({ turn, unread: true, dismissed: true })).toBe("unread");
});
