import { expect, test } from "bun:test";
import { SessionRow } from "../../protocol/session-schema.ts";
import { attentionIn, countsIn, waitingSessions } from "./attention.ts";

const NOW = Date.parse("2026-01-15T12:00:00.000Z");
const hoursAgo = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();
const row = (id: string, turn: object, hours: number) =>
  SessionRow.parse({
    ...{ id: `builtin:${id}`, projectId: "p", title: id, cliType: "builtin", archived: false, turn },
    ...{ createdAt: hoursAgo(999), lastActiveAt: hoursAgo(hours) },
  });
const state = {
  sessions: new Map(
    [
      row("works", { state: "running" }, 1),
      row("stalls", { state: "stalled" }, 2),
      row("waits", { state: "waiting" }, 1),
      row("waits longer", { state: "waiting" }, 3),
      row("failed", { state: "idle", stopReason: "error" }, 1),
      row("failed long ago", { state: "idle", stopReason: "error" }, 60),
      row("done", { state: "idle" }, 5),
      row("done long ago", { state: "idle" }, 60),
    ].map((session) => [session.id, session]),
  ),
};

test("X-11 which sessions work, wait, failed recently, and were active recently", () => {
  const titles = Object.fromEntries(
    Object.entries(attentionIn(state, NOW)).map(([kind, rows]) => [kind, rows.map(({ title }: SessionRow) => title)]),
  );
  expect(titles).toEqual({
    working: ["works", "stalls"],
    waiting: ["waits longer", "waits"],
    failed: ["failed"],
    recent: ["done"],
  });
});

test("X-11 the counts match the lists", () => {
  expect(countsIn(state, NOW)).toEqual({ working: 2, waiting: 2, failed: 1 });
});

test("X-22 the session that has waited longest is next", () => {
  expect(waitingSessions(state).map(String)).toEqual(["builtin:waits longer", "builtin:waits"]);
});
