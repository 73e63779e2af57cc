import { describe, expect, it } from "bun:test";
import { factsOf, idle, LogWriter, lateUpdate, running, update } from "../../../tests/core/log-writer.ts";
import { entryId, SESSION } from "../../../tests/core/names.ts";
import { BINDING, openStore, sessionRow } from "../../../tests/core/open-store.ts";
import { assistantEntry, idsOf, toolEntry, userEntry } from "../../../tests/core/some-entries.ts";
import { roundsOf, seededRandom } from "../../../tests/support/seeded-random.ts";
import { reduceSession } from "../../protocol/reduce-session.ts";
import { EMPTY_SESSION, type SessionState } from "../../protocol/session-schema.ts";
import { SqliteSessionLog } from "./sqlite-session-log.ts";

async function scene() {
  const store = await openStore();
  await store.log.create(sessionRow(), BINDING, null);
  const writer = new LogWriter(() => store.log);
  return Object.assign(store, { writer });
}

/** How far back a reader may stand after turns have ended: what the product promises to keep. */
const KEPT_FACTS = 4_000;

describe("SqliteSessionLog: what is kept for readers that come back", () => {
  it("[LOG-6] ended turns are compacted to a window from which a reader can go on without a gap", async () => {
    await using at = await scene();
    await at.writer.fill(KEPT_FACTS);
    expect(await at.log.canResume(SESSION, 0)).toBe(true);
    await at.writer.fill(1_500);
    const last = KEPT_FACTS + 1_500;
    expect(await at.log.canResume(SESSION, last - KEPT_FACTS - 1)).toBe(false);
    expect(await at.log.canResume(SESSION, last - KEPT_FACTS)).toBe(true);
    at.reopen();
    expect(await at.log.canResume(SESSION, last - KEPT_FACTS)).toBe(true);
    const kept = await at.log.readAfter(SESSION, last - KEPT_FACTS, last);
    expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: KEPT_FACTS }, (_, at) => 1_501 + at));
    expect((await at.log.load(SESSION))?.state).toEqual(at.writer.state);
  });

  it("[LOG-6] a running turn is never compacted, however long: a restart needs every fact of it", async () => {
    await using at = await scene();
    await at.writer.write([running("t"), update(userEntry("u")), update(assistantEntry("a", { content: "" }))]);
    const chunk = { type: "session:chunk", entryId: entryId("a"), content: "x" } as const;
    for (let round = 0; round < 3; round += 1) await at.writer.write(Array.from({ length: 2_000 }, () => chunk));
    expect(await at.log.canResume(SESSION, 0)).toBe(true);
    at.reopen();
    expect((await at.log.load(SESSION))?.state.open[1]?.content).toHaveLength(6_000);
    await at.writer.write([idle("t")]);
    expect(await at.log.canResume(SESSION, 1)).toBe(false);
    expect((await at.log.page(SESSION, null, 1))?.entries[0]?.content).toHaveLength(6_000);
  });

  it("[LOG-7] a reader can resume from every number it can have seen, and from none that was never given", async () => {
    await using at = await scene();
    const resumable = (seqs: number[]) => Promise.all(seqs.map((seq) => at.log.canResume(SESSION, seq)));
    expect(await resumable([0, 1])).toEqual([true, false]);
    await at.writer.fill(3);
    expect(await resumable([0, 1, 2, 3, 4])).toEqual([true, true, true, true, false]);
  });

  it("[LOG-10] what memory answers is what the disk would answer", async () => {
    await using at = await scene();
    const random = seededRandom("frame cache equals disk");
    const compare = async (after: number, limit: number) => {
      const fresh = new SqliteSessionLog(at.db);
      expect(await at.log.readAfter(SESSION, after, limit)).toEqual(await fresh.readAfter(SESSION, after, limit));
    };
    for (let round = 0; round < roundsOf(600); round += 1) {
      await at.writer.fill(random.between(1, 80));
      if (random.fraction() < 0.03) at.reopen();
      const { seq } = at.writer.state;
      // Far back, near the end, at the end, beyond it; never before what is kept.
      const after = random.pick([seq, seq + 1, seq - 1, Math.max(0, seq - random.between(0, KEPT_FACTS))]);
      await compare(Math.max(0, after), random.between(1, 300));
    }
  });
});

describe("SqliteSessionLog: pages", () => {
  it("[LOG-8] the newest page first, then each page before the one that is known, without gap or overlap", async () => {
    await using at = await scene();
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
    await using at = await scene();
    expect(await at.log.page(SESSION, null, 10)).toEqual({ entries: [], hasMore: false });
    await at.writer.writeTurn(userEntry("first"));
    expect(await at.log.page(SESSION, entryId("first"), 10)).toEqual({ entries: [], hasMore: false });
    expect(await at.log.page(SESSION, entryId("nowhere"), 10)).toBeNull();
  });

  it("[LOG-8] a page stays sendable: it ends before it grows too large, and a single giant still fits one", async () => {
    await using at = await scene();
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

describe("SqliteSessionLog: settled entries", () => {
  it("[LOG-9] finds one by the agent's own id of it; of several the newest", async () => {
    await using at = await scene();
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
    await using at = await scene();
    await at.writer.write([running("t"), update(toolEntry("c", { toolCallId: "1" }))]);
    expect(await at.log.settledByAgentId(SESSION, "1")).toBeNull();
    await at.writer.write([idle("t")]);
    expect(await at.log.settledByAgentId(SESSION, "1")).toEqual(toolEntry("c", { toolCallId: "1" }));
  });

  it("[LOG-9] a late revision changes the entry in its place, for pages and for look-ups", async () => {
    await using at = await scene();
    await at.writer.writeTurn(assistantEntry("a1", { messageId: "m" }), userEntry("u1"));
    const revised = assistantEntry("a1", { messageId: "m", content: "revised" });
    await at.writer.write([lateUpdate(revised)]);
    at.reopen();
    expect((await at.log.page(SESSION, null, 9))?.entries).toEqual([revised, userEntry("u1")]);
    expect(await at.log.settledByAgentId(SESSION, "m")).toEqual(revised);
  });

  it("the log alone tells the whole story: all facts folded are the entries of the table", async () => {
    await using at = await scene();
    await at.writer.writeTurn(userEntry("u1"), assistantEntry("a1"));
    await at.writer.writeTurn(userEntry("u2"), toolEntry("c2"));
    await at.writer.write([lateUpdate(toolEntry("c2", { status: "complete" }))]);
    const folded = at.writer.facts.reduce<SessionState>(reduceSession, EMPTY_SESSION);
    expect((await at.log.page(SESSION, null, 99))?.entries).toEqual([...folded.settled, ...folded.open]);
    expect(factsOf(await at.log.readAfter(SESSION, 0, 99))).toEqual(at.writer.facts);
  });
});
