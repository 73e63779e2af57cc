import { describe, expect, it } from "bun:test";
import { NO_CONTINUATION } from "../../src/ports/session-log.ts";
import type { FactBody } from "../../src/protocol/facts.ts";
import { SessionId } from "../../src/protocol/ids.ts";
import { reduceSession } from "../../src/protocol/reduce-session.ts";
import { EMPTY_SESSION, type SessionState } from "../../src/protocol/session-schema.ts";
import { factsOf, idle, LogWriter, lateUpdate, running, update } from "../core/log-writer.ts";
import {
  BINDING,
  commandId,
  elicitationId,
  entryId,
  NOW,
  PROJECT,
  permissionId,
  SESSION,
  sessionRow,
  turnId,
} from "../core/names.ts";
import { assistantEntry, idsOf, toolEntry, userEntry } from "../core/some-entries.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const OTHER = SessionId.parse("builtin:session-2");

/** How far back a reader may stand after turns have ended: what the product promises to keep. */
const KEPT_FACTS = 4_000;

export function describeSessionLog(name: string, open: OpenStores): void {
  describe(`${name}: SessionLog, facts`, () => {
    it("[LOG-1] gives facts back as they were written, in order, with their numbers", async () => {
      await using at = await openScene(open);
      await at.writer.write([running("t"), update(userEntry("u")), update(assistantEntry("a"))]);
      await at.writer.write([{ type: "session:chunk", entryId: entryId("a"), content: "ö\u2028😀" }, idle("t")]);
      for (const _ of ["from memory", "from disk"]) {
        const frames = await at.log.readAfter(SESSION, 0, 100);
        expect(factsOf(frames)).toEqual(at.writer.facts);
        expect(frames.map(({ seq, type }) => ({ seq, type }))).toEqual(
          at.writer.facts.map(({ seq, type }) => ({ seq, type })),
        );
        await at.reopen();
      }
    });

    it("[LOG-2] reads strictly after a cursor, at most limit facts", async () => {
      await using at = await openScene(open);
      await at.writer.fill(10);
      const read = async (after: number, limit: number) =>
        (await at.log.readAfter(SESSION, after, limit)).map(({ seq }) => seq);
      for (const _ of ["from memory", "from disk"]) {
        expect(await read(3, 4)).toEqual([4, 5, 6, 7]);
        expect(await read(8, 4)).toEqual([9, 10]);
        expect(await read(10, 4)).toEqual([]);
        expect(await read(99, 4)).toEqual([]);
        await at.reopen();
      }
    });

    it("[LOG-2] numbers are a session's own; an unknown session has no facts and no state", async () => {
      await using at = await openScene(open);
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
      await expect(new LogWriter(() => at.log, unknown).fill(1)).rejects.toThrow();
    });

    it("[LOG-3] a commit that fails in the middle changes nothing, in memory and on disk", async () => {
      await using at = await openScene(open);
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
      await expect(write()).rejects.toThrow();
      expect(await look()).toEqual(before);
      await at.reopen();
      expect(await look()).toEqual(before);
      await at.writer.write([running("t2"), update(userEntry("new"))]);
      expect(factsOf(await at.log.readAfter(SESSION, 0, 100))).toEqual(at.writer.facts);
    });

    it("[LOG-3] the same number twice is refused, and the first fact is kept", async () => {
      await using at = await openScene(open);
      const first = at.writer.prepare([{ type: "session:archived" }]);
      await at.log.commit(SESSION, first);
      await expect(at.log.commit(SESSION, at.writer.prepare([{ type: "session:unarchived" }]))).rejects.toThrow();
      expect(factsOf(await at.log.readAfter(SESSION, 0, 9))).toEqual([...first.facts]);
    });
  });

  describe(`${name}: SessionLog, receipts`, () => {
    it("[LOG-4] a receipt is stored with its facts, survives a restart, and the first outcome stays", async () => {
      await using at = await openScene(open);
      const receipt = { commandId: "c", answer: "first", at: NOW };
      await at.writer.write([{ type: "session:archived" }], { receipt });
      await at.log.saveReceipt({ ...receipt, answer: "second" });
      await at.reopen();
      expect(await at.log.receipt("c")).toBe("first");
      expect(await at.log.receipt("other")).toBeNull();
    });

    it("[LOG-4] a session that could not be created leaves no receipt", async () => {
      await using at = await openScene(open);
      const receipt = { commandId: "c", answer: "made", at: NOW };
      await expect(at.log.create(sessionRow(), BINDING, receipt)).rejects.toThrow();
      expect(await at.log.receipt("c")).toBeNull();
      await at.log.create(sessionRow(OTHER), BINDING, receipt);
      expect(await at.log.receipt("c")).toBe("made");
    });
  });

  describe(`${name}: SessionLog, coming back`, () => {
    it("[LOG-5] a session without a fact comes back as it was created", async () => {
      await using at = await openScene(open);
      expect(await at.log.load(SESSION)).toEqual({
        row: sessionRow(),
        binding: BINDING,
        continuation: { processId: null, lastLine: 0, cancelling: null, answers: [], agentSeenAt: null },
        state: EMPTY_SESSION,
      });
    });

    it("[LOG-5] in the middle of a turn all that is open comes back, and nothing twice", async () => {
      await using at = await openScene(open);
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
      await at.reopen();
      expect((await at.log.load(SESSION))?.state).toEqual(at.writer.state);
      expect(at.writer.state.open.map(({ entryId: id }) => String(id))).toEqual(["u2", "c2"]);
      expect(idsOf((await at.log.page(SESSION, null, 9))?.entries ?? [])).toEqual(["u1", "a1"]);
      expect(await at.log.unfinished()).toEqual([SESSION]);
      expect(await at.log.row(SESSION)).toMatchObject({ title: "Named", turn: { state: "running" } });
    });

    it("[LOG-5] after its end a turn's entries are in the table, and the state is the small rest", async () => {
      await using at = await openScene(open);
      await at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"));
      // One commit that ends a turn and begins the next, as a queue does.
      await at.writer.write([
        running("t2"),
        update(userEntry("u2")),
        idle("t2"),
        running("t3"),
        update(userEntry("u3")),
      ]);
      await at.reopen();
      expect((await at.log.load(SESSION))?.state).toEqual(at.writer.state);
      expect(idsOf(at.writer.state.open)).toEqual(["u3"]);
      expect(idsOf((await at.log.page(SESSION, null, 9))?.entries ?? [])).toEqual(["u1", "a1", "u2"]);
      await at.writer.write([idle("t3")]);
      await at.reopen();
      expect((await at.log.load(SESSION))?.state).toEqual(at.writer.state);
      expect(await at.log.unfinished()).toEqual([]);
    });

    it("W-7 the agent's side comes back exactly as it was bound last", async () => {
      await using at = await openScene(open);
      const binding = { ...BINDING, agentSessionId: "anew", cwd: "/exact/cwd/", state: "crashed" } as const;
      await at.writer.write([], { binding });
      await at.reopen();
      expect((await at.log.load(SESSION))?.binding).toEqual(binding);
    });

    it("counts the user's messages of ended turns only, and returns the last of them", async () => {
      await using at = await openScene(open);
      await at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"), userEntry("u2"));
      await at.writer.write([running("t2"), update(userEntry("u3"))]);
      expect(await at.log.userMessageCount(SESSION)).toBe(2);
      expect(await at.log.lastUserEntry(SESSION)).toEqual(userEntry("u2"));
    });

    it("gives the beginnings of the newest messages by their turns; of several in one turn the first", async () => {
      await using at = await openScene(open);
      const asked = (id: string, turn: string) => userEntry(id, { turnId: turnId(turn), content: `message ${id}` });
      await at.writer.writeTurn(asked("u1", "t1"), assistantEntry("a1"));
      await at.writer.writeTurn(asked("u2", "t2"), asked("u3", "t2"));
      await at.writer.write([running("t3"), update(asked("u4", "t3"))]);
      const read = (turnsMax: number, charsMax: number) => at.log.askedByTurn(SESSION, { turnsMax, charsMax });
      expect([...(await read(10, 9))].sort()).toEqual([
        [turnId("t1"), "message u"],
        [turnId("t2"), "message u"],
      ]);
      expect((await read(10, 99)).get(turnId("t2"))).toBe("message u2");
      expect((await read(2, 99)).has(turnId("t1"))).toBe(false);
    });

    it("keeps a draft, and none is the empty one; without attachments those of before stay", async () => {
      await using at = await openScene(open);
      expect(await at.log.drafts.read(SESSION)).toEqual({ content: "", attachments: [] });
      const attachments = [{ type: "text" as const, text: "attached" }];
      await at.log.drafts.save(SESSION, "half", attachments);
      await at.log.drafts.save(SESSION, "half a thought");
      await at.reopen();
      expect(await at.log.drafts.read(SESSION)).toEqual({ content: "half a thought", attachments });
      await at.log.drafts.save(SESSION, "", []);
      expect(await at.log.drafts.read(SESSION)).toEqual({ content: "", attachments: [] });
    });

    it("[LOG-5] the row has what the last commit says, among bursts of text, after a failed commit and after a deletion", async () => {
      await using at = await openScene(open);
      const organized = { pinned: true, labels: ["later"], dismissed: true };
      const organize: FactBody = { type: "session:organized", ...organized };
      const word: FactBody = { type: "session:chunk", entryId: entryId("a"), content: "word " };
      const bursts: readonly (readonly FactBody[])[] = [
        [running("t"), update(assistantEntry("a"))],
        [word, word],
        [organize],
        [word],
        [{ type: "session:archived" }, word],
        [word],
        [{ type: "session:title-updated", title: "Named", source: "user" }],
        [word],
        [idle("t")],
        [running("t2"), update(userEntry("b"))],
        [{ ...organize, pinned: false }],
        [idle("t2")],
      ];
      let lastLine = 0;
      for (const burst of bursts) {
        lastLine += 1;
        await at.writer.write(burst, { continuation: { ...NO_CONTINUATION, lastLine } });
        const { title, archived, turn, pinned, labels, dismissed } = at.writer.state;
        const shown = { title, archived, turn, pinned, labels, dismissed };
        expect(await at.log.row(SESSION)).toMatchObject(shown);
        expect(await at.log.load(SESSION)).toMatchObject({ continuation: { lastLine }, state: shown });
      }
      const first = at.writer.prepare([organize]);
      await expect(at.log.commit(SESSION, { ...first, settled: [userEntry("b")] })).rejects.toThrow();
      expect(await at.log.row(SESSION)).toMatchObject({ pinned: false });
      await at.writer.write([organize]);
      expect(await at.log.row(SESSION)).toMatchObject(organized);
      await at.log.delete(SESSION, null);
      const again = await at.addSession(SESSION);
      again.state = { ...at.writer.state, seq: 0 };
      await again.write([organize]);
      expect(await at.log.row(SESSION)).toMatchObject({ ...organized, title: "Named", archived: true });
    });

    it("the process an agent runs in, the last line that is stored, the turn to stop and answers come back", async () => {
      await using at = await openScene(open);
      const other = await at.addSession(OTHER);
      const continuation = {
        processId: "process-1",
        lastLine: 42,
        cancelling: turnId("t"),
        answers: [
          { elicitationId: elicitationId("e"), answer: { action: "accept" as const, content: { name: "Ada" } } },
        ],
        agentSeenAt: "2026-01-02T00:00:00.000Z",
      };
      await at.writer.write([running("t")], { continuation });
      await other.write([], { continuation, binding: { ...BINDING, state: "crashed" } });
      await at.reopen();
      expect((await at.log.load(SESSION))?.continuation).toEqual(continuation);
      // A crashed agent is attached to nothing.
      expect(await at.log.attachedTo("process-1")).toEqual([SESSION]);
      expect(await at.log.attachedTo("process-2")).toEqual([]);
    });

    it("how permissions were answered comes back by their ids", async () => {
      await using at = await openScene(open);
      const outcome = { outcome: "selected" as const, optionId: "yes" };
      await at.writer.write([{ type: "permission:resolved", permissionId: permissionId("p"), outcome }]);
      await at.reopen();
      expect([...(await at.log.permissionOutcomes(SESSION))]).toEqual([[permissionId("p"), outcome]]);
      expect((await at.log.permissionOutcomes(OTHER)).size).toBe(0);
    });
  });

  describe(`${name}: SessionLog, lists`, () => {
    it("TC-2.1b most recent activity first; a commit without activity moves nothing", async () => {
      await using at = await openScene(open);
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
      await using at = await openScene(open);
      await at.writer.write([{ type: "session:archived" }]);
      await at.reopen();
      expect(await at.log.rows(PROJECT, false)).toEqual([]);
      expect(await at.log.rows(PROJECT, true)).toEqual([{ ...sessionRow(), archived: true }]);
      await at.writer.write([{ type: "session:unarchived" }]);
      expect(await at.log.rows(PROJECT, false)).toEqual([sessionRow()]);
    });
  });

  describe(`${name}: SessionLog, what is kept for readers that come back`, () => {
    it("[LOG-6] ended turns are compacted to a window from which a reader can go on without a gap", async () => {
      await using at = await openScene(open);
      await at.writer.fill(KEPT_FACTS);
      expect(await at.log.canResume(SESSION, 0)).toBe(true);
      await at.writer.fill(1_500);
      const last = KEPT_FACTS + 1_500;
      expect(await at.log.canResume(SESSION, last - KEPT_FACTS - 1)).toBe(false);
      expect(await at.log.canResume(SESSION, last - KEPT_FACTS)).toBe(true);
      await at.reopen();
      expect(await at.log.canResume(SESSION, last - KEPT_FACTS)).toBe(true);
      const kept = await at.log.readAfter(SESSION, last - KEPT_FACTS, last);
      expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: KEPT_FACTS }, (_, at) => 1_501 + at));
      expect((await at.log.load(SESSION))?.state).toEqual(at.writer.state);
    });

    it("[LOG-6] a running turn is never compacted, however long: a restart needs every fact of it", async () => {
      await using at = await openScene(open);
      await at.writer.write([running("t"), update(userEntry("u")), update(assistantEntry("a", { content: "" }))]);
      const chunk = { type: "session:chunk", entryId: entryId("a"), content: "x" } as const;
      for (let round = 0; round < 3; round += 1) await at.writer.write(Array.from({ length: 2_000 }, () => chunk));
      expect(await at.log.canResume(SESSION, 0)).toBe(true);
      await at.reopen();
      expect((await at.log.load(SESSION))?.state.open[1]?.content).toHaveLength(6_000);
      await at.writer.write([idle("t")]);
      expect(await at.log.canResume(SESSION, 1)).toBe(false);
      expect((await at.log.page(SESSION, null, 1))?.entries[0]?.content).toHaveLength(6_000);
    });

    it("[LOG-7] a reader can resume from every number it can have seen, and from none that was never given", async () => {
      await using at = await openScene(open);
      const resumable = (seqs: number[]) => Promise.all(seqs.map((seq) => at.log.canResume(SESSION, seq)));
      expect(await resumable([0, 1])).toEqual([true, false]);
      await at.writer.fill(3);
      expect(await resumable([0, 1, 2, 3, 4])).toEqual([true, true, true, true, false]);
    });

    it("[LOG-10] memory and store return the same, and a live reader is served from memory", async () => {
      await using at = await openScene(open);
      const random = seededRandom("memory equals store");
      let answeredCount = 0;
      for (let round = 0; round < roundsOf(600); round += 1) {
        await at.writer.fill(random.between(1, 80));
        if (random.fraction() < 0.03) await at.reopen();
        const { seq } = at.writer.state;
        // Far back, near the end, at the end, beyond it; never before what is kept.
        const after = random.pick([seq, seq + 1, seq - 1, Math.max(0, seq - random.between(0, KEPT_FACTS))]);
        const limit = random.between(1, 300);
        const recent = at.log.recentAfter(SESSION, Math.max(0, after), limit);
        if (recent !== null) expect(recent).toEqual(await at.log.readAfter(SESSION, Math.max(0, after), limit));
        if (recent !== null && recent.length > 0) answeredCount += 1;
      }
      expect(answeredCount).toBeGreaterThan(0);
    });
  });

  describe(`${name}: SessionLog, pages`, () => {
    it("[LOG-8] the newest page first, then each page before the one that is known, without gap or overlap", async () => {
      await using at = await openScene(open);
      const all = Array.from({ length: 23 }, (_, index) => userEntry(`e${index}`));
      await at.writer.writeTurn(...all);
      for (const limit of [1, 5, 22, 23, 24]) {
        let known: readonly (typeof all)[number]["entryId"][] = [];
        let hasMore = true;
        while (hasMore) {
          const page = await at.log.page(SESSION, known[0] ?? null, limit);
          if (!page) throw new Error("a page before a known entry");
          expect(page.entries.length).toBeLessThanOrEqual(limit);
          known = [...page.entries.map((entry) => entry.entryId), ...known];
          hasMore = page.hasMore;
        }
        expect(known).toEqual(all.map((entry) => entry.entryId));
      }
    });

    it("[LOG-8] before the first entry there is an empty page; before an unknown one there is none", async () => {
      await using at = await openScene(open);
      expect(await at.log.page(SESSION, null, 10)).toEqual({ entries: [], hasMore: false });
      await at.writer.writeTurn(userEntry("first"));
      expect(await at.log.page(SESSION, entryId("first"), 10)).toEqual({ entries: [], hasMore: false });
      expect(await at.log.page(SESSION, entryId("nowhere"), 10)).toBeNull();
    });

    it("[LOG-8] a page stays sendable: it ends before it grows too large, and a single giant still fits one", async () => {
      await using at = await openScene(open);
      const giant = "x".repeat(3_000_000);
      const ids = ["g1", "g2", "g3", "g4", "g5"];
      for (const id of ids) await at.writer.writeTurn(assistantEntry(id, { content: giant }));
      const newest = await at.log.page(SESSION, null, 200);
      expect([idsOf(newest?.entries ?? []), newest?.hasMore]).toEqual([["g4", "g5"], true]);
      const older = await at.log.page(SESSION, entryId("g4"), 200);
      expect([idsOf(older?.entries ?? []), older?.hasMore]).toEqual([["g2", "g3"], true]);
      await at.writer.writeTurn(assistantEntry("g6", { content: giant.repeat(3) }));
      const alone = await at.log.page(SESSION, null, 200);
      expect([idsOf(alone?.entries ?? []), alone?.hasMore]).toEqual([["g6"], true]);
    });
  });

  describe(`${name}: SessionLog, settled entries`, () => {
    it("[LOG-9] finds one by the agent's own id of it; of several the newest", async () => {
      await using at = await openScene(open);
      await at.writer.writeTurn(
        toolEntry("c1", { toolCallId: "1", result: "old" }),
        assistantEntry("a1", { messageId: "m" }),
        assistantEntry("a2"),
      );
      await at.writer.writeTurn(toolEntry("c2", { toolCallId: "1", result: "new" }));
      const found = async (agentId: string) => (await at.log.settledByAgentId(SESSION, agentId))?.entryId ?? null;
      expect(await Promise.all(["1", "m", "a2", "nothing"].map(found))).toEqual([
        entryId("c2"),
        entryId("a1"),
        null,
        null,
      ]);
    });

    it("[LOG-9] an open entry is not among them until its turn ends", async () => {
      await using at = await openScene(open);
      await at.writer.write([running("t"), update(toolEntry("c", { toolCallId: "1" }))]);
      expect(await at.log.settledByAgentId(SESSION, "1")).toBeNull();
      await at.writer.write([idle("t")]);
      expect(await at.log.settledByAgentId(SESSION, "1")).toEqual(toolEntry("c", { toolCallId: "1" }));
    });

    it("[LOG-9] a late revision changes the entry in its place, for pages and for look-ups", async () => {
      await using at = await openScene(open);
      await at.writer.writeTurn(assistantEntry("a1", { messageId: "m" }), userEntry("u1"));
      const revised = assistantEntry("a1", { messageId: "m", content: "revised" });
      await at.writer.write([lateUpdate(revised)]);
      await at.reopen();
      expect((await at.log.page(SESSION, null, 9))?.entries).toEqual([revised, userEntry("u1")]);
      expect(await at.log.settledByAgentId(SESSION, "m")).toEqual(revised);
    });

    it("the log is complete: all facts folded are the entries of the table", async () => {
      await using at = await openScene(open);
      await at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"));
      await at.writer.writeTurn(userEntry("u2"), toolEntry("c2"));
      await at.writer.write([lateUpdate(toolEntry("c2", { status: "complete" }))]);
      const folded = at.writer.facts.reduce<SessionState>(reduceSession, EMPTY_SESSION);
      expect((await at.log.page(SESSION, null, 99))?.entries).toEqual([...folded.settled, ...folded.open]);
      expect(factsOf(await at.log.readAfter(SESSION, 0, 99))).toEqual(at.writer.facts);
    });
  });

  describe(`${name}: SessionLog, several sessions`, () => {
    it("[LOG-3] commits of several sessions at once are all stored; one that fails affects no other", async () => {
      await using at = await openScene(open);
      await at.writer.fill(1);
      const writers = await Promise.all(
        Array.from({ length: 5 }, (_, nth) => at.addSession(SessionId.parse(`builtin:beside-${nth}`))),
      );
      // The number 1 is taken in the session of the scene.
      const failing = new LogWriter(() => at.log, SESSION);
      const outcomes = await Promise.allSettled([
        ...writers.slice(0, 2).map((writer) => writer.fill(3)),
        failing.fill(1),
        ...writers.slice(2).map((writer) => writer.fill(3)),
      ]);
      expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, true, false, true, true, true]);
      await at.reopen();
      for (const writer of writers)
        expect(factsOf(await at.log.readAfter(writer.sessionId, 0, 9))).toEqual(writer.facts);
      expect(factsOf(await at.log.readAfter(SESSION, 0, 9))).toEqual(at.writer.facts);
    });

    it("no reader gets a fact before its commit is answered", async () => {
      await using at = await openScene(open);
      const seen: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const before = at.writer.state.seq;
        const written = at.writer.fill(2);
        seen.push(...(at.log.recentAfter(SESSION, before, 9) ?? []).map(({ seq }) => seq));
        await written;
      }
      expect(seen).toEqual([]);
      expect(await at.log.readAfter(SESSION, 0, 99)).toHaveLength(10);
    });

    it("a deleted session leaves nothing of its own, and its receipt", async () => {
      await using at = await openScene(open);
      const other = await at.addSession(OTHER);
      for (const writer of [at.writer, other])
        await writer.writeTurn(userEntry("u"), toolEntry("c", { toolCallId: "1" }));
      await at.log.drafts.save(SESSION, "half a thought");
      await at.stores.policies.write({ scope: "session", id: SESSION }, { mode: "all", rules: [] });
      await at.log.delete(SESSION, { commandId: "d", answer: "gone", at: NOW });
      for (const _ of ["at once", "after a restart"]) {
        expect([await at.log.row(SESSION), await at.log.load(SESSION), await at.log.page(SESSION, null, 9)]).toEqual([
          null,
          null,
          null,
        ]);
        expect([await at.log.readAfter(SESSION, 0, 9), at.log.recentAfter(SESSION, 0, 9) ?? []]).toEqual([[], []]);
        expect((await at.log.drafts.read(SESSION)).content).toBe("");
        expect((await at.stores.policies.read({ scope: "session", id: SESSION })).mode).toBeNull();
        expect(await at.log.receipt("d")).toBe("gone");
        expect((await at.log.rows(PROJECT, true)).map(({ id }) => id)).toEqual([OTHER]);
        expect(factsOf(await at.log.readAfter(OTHER, 0, 9))).toEqual(other.facts);
        await at.reopen();
      }
      await at.log.delete(SESSION, null);
      // Whatever names sessions inside, a new one inherits nothing.
      const again = await at.addSession(SESSION);
      expect((await at.log.load(SESSION))?.state).toEqual(EMPTY_SESSION);
      await again.fill(1);
      expect(factsOf(await at.log.readAfter(SESSION, 0, 9))).toEqual(again.facts);
    });
  });

  describe(`${name}: SessionLog, read or not`, () => {
    it("[X-11] a session is unread from unseen news until someone has read that far, over a restart", async () => {
      await using at = await openScene(open);
      const unread = async () => (await at.log.row(SESSION))?.unread;
      await at.writer.writeTurn(userEntry("u"));
      expect(await unread()).toBe(false);
      await at.writer.write([{ type: "session:unarchived" }], { attention: { seq: 4, isSeen: false } });
      await at.reopen();
      expect(await unread()).toBe(true);
      expect(await at.log.markSeen(SESSION, 3)).toBe(false);
      expect(await unread()).toBe(true);
      expect(await at.log.markSeen(SESSION, 9)).toBe(true);
      expect(await at.log.markSeen(SESSION, 9)).toBe(false);
      expect(await unread()).toBe(false);
      await at.writer.write([{ type: "session:unarchived" }], { attention: { seq: 10, isSeen: true } });
      expect(await unread()).toBe(false);
    });

    it("[X-40] the user calls a session unread or read, over a restart; that is no news, and showing it ends it", async () => {
      await using at = await openScene(open);
      const unread = async () => (await at.log.row(SESSION))?.unread;
      expect(await at.log.markUnread(SESSION, true)).toBe(true);
      expect(await at.log.markUnread(SESSION, true)).toBe(false);
      await at.reopen();
      expect(await unread()).toBe(true);
      expect(await at.stores.notices.attention(SESSION)).toMatchObject({ isUnread: false });
      expect(await at.log.markSeen(SESSION, 0)).toBe(true);
      expect(await unread()).toBe(false);
      await at.writer.write([{ type: "session:unarchived" }], { attention: { seq: 1, isSeen: false } });
      expect(await at.log.markUnread(SESSION, true)).toBe(false);
      expect(await at.log.markUnread(SESSION, false)).toBe(true);
      expect(await unread()).toBe(false);
    });

    it("[X-40] pins, labels and a dismissed failure come back with the row and with the state", async () => {
      await using at = await openScene(open);
      expect(await at.log.row(SESSION)).toMatchObject({ pinned: false, labels: [], dismissed: false });
      const order = { pinned: true, labels: ["later", "bug"], dismissed: true };
      await at.writer.write([{ type: "session:organized", ...order }]);
      await at.reopen();
      expect(await at.log.row(SESSION)).toMatchObject(order);
      expect((await at.log.load(SESSION))?.state).toMatchObject(order);
    });
  });

  describe(`${name}: SessionLog, texts`, () => {
    const ODD = "zero \u0000, half \ud83d, line \u2028, crown 👑, \"quoted\" 'ü'";

    it("[SC-12] odd characters come back as they were, in facts, entries, drafts and receipts", async () => {
      await using at = await openScene(open);
      const whole = ODD.toWellFormed();
      await at.writer.writeTurn(userEntry("u", { content: ODD }), toolEntry("c", { toolCallId: ODD, result: ODD }));
      await at.log.drafts.save(SESSION, whole, [{ type: "text", text: ODD }]);
      await at.log.saveReceipt({ commandId: "odd", answer: whole, at: NOW });
      await at.reopen();
      expect(factsOf(await at.log.readAfter(SESSION, 0, 9))).toEqual(at.writer.facts);
      expect((await at.log.page(SESSION, null, 9))?.entries.map(({ content }) => content)).toEqual([ODD, ""]);
      expect((await at.log.settledByAgentId(SESSION, ODD.toWellFormed()))?.entryId).toBe(entryId("c"));
      expect(await at.log.drafts.read(SESSION)).toEqual({ content: whole, attachments: [{ type: "text", text: ODD }] });
      expect(await at.log.receipt("odd")).toBe(whole);
    });

    it("a text too long for its entry is read in ranges, across the pieces in which it came", async () => {
      await using at = await openScene(open);
      const [first, second] = ["0123456789".repeat(60_000), `${"abcdefghij".repeat(30_000)}\ud83d`];
      const output = { entryId: entryId("c"), part: null };
      await at.writer.write([running("t"), update(toolEntry("c"))], {
        outputs: [{ ...output, start: 0, text: first }],
      });
      await at.writer.write([], { outputs: [{ ...output, start: first.length, text: second }] });
      await at.reopen();
      const whole = first + second;
      const read = (from: number, charsMax: number) => at.log.output(SESSION, { ...output, from, charsMax });
      const ranges = [
        [0, 10],
        [first.length - 5, 10],
        [262_140, 300_000],
        [whole.length - 3, 99],
        [whole.length + 1, 9],
      ] as const;
      for (const [from, charsMax] of ranges)
        expect(await read(from, charsMax)).toEqual({
          content: whole.slice(from, from + charsMax),
          totalChars: whole.length,
        });
      expect(await at.log.output(SESSION, { ...output, part: 0, from: 0, charsMax: 9 })).toBeNull();
      await at.writer.write([], { outputs: [{ ...output, start: 0, text: "anew" }] });
      expect(await read(0, 99)).toEqual({ content: "anew", totalChars: 4 });
    });

    it("messages of ended turns are returned in order, without other entries", async () => {
      await using at = await openScene(open);
      await at.writer.writeTurn(userEntry("u1"), toolEntry("c1"), assistantEntry("a1"));
      await at.writer.write([running("t2"), update(userEntry("u2"))]);
      expect(await at.log.said(SESSION)).toEqual([
        { type: "user", content: "said u1" },
        { type: "assistant", content: "told a1" },
      ]);
      expect(await at.log.settledEntry(SESSION, entryId("a1"))).toEqual(assistantEntry("a1"));
      expect(await at.log.settledEntry(SESSION, entryId("u2"))).toBeNull();
    });

    it("[LOG-8] a page until an entry ends with that one, and there is none for one that is unknown or newer", async () => {
      await using at = await openScene(open);
      await at.writer.writeTurn(...Array.from({ length: 9 }, (_, nth) => userEntry(`e${nth}`)));
      const until = async (before: string | null, last: string) => {
        const page = await at.log.page(SESSION, before === null ? null : entryId(before), 2, entryId(last));
        return page && { ids: idsOf(page.entries), hasMore: page.hasMore };
      };
      expect(await until(null, "e3")).toEqual({ ids: ["e3", "e4", "e5", "e6", "e7", "e8"], hasMore: true });
      expect(await until("e4", "e0")).toEqual({ ids: ["e0", "e1", "e2", "e3"], hasMore: false });
      expect([await until("e4", "e4"), await until("e4", "e7"), await until(null, "nowhere")]).toEqual([
        null,
        null,
        null,
      ]);
    });
  });
}
