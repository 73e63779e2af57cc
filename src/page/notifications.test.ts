import { expect, test } from "bun:test";
import { SessionRow } from "../protocol/session-schema.ts";
import { callOf, callWords, isWanted, newCalls } from "./notifications.ts";

const row = (id: string, turn: object, unread: boolean): SessionRow =>
  SessionRow.parse({
    ...{ id: `builtin:${id}`, projectId: "p", title: id, cliType: "builtin", archived: false, turn, unread },
    ...{ createdAt: "2026-01-15T09:00:00.000Z", lastActiveAt: "2026-01-15T09:00:00.000Z" },
  });
const rows = (...all: readonly SessionRow[]) => new Map(all.map((one) => [one.id, one]));
const WAITING = { state: "waiting" };
const RUNNING = { state: "running" };
const DONE = { state: "idle", stopReason: "end_turn" };
const FAILED = { state: "idle", stopReason: "error", error: { code: "X", message: "It broke." } };

test.each([
  ["waits", row("a", WAITING, true), "waiting"],
  ["failed", row("a", FAILED, true), "failed"],
  ["finished", row("a", DONE, true), "finished"],
  ["works", row("a", RUNNING, true), null],
  ["waits in view of someone", row("a", WAITING, false), null],
  ["finished in view of someone", row("a", DONE, false), null],
] as const)("X-11 a session that %s", (_case, session, call) => {
  expect(callOf(session)).toBe(call);
});

test("X-11 only new calls notify: once per reason, and never for what existed when the page was loaded", () => {
  const before = rows(row("a", RUNNING, false), row("b", WAITING, true), row("c", DONE, true));
  const after = rows(row("a", WAITING, true), row("b", WAITING, true), row("c", FAILED, true), row("new", DONE, true));
  expect(newCalls(before, after).map(({ session, call }) => [session.title, call])).toEqual([
    ["a", "waiting"],
    ["c", "failed"],
  ]);
  expect(newCalls(after, after)).toEqual([]);
});

test("X-11 the user chooses the level: nothing, blocked sessions, or everything", () => {
  const calls = ["waiting", "failed", "finished"] as const;
  const wanted = (level: "off" | "blocked" | "all") => calls.filter((call) => isWanted(call, level));
  expect([wanted("off"), wanted("blocked"), wanted("all")]).toEqual([[], ["waiting", "failed"], [...calls]]);
});

test("X-11 blocked has priority over finished", () => {
  const session = row("Fix the build", FAILED, true);
  expect(callWords("waiting", "Codex", session)).toEqual({
    ...{ title: "Codex is waiting for you", body: "Fix the build", isLoud: true },
  });
  expect(callWords("finished", "Codex", session).isLoud).toBe(false);
  expect(callWords("failed", "Codex", session).body).toBe("Fix the build\nIt broke.");
});
