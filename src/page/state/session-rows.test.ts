import { expect, test } from "bun:test";
import { effect } from "@preact/signals";
import { SessionRow } from "../../protocol/session-schema.ts";
import { RowSignals } from "./session-rows.ts";

const AT = "2026-01-15T12:00:00.000Z";
const row = (id: string, title = id) =>
  SessionRow.parse({
    ...{ id: `builtin:${id}`, projectId: "p", title, cliType: "builtin", archived: false, turn: { state: "idle" } },
    ...{ createdAt: AT, lastActiveAt: AT },
  });
const state = (...rows: SessionRow[]) => ({ sessions: new Map(rows.map((one) => [one.id, one])), agents: [] });

/** What a row has shown, in order. */
function watched(rows: RowSignals, { id }: SessionRow): (string | undefined)[] {
  const shown: (string | undefined)[] = [];
  effect(() => void shown.push(rows.of(id).value?.title));
  return shown;
}

test("a changed row notifies its own watcher and no other", () => {
  const [a, b] = [row("a"), row("b")];
  const rows = new RowSignals();
  rows.follow(state(a, b));
  const [shownA, shownB] = [watched(rows, a), watched(rows, b)];
  rows.follow(state(row("a", "renamed"), b));
  expect(shownA).toEqual(["a", "renamed"]);
  expect(shownB).toEqual(["b"]);
});

test("a deleted session becomes undefined for its watchers, returns when it does, and is not kept meanwhile", () => {
  const [a, b] = [row("a"), row("b")];
  const rows = new RowSignals();
  const early = watched(rows, a);
  rows.follow(state(a, b));
  const shown = watched(rows, b);
  rows.follow(state());
  expect(rows.size).toBe(0);
  rows.follow(state(a, b));
  expect(early).toEqual([undefined, "a", undefined, "a"]);
  expect(shown).toEqual(["b", undefined, "b"]);
  expect(rows.size).toBe(2);
});
