import { describe, expect, it } from "bun:test";
import { factsOf, idle, LogWriter, lateUpdate, running, update } from "../../../tests/core/log-writer.ts";
import { commandId, entryId, NOW, PROJECT, permissionId, SESSION } from "../../../tests/core/names.ts";
import { BINDING, openStore, sessionRow } from "../../../tests/core/open-store.ts";
import { assistantEntry, idsOf, toolEntry, userEntry } from "../../../tests/core/some-entries.ts";
import { SessionId } from "../../protocol/ids.ts";
import { EMPTY_SESSION } from "../../protocol/session-schema.ts";

async function scene() {
  const store = await openStore();
  store.log.create(sessionRow(), BINDING, null);
  const writer = new LogWriter(() => store.log);
  return Object.assign(store, { writer });
}

const OTHER = SessionId.parse("builtin:session-2");

describe("SqliteSessionLog: facts", () => {
  it("[LOG-1] gives facts back as they were written, in order, with their numbers", async () => {
    await using at = await scene();
    at.writer.write([running("t"), update(userEntry("u")), update(assistantEntry("a"))]);
    at.writer.write([{ type: "session:chunk", entryId: entryId("a"), content: "ö\u2028😀" }, idle("t")]);
    for (const _ of ["from memory", "from disk"]) {
      const frames = at.log.readAfter(SESSION, 0, 100);
      expect(factsOf(frames)).toEqual(at.writer.facts);
      expect(frames.map(({ seq, type }) => ({ seq, type }))).toEqual(
        at.writer.facts.map(({ seq, type }) => ({ seq, type })),
      );
      at.reopen();
    }
  });

  it("[LOG-2] reads strictly after a cursor, at most limit facts", async () => {
    await using at = await scene();
    at.writer.fill(10);
    const read = (after: number, limit: number) => at.log.readAfter(SESSION, after, limit).map(({ seq }) => seq);
    for (const _ of ["from memory", "from disk"]) {
      expect(read(3, 4)).toEqual([4, 5, 6, 7]);
      expect(read(8, 4)).toEqual([9, 10]);
      expect(read(10, 4)).toEqual([]);
      expect(read(99, 4)).toEqual([]);
      at.reopen();
    }
  });

  it("[LOG-2] numbers are a session's own; an unknown session has no facts and no state", async () => {
    await using at = await scene();
    at.log.create(sessionRow(OTHER), BINDING, null);
    const other = new LogWriter(() => at.log, OTHER);
    at.writer.fill(2);
    other.fill(1);
    expect(factsOf(at.log.readAfter(OTHER, 0, 9))).toEqual(other.facts);
    const unknown = SessionId.parse("builtin:nobody");
    expect(at.log.readAfter(unknown, 0, 9)).toEqual([]);
    expect([at.log.load(unknown), at.log.row(unknown), at.log.page(unknown, null, 9)]).toEqual([null, null, null]);
    expect(at.log.canResume(unknown, 0)).toBe(false);
    expect(() => new LogWriter(() => at.log, unknown).fill(1)).toThrow("unknown session");
  });

  it("[LOG-3] a commit that fails in the middle changes nothing, in memory and on disk", async () => {
    await using at = await scene();
    at.writer.writeTurn(userEntry("u"), assistantEntry("a", { messageId: "m" }));
    const look = () => ({
      facts: factsOf(at.log.readAfter(SESSION, 0, 100)),
      stored: at.log.load(SESSION),
      page: at.log.page(SESSION, null, 100),
      receipt: at.log.receipt("command"),
      unfinished: at.log.unfinished(),
    });
    const before = look();
    const revised = assistantEntry("a", { content: "revised" });
    const failing = at.writer.prepare([lateUpdate(revised), running("t2"), update(userEntry("new"))]);
    const write = () =>
      at.log.commit(SESSION, {
        ...failing,
        // The entry is there already: the facts and the row before it are written by then.
        settled: [userEntry("new"), userEntry("u")],
        receipt: { commandId: "command", answer: "{}", at: NOW },
        binding: { ...BINDING, state: "crashed" },
      });
    expect(write).toThrow("UNIQUE");
    expect(look()).toEqual(before);
    at.reopen();
    expect(look()).toEqual(before);
    at.writer.write([running("t2"), update(userEntry("new"))]);
    expect(factsOf(at.log.readAfter(SESSION, 0, 100))).toEqual(at.writer.facts);
  });

  it("[LOG-3] the same number twice is refused, and the first fact stands", async () => {
    await using at = await scene();
    const first = at.writer.prepare([{ type: "session:archived" }]);
    at.log.commit(SESSION, first);
    expect(() => at.log.commit(SESSION, at.writer.prepare([{ type: "session:unarchived" }]))).toThrow("UNIQUE");
    expect(factsOf(at.log.readAfter(SESSION, 0, 9))).toEqual([...first.facts]);
  });
});

describe("SqliteSessionLog: receipts", () => {
  it("[LOG-4] a receipt is stored with its facts, survives a restart, and the first outcome stays", async () => {
    await using at = await scene();
    const receipt = { commandId: "c", answer: "first", at: NOW };
    at.writer.write([{ type: "session:archived" }], { receipt });
    at.log.saveReceipt({ ...receipt, answer: "second" });
    at.reopen();
    expect(at.log.receipt("c")).toBe("first");
    expect(at.log.receipt("other")).toBeNull();
  });

  it("[LOG-4] a session that could not be created leaves no receipt", async () => {
    await using at = await scene();
    const receipt = { commandId: "c", answer: "made", at: NOW };
    expect(() => at.log.create(sessionRow(), BINDING, receipt)).toThrow("UNIQUE");
    expect(at.log.receipt("c")).toBeNull();
    at.log.create(sessionRow(OTHER), BINDING, receipt);
    expect(at.log.receipt("c")).toBe("made");
  });

  it("[LOG-4] only receipts from before the given time are dropped", async () => {
    await using at = await scene();
    for (const day of ["01", "02", "03"])
      at.log.saveReceipt({ commandId: day, answer: day, at: `2026-01-${day}T00:00:00.000Z` });
    at.log.dropReceiptsBefore("2026-01-02T00:00:00.000Z");
    expect(["01", "02", "03"].map((day) => at.log.receipt(day))).toEqual([null, "02", "03"]);
  });
});

describe("SqliteSessionLog: coming back", () => {
  it("[LOG-5] a session without a fact comes back as it was created", async () => {
    await using at = await scene();
    expect(at.log.load(SESSION)).toEqual({
      row: sessionRow(),
      binding: BINDING,
      continuation: { processId: null, lastLine: 0, cancelling: null, agentSeenAt: null },
      state: EMPTY_SESSION,
    });
  });

  it("[LOG-5] in the middle of a turn all that is open comes back, and nothing twice", async () => {
    await using at = await scene();
    at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"));
    at.writer.write([running("t2"), update(userEntry("u2")), update(toolEntry("c2"))]);
    at.writer.write([
      { type: "session:chunk", entryId: entryId("c2"), field: "result", content: "out" },
      { type: "session:queue", items: [{ commandId: commandId("q"), content: "next" }], paused: false },
      {
        type: "permission:request",
        permissionId: permissionId("p"),
        toolCall: { toolCallId: "call-c2", name: "Read" },
        options: [],
        askedAt: NOW,
      },
      { type: "session:title-updated", title: "Named", source: "agent" },
    ]);
    at.reopen();
    expect(at.log.load(SESSION)?.state).toEqual(at.writer.state);
    expect(at.writer.state.open.map(({ entryId: id }) => String(id))).toEqual(["u2", "c2"]);
    expect(idsOf(at.log.page(SESSION, null, 9)?.entries ?? [])).toEqual(["u1", "a1"]);
    expect(at.log.unfinished()).toEqual([SESSION]);
    expect(at.log.row(SESSION)).toMatchObject({ title: "Named", turn: { state: "running" } });
  });

  it("[LOG-5] after its end a turn's entries are in the table, and the state is the small rest", async () => {
    await using at = await scene();
    at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"));
    // One commit that ends a turn and begins the next, as a queue does.
    at.writer.write([running("t2"), update(userEntry("u2")), idle("t2"), running("t3"), update(userEntry("u3"))]);
    at.reopen();
    expect(at.log.load(SESSION)?.state).toEqual(at.writer.state);
    expect(idsOf(at.writer.state.open)).toEqual(["u3"]);
    expect(idsOf(at.log.page(SESSION, null, 9)?.entries ?? [])).toEqual(["u1", "a1", "u2"]);
    at.writer.write([idle("t3")]);
    at.reopen();
    expect(at.log.load(SESSION)?.state).toEqual(at.writer.state);
    expect(at.log.unfinished()).toEqual([]);
  });

  it("W-7 the agent's side comes back exactly as it was bound last", async () => {
    await using at = await scene();
    const binding = { ...BINDING, agentSessionId: "anew", cwd: "/exact/cwd/", state: "crashed" } as const;
    at.writer.write([], { binding });
    at.reopen();
    expect(at.log.load(SESSION)?.binding).toEqual(binding);
  });

  it("counts the user's messages of ended turns only, and knows the last of them", async () => {
    await using at = await scene();
    at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"), userEntry("u2"));
    at.writer.write([running("t2"), update(userEntry("u3"))]);
    expect(at.log.userMessageCount(SESSION)).toBe(2);
    expect(at.log.lastUserEntry(SESSION)).toEqual(userEntry("u2"));
  });

  it("keeps a draft, and none is the empty one", async () => {
    await using at = await scene();
    expect(at.log.drafts.read(SESSION).content).toBe("");
    at.log.drafts.save(SESSION, "half a thought");
    at.reopen();
    expect(at.log.drafts.read(SESSION).content).toBe("half a thought");
  });
});

describe("SqliteSessionLog: lists", () => {
  it("TC-2.1b most recent activity first; a commit without activity moves nothing", async () => {
    await using at = await scene();
    at.log.create(sessionRow(OTHER), BINDING, null);
    const other = new LogWriter(() => at.log, OTHER);
    const order = () => at.log.rows(PROJECT, false).map(({ id }) => String(id));
    at.writer.write([], { lastActiveAt: "2026-01-02T00:00:00.000Z" });
    expect(order()).toEqual([SESSION, OTHER]);
    other.fill(1);
    expect(order()).toEqual([SESSION, OTHER]);
    other.write([], { lastActiveAt: "2026-01-03T00:00:00.000Z" });
    expect(order()).toEqual([OTHER, SESSION]);
  });

  it("TC-2.4a TC-2.5a archived sessions are hidden, after a restart too, and there when asked for", async () => {
    await using at = await scene();
    at.writer.write([{ type: "session:archived" }]);
    at.reopen();
    expect(at.log.rows(PROJECT, false)).toEqual([]);
    expect(at.log.rows(PROJECT, true)).toEqual([{ ...sessionRow(), archived: true }]);
    at.writer.write([{ type: "session:unarchived" }]);
    expect(at.log.rows(PROJECT, false)).toEqual([sessionRow()]);
  });
});
