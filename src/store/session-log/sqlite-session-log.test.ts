import { describe, expect, it } from "bun:test";
import { factsOf, idle, LogWriter, lateUpdate, running, update } from "../../../tests/core/log-writer.ts";
import { commandId, entryId, NOW, PROJECT, permissionId, SESSION } from "../../../tests/core/names.ts";
import { BINDING, openStore, sessionRow } from "../../../tests/core/open-store.ts";
import { assistantEntry, idsOf, toolEntry, userEntry } from "../../../tests/core/some-entries.ts";
import { SessionId } from "../../protocol/ids.ts";
import { EMPTY_SESSION } from "../../protocol/session-schema.ts";

async function scene() {
  const store = await openStore();
  await store.log.create(sessionRow(), BINDING, null);
  const writer = new LogWriter(() => store.log);
  return Object.assign(store, { writer });
}

const OTHER = SessionId.parse("builtin:session-2");

describe("SqliteSessionLog: facts", () => {
  it("[LOG-1] gives facts back as they were written, in order, with their numbers", async () => {
    await using at = await scene();
    await at.writer.write([running("t"), update(userEntry("u")), update(assistantEntry("a"))]);
    await at.writer.write([{ type: "session:chunk", entryId: entryId("a"), content: "ö\u2028😀" }, idle("t")]);
    for (const _ of ["from memory", "from disk"]) {
      const frames = await at.log.readAfter(SESSION, 0, 100);
      expect(factsOf(frames)).toEqual(at.writer.facts);
      expect(frames.map(({ seq, type }) => ({ seq, type }))).toEqual(
        at.writer.facts.map(({ seq, type }) => ({ seq, type })),
      );
      at.reopen();
    }
  });

  it("[LOG-2] reads strictly after a cursor, at most limit facts", async () => {
    await using at = await scene();
    await at.writer.fill(10);
    const read = async (after: number, limit: number) =>
      (await at.log.readAfter(SESSION, after, limit)).map(({ seq }) => seq);
    for (const _ of ["from memory", "from disk"]) {
      expect(await read(3, 4)).toEqual([4, 5, 6, 7]);
      expect(await read(8, 4)).toEqual([9, 10]);
      expect(await read(10, 4)).toEqual([]);
      expect(await read(99, 4)).toEqual([]);
      at.reopen();
    }
  });

  it("[LOG-2] numbers are a session's own; an unknown session has no facts and no state", async () => {
    await using at = await scene();
    await at.log.create(sessionRow(OTHER), BINDING, null);
    const other = new LogWriter(() => at.log, OTHER);
    await at.writer.fill(2);
    await other.fill(1);
    expect(factsOf(await at.log.readAfter(OTHER, 0, 9))).toEqual(other.facts);
    const unknown = SessionId.parse("builtin:nobody");
    expect(await at.log.readAfter(unknown, 0, 9)).toEqual([]);
    expect([await at.log.load(unknown), await at.log.row(unknown), await at.log.page(unknown, null, 9)]).toEqual([
      null,
      null,
      null,
    ]);
    expect(await at.log.canResume(unknown, 0)).toBe(false);
    expect(() => new LogWriter(() => at.log, unknown).fill(1)).toThrow("unknown session");
  });

  it("[LOG-3] a commit that fails in the middle changes nothing, in memory and on disk", async () => {
    await using at = await scene();
    await at.writer.writeTurn(userEntry("u"), assistantEntry("a", { messageId: "m" }));
    const look = async () => ({
      facts: factsOf(await at.log.readAfter(SESSION, 0, 100)),
      stored: await at.log.load(SESSION),
      page: await at.log.page(SESSION, null, 100),
      receipt: await at.log.receipt("command"),
      unfinished: await at.log.unfinished(),
    });
    const before = await look();
    const revised = assistantEntry("a", { content: "revised" });
    const failing = at.writer.prepare([lateUpdate(revised), running("t2"), update(userEntry("new"))]);
    const write = async () =>
      await at.log.commit(SESSION, {
        ...failing,
        // The entry is there already: the facts and the row before it are written by then.
        settled: [userEntry("new"), userEntry("u")],
        receipt: { commandId: "command", answer: "{}", at: NOW },
        binding: { ...BINDING, state: "crashed" },
      });
    expect(write).toThrow("UNIQUE");
    expect(await look()).toEqual(before);
    at.reopen();
    expect(await look()).toEqual(before);
    await at.writer.write([running("t2"), update(userEntry("new"))]);
    expect(factsOf(await at.log.readAfter(SESSION, 0, 100))).toEqual(at.writer.facts);
  });

  it("[LOG-3] the same number twice is refused, and the first fact stands", async () => {
    await using at = await scene();
    const first = at.writer.prepare([{ type: "session:archived" }]);
    await at.log.commit(SESSION, first);
    expect(async () => await at.log.commit(SESSION, at.writer.prepare([{ type: "session:unarchived" }]))).toThrow(
      "UNIQUE",
    );
    expect(factsOf(await at.log.readAfter(SESSION, 0, 9))).toEqual([...first.facts]);
  });
});

describe("SqliteSessionLog: receipts", () => {
  it("[LOG-4] a receipt is stored with its facts, survives a restart, and the first outcome stays", async () => {
    await using at = await scene();
    const receipt = { commandId: "c", answer: "first", at: NOW };
    await at.writer.write([{ type: "session:archived" }], { receipt });
    await at.log.saveReceipt({ ...receipt, answer: "second" });
    at.reopen();
    expect(await at.log.receipt("c")).toBe("first");
    expect(await at.log.receipt("other")).toBeNull();
  });

  it("[LOG-4] a session that could not be created leaves no receipt", async () => {
    await using at = await scene();
    const receipt = { commandId: "c", answer: "made", at: NOW };
    expect(async () => await at.log.create(sessionRow(), BINDING, receipt)).toThrow("UNIQUE");
    expect(await at.log.receipt("c")).toBeNull();
    await at.log.create(sessionRow(OTHER), BINDING, receipt);
    expect(await at.log.receipt("c")).toBe("made");
  });

  it("[LOG-4] only receipts from before the given time are dropped", async () => {
    await using at = await scene();
    for (const day of ["01", "02", "03"])
      await at.log.saveReceipt({ commandId: day, answer: day, at: `2026-01-${day}T00:00:00.000Z` });
    at.log.dropReceiptsBefore("2026-01-02T00:00:00.000Z");
    expect(await Promise.all(["01", "02", "03"].map((day) => at.log.receipt(day)))).toEqual([null, "02", "03"]);
  });
});

describe("SqliteSessionLog: coming back", () => {
  it("[LOG-5] a session without a fact comes back as it was created", async () => {
    await using at = await scene();
    expect(await at.log.load(SESSION)).toEqual({
      row: sessionRow(),
      binding: BINDING,
      continuation: { processId: null, lastLine: 0, cancelling: null, agentSeenAt: null },
      state: EMPTY_SESSION,
    });
  });

  it("[LOG-5] in the middle of a turn all that is open comes back, and nothing twice", async () => {
    await using at = await scene();
    await at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"));
    await at.writer.write([running("t2"), update(userEntry("u2")), update(toolEntry("c2"))]);
    await at.writer.write([
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
    expect((await at.log.load(SESSION))?.state).toEqual(at.writer.state);
    expect(at.writer.state.open.map(({ entryId: id }) => String(id))).toEqual(["u2", "c2"]);
    expect(idsOf((await at.log.page(SESSION, null, 9))?.entries ?? [])).toEqual(["u1", "a1"]);
    expect(await at.log.unfinished()).toEqual([SESSION]);
    expect(await at.log.row(SESSION)).toMatchObject({ title: "Named", turn: { state: "running" } });
  });

  it("[LOG-5] after its end a turn's entries are in the table, and the state is the small rest", async () => {
    await using at = await scene();
    await at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"));
    // One commit that ends a turn and begins the next, as a queue does.
    await at.writer.write([running("t2"), update(userEntry("u2")), idle("t2"), running("t3"), update(userEntry("u3"))]);
    at.reopen();
    expect((await at.log.load(SESSION))?.state).toEqual(at.writer.state);
    expect(idsOf(at.writer.state.open)).toEqual(["u3"]);
    expect(idsOf((await at.log.page(SESSION, null, 9))?.entries ?? [])).toEqual(["u1", "a1", "u2"]);
    await at.writer.write([idle("t3")]);
    at.reopen();
    expect((await at.log.load(SESSION))?.state).toEqual(at.writer.state);
    expect(await at.log.unfinished()).toEqual([]);
  });

  it("W-7 the agent's side comes back exactly as it was bound last", async () => {
    await using at = await scene();
    const binding = { ...BINDING, agentSessionId: "anew", cwd: "/exact/cwd/", state: "crashed" } as const;
    await at.writer.write([], { binding });
    at.reopen();
    expect((await at.log.load(SESSION))?.binding).toEqual(binding);
  });

  it("counts the user's messages of ended turns only, and knows the last of them", async () => {
    await using at = await scene();
    await at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"), userEntry("u2"));
    await at.writer.write([running("t2"), update(userEntry("u3"))]);
    expect(await at.log.userMessageCount(SESSION)).toBe(2);
    expect(await at.log.lastUserEntry(SESSION)).toEqual(userEntry("u2"));
  });

  it("keeps a draft, and none is the empty one", async () => {
    await using at = await scene();
    expect((await at.log.drafts.read(SESSION)).content).toBe("");
    await at.log.drafts.save(SESSION, "half a thought");
    at.reopen();
    expect((await at.log.drafts.read(SESSION)).content).toBe("half a thought");
  });
});

describe("SqliteSessionLog: lists", () => {
  it("TC-2.1b most recent activity first; a commit without activity moves nothing", async () => {
    await using at = await scene();
    await at.log.create(sessionRow(OTHER), BINDING, null);
    const other = new LogWriter(() => at.log, OTHER);
    const order = async () => (await at.log.rows(PROJECT, false)).map(({ id }) => String(id));
    await at.writer.write([], { lastActiveAt: "2026-01-02T00:00:00.000Z" });
    expect(await order()).toEqual([SESSION, OTHER]);
    await other.fill(1);
    expect(await order()).toEqual([SESSION, OTHER]);
    await other.write([], { lastActiveAt: "2026-01-03T00:00:00.000Z" });
    expect(await order()).toEqual([OTHER, SESSION]);
  });

  it("TC-2.4a TC-2.5a archived sessions are hidden, after a restart too, and there when asked for", async () => {
    await using at = await scene();
    await at.writer.write([{ type: "session:archived" }]);
    at.reopen();
    expect(await at.log.rows(PROJECT, false)).toEqual([]);
    expect(await at.log.rows(PROJECT, true)).toEqual([{ ...sessionRow(), archived: true }]);
    await at.writer.write([{ type: "session:unarchived" }]);
    expect(await at.log.rows(PROJECT, false)).toEqual([sessionRow()]);
  });
});
