import { describe, expect, test } from "bun:test";
import { Entry } from "../../protocol/entry.ts";
import { CliType, CommandId, EntryId, SessionId, TurnId } from "../../protocol/ids.ts";
import type { ShownBranch } from "../../protocol/portlet-messages.ts";
import { deriveRows, type RowsInput } from "./rows.ts";

const at = "2026-01-15T09:00:00.000Z";
const turnId = TurnId.parse("turn");
const user = (id: string, commandId?: string) =>
  Entry.parse({ type: "user", entryId: id, content: `asks ${id}`, timestamp: at, commandId });
const answer = (id: string) => Entry.parse({ type: "assistant", entryId: id, content: `says ${id}`, timestamp: at });
const tool = (id: string, status = "complete") =>
  Entry.parse({ type: "tool-call", entryId: id, toolCallId: id, name: "Read", status, content: "" });
const NO_UNDOS: RowsInput["undos"] = new Map();
const NO_BRANCHES: RowsInput["branches"] = new Map();
const input = (more: Partial<RowsInput>): RowsInput => ({
  settled: [],
  open: [],
  turn: { state: "idle" },
  pending: [],
  status: "connected",
  agentName: "Built-in",
  asked: new Set(),
  undos: NO_UNDOS,
  branches: NO_BRANCHES,
  hasMore: false,
  ...more,
});
const running = { state: "running", turnId } as const;

test("[TC-4.2b] unchanged rows are the same object, so that showing them again costs nothing (D14)", () => {
  const settled = [user("u"), answer("a")];
  const first = deriveRows(input({ settled, open: [tool("t")] }));
  expect(deriveRows(input({ settled, open: [tool("t")] }), first)).not.toBe(first);
  const again = input({ settled, open: first.open.map(({ entry }) => entry) });
  expect(deriveRows(again, first)).toBe(first);
});

describe("the end of a turn", () => {
  const message = (id: string, of: TurnId) => Entry.parse({ ...user(id, `c-${id}`), turnId: of });
  const ended = { state: "idle", turnId, stopReason: "end_turn" } as const;
  const tailOf = (settled: readonly Entry[], turn: RowsInput["turn"] = ended) =>
    deriveRows(input({ settled, turn })).tail;

  test("is shown for a message without an answer, and not for a message of the next turn (A14)", () => {
    expect(tailOf([message("u", turnId)])).toMatchObject([{ kind: "turn-end" }]);
    expect(tailOf([message("u", TurnId.parse("next"))])).toEqual([]);
    const failed = { ...ended, stopReason: "error" } as const;
    expect(tailOf([message("u", turnId)], failed)).toMatchObject([{ actions: ["retry"] }]);
    expect(tailOf([message("u", TurnId.parse("next"))], failed)).toEqual([]);
  });

  test("is not shown for a turn that was answered before its last message (A14)", () => {
    expect(tailOf([message("u", turnId), Entry.parse({ ...answer("a"), turnId }), message("steer", turnId)])).toEqual(
      [],
    );
  });
});

describe("the changes of a turn", () => {
  const changes = Entry.parse({
    type: "changes",
    entryId: "c",
    turnId,
    content: "1 file changed, +1 −0",
    before: "b",
    after: "a",
    total: 1,
    added: 1,
    removed: 0,
    files: [],
    timestamp: at,
  });
  const notice = (id: string, undoId: string) =>
    Entry.parse({
      type: "notice",
      entryId: id,
      severity: "info",
      content: "Restored 1 file.",
      restore: { to: "b", safety: "s", undoId, files: 1 },
    });

  test("are no answer: a turn without one still gets a notice", () => {
    const turn = { state: "idle", turnId, stopReason: "end_turn" } as const;
    const asked = Entry.parse({ ...user("u", "c-u"), turnId });
    expect(deriveRows(input({ settled: [asked, changes], turn })).tail).toMatchObject([{ kind: "turn-end" }]);
  });

  test("that are taken back change the row of their restore, and no other", () => {
    const settled = [user("u"), notice("n1", "undo-1"), notice("n2", "undo-2")];
    const before = deriveRows(input({ settled }));
    const undos: RowsInput["undos"] = new Map([["undo-2", { state: "undone" }]]);
    const after = deriveRows(input({ settled, undos }), before);
    expect(after.settled.map(({ undoing }) => undoing?.state)).toEqual([undefined, undefined, "undone"]);
    expect(after.settled.slice(0, 2)).toEqual(before.settled.slice(0, 2));
    expect(after.settled[1]).toBe(before.settled[1]);
  });
});

describe("other sessions that began here", () => {
  const branch = (sessionId: string, entryId?: string): ShownBranch => ({
    ...{
      sessionId: SessionId.parse(sessionId),
      title: sessionId,
      cliType: CliType.parse("codex"),
      agentName: "Codex",
      createdAt: at,
    },
    ...(entryId !== undefined && { entryId: EntryId.parse(entryId) }),
  });
  const branches: RowsInput["branches"] = new Map([
    ["", [branch("codex:1")]],
    ["a", [branch("codex:2", "a"), branch("codex:3", "a")]],
  ]);
  const settled = [user("u"), answer("a"), user("u2"), answer("a2")];

  test("are at the entry after which they began, or before the first one, and change no other row", () => {
    const before = deriveRows(input({ settled }));
    const rows = deriveRows(input({ settled, branches }), before).settled;
    expect(rows.map((row) => [row.branchesBefore?.length, row.branches?.length])).toEqual([
      [1, undefined],
      [undefined, 2],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(rows.slice(2)).toEqual(before.settled.slice(2));
    expect(rows[3]).toBe(before.settled[3]);
  });

  test("are not before an entry that is only the first one loaded", () => {
    const [first] = deriveRows(input({ settled, branches, hasMore: true })).settled;
    expect(first?.branchesBefore).toBeUndefined();
  });

  test("are at the call of the sub-agent with the last message", () => {
    const call = tool("t1");
    const said = Entry.parse({ ...answer("a"), parentToolCallId: call.type === "tool-call" ? call.toolCallId : "" });
    const [row] = deriveRows(input({ settled: [call, said], branches })).settled;
    expect(row?.branches?.length).toBe(2);
    expect(row?.children[0]?.branches).toBeUndefined();
  });
});

describe("where the session itself began", () => {
  const settled = [user("u"), answer("a"), user("u2"), answer("a2")];
  const began = { entryId: "a", words: "Branched here" };

  test("is shown at the last entry of its source, and changes no other row", () => {
    const before = deriveRows(input({ settled }));
    const after = deriveRows(input({ settled, began }), before);
    expect(after.settled.map((row) => row.began)).toEqual([undefined, "Branched here", undefined, undefined]);
    expect(after.settled[3]).toBe(before.settled[3]);
    expect(deriveRows(input({ settled, began: { ...began } }), after).settled).toBe(after.settled);
    const other = deriveRows(input({ settled, began: { ...began, words: "Branched here · A → B" } }), after);
    expect(other.settled[1]?.began).toBe("Branched here · A → B");
  });

  test("is shown at the call of the sub-agent with the last message there", () => {
    const call = tool("t1");
    const said = Entry.parse({ ...answer("a"), parentToolCallId: call.type === "tool-call" ? call.toolCallId : "" });
    const [row] = deriveRows(input({ settled: [call, said], began })).settled;
    expect([row?.began, row?.children[0]?.began]).toEqual(["Branched here", undefined]);
  });
});

describe("entries", () => {
  test("are oldest first, and turns are further apart than lines", () => {
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

  test("a chunk keeps every other row object", () => {
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

  test("rows stay the same objects when their turn ends, except the live one", () => {
    const open = [tool("t"), answer("a")];
    const before = deriveRows(input({ open, turn: running }));
    const after = deriveRows(input({ settled: open, turn: { ...running, state: "idle" } }), before);
    expect(after.settled[0]).toBe(before.open[0]);
    expect(after.settled[1]).toMatchObject({ key: "a", live: false });
  });

  test("[W-8] the call that waits for permission is marked", () => {
    const open = [tool("t1", "running"), tool("t2", "running")];
    const rows = deriveRows(input({ open, turn: { ...running, state: "waiting" }, asked: new Set(["t2"]) }));
    expect(rows.open.map(({ asks }) => asks)).toEqual([false, true]);
  });
});

describe("rows after the entries", () => {
  test("[TC-3.1a] a message being sent has the key of its later entry", () => {
    const commandId = CommandId.parse("c1");
    const sending = deriveRows(input({ settled: [answer("a")], pending: [{ commandId, content: "hello" }] }));
    expect(sending.tail).toEqual([{ kind: "pending", key: "command:c1", gap: "turn", content: "hello" }]);
    const confirmed = deriveRows(input({ settled: [answer("a")], open: [user("u", "c1")] }));
    expect(confirmed.open[0]?.key).toBe("command:c1");
    expect(confirmed.tail).toEqual([]);
  });

  test("[TC-3.5b] a working agent is shown, unless something on screen already moves", () => {
    const words = (more: Partial<RowsInput>) =>
      deriveRows(input({ turn: running, ...more })).tail.map((row) => row.key);
    expect(words({ open: [user("u")] })).toEqual(["working"]);
    expect(words({ open: [user("u"), answer("a")] })).toEqual([]);
    expect(words({ open: [user("u"), tool("t", "running")] })).toEqual([]);
    expect(words({ open: [user("u"), tool("t")] })).toEqual(["working"]);
    expect(words({ open: [user("u")], turn: { ...running, state: "waiting" } })).toEqual([]);
  });

  test("[TC-5.4a] a turn whose agent is still starting shows that", () => {
    const { tail } = deriveRows(input({ open: [user("u")], turn: running, status: "starting" }));
    expect(tail).toMatchObject([{ kind: "working", words: "Starting Built-in…" }]);
  });

  test("[W-4] an end that the answer does not explain has a notice in the transcript; only its actions follow", () => {
    const end = (turn: RowsInput["turn"], more: Entry[] = []) =>
      deriveRows(input({ settled: [answer("a"), ...more], turn: { turnId, ...turn } })).tail;
    const said = (turnEnd: string) =>
      Entry.parse({ type: "notice", entryId: "n", turnId, severity: "info", content: "It ended.", turnEnd });
    expect(end({ state: "idle", stopReason: "end_turn" })).toEqual([]);
    for (const stopReason of ["cancelled", "refusal", "max_tokens", "max_turn_requests"] as const) {
      expect(end({ state: "idle", stopReason }, [said(stopReason)])).toEqual([]);
      expect(end({ state: "idle", stopReason })).toMatchObject([{ kind: "turn-end" }]);
    }
    const error = { code: "AGENT_PROTOCOL_ERROR", message: "The model is overloaded." };
    expect(end({ state: "idle", stopReason: "error", error }, [said("error")])).toMatchObject([
      { words: "", actions: ["retry"] },
    ]);
    expect(end({ state: "idle", stopReason: "error", error })).toMatchObject([
      { severity: "error", words: "The model is overloaded." },
    ]);
  });

  test("a turn that ended without any answer has a notice", () => {
    const { tail } = deriveRows(input({ settled: [user("u", "c")], turn: { state: "idle", stopReason: "end_turn" } }));
    expect(tail).toMatchObject([{ kind: "turn-end", severity: "info", actions: [] }]);
  });
});

describe("sub-agents", () => {
  const child = (id: string, parent: string) => ({ ...tool(id), parentToolCallId: parent });

  test("their entries are below their call, in order, also if two work at once", () => {
    const entries = [tool("A"), tool("B"), child("a1", "A"), child("b1", "B"), child("a2", "A"), child("a11", "a1")];
    const [first, second] = deriveRows(input({ settled: entries })).settled;
    expect(first?.children.map(({ key }) => key)).toEqual(["a1", "a2"]);
    expect(first?.children[0]?.children.map(({ key }) => key)).toEqual(["a11"]);
    expect(second?.children.map(({ key }) => key)).toEqual(["b1"]);
  });

  test("one without its call is shown separately", () => {
    expect(deriveRows(input({ settled: [child("a1", "gone")] })).settled.map(({ key }) => key)).toEqual(["a1"]);
  });

  test("a change in one changes the row of its call and no other", () => {
    const open = [tool("A", "running"), tool("B", "running"), child("a1", "A")];
    const before = deriveRows(input({ open, turn: running }));
    const after = deriveRows(input({ open: [...open, child("a2", "A")], turn: running }), before);
    expect(after.open[0]).not.toBe(before.open[0]);
    expect(after.open[0]?.children[0]).toBe(before.open[0]?.children[0]);
    expect(after.open[1]).toBe(before.open[1]);
  });
});
