import { describe, expect, test } from "bun:test";
import { Entry } from "../../protocol/entry.ts";
import { CommandId, TurnId } from "../../protocol/ids.ts";
import { deriveRows, type RowsInput } from "./rows.ts";

const at = "2026-01-15T09:00:00.000Z";
const turnId = TurnId.parse("turn");
const user = (id: string, commandId?: string) =>
  Entry.parse({ type: "user", entryId: id, content: `asks ${id}`, timestamp: at, commandId });
const answer = (id: string) => Entry.parse({ type: "assistant", entryId: id, content: `says ${id}`, timestamp: at });
const tool = (id: string, status = "complete") =>
  Entry.parse({ type: "tool-call", entryId: id, toolCallId: id, name: "Read", status, content: "" });
const input = (more: Partial<RowsInput>): RowsInput => ({
  settled: [],
  open: [],
  turn: { state: "idle" },
  pending: [],
  status: "connected",
  agentName: "Built-in",
  asked: new Set(),
  ...more,
});
const running = { state: "running", turnId } as const;

describe("entries", () => {
  test("come oldest first, and turns stand further apart than lines", () => {
    const rows = deriveRows(input({ settled: [user("u"), tool("t1"), tool("t2"), answer("a")], open: [user("u2")] }));
    expect([...rows.settled, ...rows.open].map(({ key, gap }) => [key, gap])).toEqual([
      ["u", "first"],
      ["t1", "entry"],
      ["t2", "tight"],
      ["a", "entry"],
      ["u2", "turn"],
    ]);
  });

  test("only the last text of a running turn is live", () => {
    const open = [answer("a"), tool("t"), answer("b")];
    const live = (more: Partial<RowsInput>) => deriveRows(input(more)).open.map((row) => row.live);
    expect(live({ open, turn: running })).toEqual([false, false, true]);
    expect(live({ open: [...open, tool("u")], turn: running })).toEqual([false, false, false, false]);
    expect(live({ open, turn: { ...running, state: "waiting" } })).toEqual([false, false, false]);
    expect(live({ open, turn: { ...running, state: "idle" } })).toEqual([false, false, false]);
  });

  test("a chunk leaves every other row the same object", () => {
    const settled = [user("u"), answer("a")];
    const [first, second] = [tool("t"), answer("b")];
    const before = deriveRows(input({ settled, open: [first, second], turn: running }));
    const grown = { ...second, content: "says b and more" };
    const after = deriveRows(input({ settled, open: [first, grown], turn: running }), before);
    expect(after.settled).toBe(before.settled);
    expect(after.open[0]).toBe(before.open[0]);
    expect(after.open[1]).not.toBe(before.open[1]);
    expect(after.tail).toBe(before.tail);
  });

  test("rows stay the same objects when their turn ends, but for the one that was live", () => {
    const open = [tool("t"), answer("a")];
    const before = deriveRows(input({ open, turn: running }));
    const after = deriveRows(input({ settled: open, turn: { ...running, state: "idle" } }), before);
    expect(after.settled[0]).toBe(before.open[0]);
    expect(after.settled[1]).toMatchObject({ key: "a", live: false });
  });

  test("[W-8] the call that waits for permission says so", () => {
    const open = [tool("t1", "running"), tool("t2", "running")];
    const rows = deriveRows(input({ open, turn: { ...running, state: "waiting" }, asked: new Set(["t2"]) }));
    expect(rows.open.map(({ asks }) => asks)).toEqual([false, true]);
  });
});

describe("what stands after the entries", () => {
  test("[TC-3.1a] a message being sent has the key its entry will have", () => {
    const commandId = CommandId.parse("c1");
    const sending = deriveRows(input({ settled: [answer("a")], pending: [{ commandId, content: "hello" }] }));
    expect(sending.tail).toEqual([{ kind: "pending", key: "command:c1", gap: "turn", content: "hello" }]);
    const confirmed = deriveRows(input({ settled: [answer("a")], open: [user("u", "c1")] }));
    expect(confirmed.open[0]?.key).toBe("command:c1");
    expect(confirmed.tail).toEqual([]);
  });

  test("[TC-3.5b] an agent at work shows, unless something on screen already moves", () => {
    const words = (more: Partial<RowsInput>) =>
      deriveRows(input({ turn: running, ...more })).tail.map((row) => row.key);
    expect(words({ open: [user("u")] })).toEqual(["working"]);
    expect(words({ open: [user("u"), answer("a")] })).toEqual([]);
    expect(words({ open: [user("u"), tool("t", "running")] })).toEqual([]);
    expect(words({ open: [user("u"), tool("t")] })).toEqual(["working"]);
    expect(words({ open: [user("u")], turn: { ...running, state: "waiting" } })).toEqual([]);
  });

  test("[TC-5.4a] a turn whose agent still starts says so", () => {
    const { tail } = deriveRows(input({ open: [user("u")], turn: running, status: "starting" }));
    expect(tail).toMatchObject([{ kind: "working", words: "Starting Built-in…" }]);
  });

  test("[W-4] an end that the answer does not explain gets words; an ordinary one gets none", () => {
    const end = (turn: RowsInput["turn"]) => deriveRows(input({ settled: [answer("a")], turn })).tail;
    expect(end({ state: "idle", stopReason: "end_turn" })).toEqual([]);
    for (const stopReason of ["cancelled", "interrupted", "refusal", "max_tokens", "max_turn_requests"] as const) {
      expect(end({ state: "idle", stopReason })).toMatchObject([{ kind: "turn-end" }]);
    }
    const error = { code: "AGENT_PROTOCOL_ERROR", message: "The model is overloaded." };
    expect(end({ state: "idle", stopReason: "error", error })).toMatchObject([
      { severity: "error", words: "The model is overloaded." },
    ]);
  });
});
