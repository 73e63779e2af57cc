import { describe, expect, it } from "bun:test";
import type { NewBranch } from "../../src/ports/branch-store.ts";
import { CliType, SessionId } from "../../src/protocol/ids.ts";
import { EMPTY_CONFIG } from "../../src/protocol/session-parts.ts";
import { EMPTY_SESSION } from "../../src/protocol/session-schema.ts";
import { LogWriter } from "../core/log-writer.ts";
import { BINDING, BUILTIN, entryId, NOW, PROJECT, SESSION, sessionRow, turnId } from "../core/names.ts";
import { assistantEntry, idsOf, toolEntry, userEntry } from "../core/some-entries.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const BRANCH = SessionId.parse("builtin:branch");
const LONG = "line\n".repeat(100_000);

function newBranch(extra: Partial<NewBranch> = {}): NewBranch {
  return {
    row: {
      ...sessionRow(BRANCH),
      title: "Other way",
      origin: { kind: "branch", sessionId: SESSION, entryId: entryId("a1"), how: "primed" },
    },
    binding: { ...BINDING, agentSessionId: "fork", state: "idle" },
    state: { ...EMPTY_SESSION, title: "Other way", seq: 1 },
    ...{ source: SESSION, until: 2, pack: "what was said", agentSeenAt: null },
    receipt: { commandId: "branch", answer: "made", at: NOW },
    ...extra,
  };
}

/** Two turns, of which the second has a long output. */
async function scene(open: OpenStores) {
  const at = await openScene(open);
  const [first, second] = [turnId("one"), turnId("two")];
  await at.writer.writeTurn(
    userEntry("u1", { turnId: first }),
    assistantEntry("a1", { turnId: first, content: "the quokka" }),
  );
  await at.writer.writeTurn(
    userEntry("u2", { turnId: second }),
    toolEntry("t2", { turnId: second, status: "complete", result: "short", parentToolCallId: "above" }),
    assistantEntry("a2", { turnId: second }),
  );
  await at.writer.write([], {
    outputs: [{ entryId: entryId("t2"), part: null, start: 0, text: LONG }],
    packs: [{ entryId: entryId("u1"), content: "told before" }],
  });
  const idsIn = async (sessionId: SessionId) => idsOf((await at.log.page(sessionId, null, 99))?.entries ?? []);
  return Object.assign(at, { idsIn });
}

export function describeBranchStore(name: string, open: OpenStores): void {
  describe(`${name}: BranchStore, where a branch can start`, () => {
    it("CV-10 positions count settled entries, an entry has one, and a turn has its first and its last", async () => {
      await using at = await scene(open);
      const { branches } = at.stores;
      expect(await branches.lastPosition(SESSION)).toBe(5);
      expect(await branches.lastPosition(BRANCH)).toBe(0);
      expect(await branches.find(SESSION, entryId("a1"))).toMatchObject({
        position: 2,
        entry: { content: "the quokka" },
      });
      expect(await branches.find(SESSION, entryId("nowhere"))).toBeNull();
      expect(await branches.endOfTurn(SESSION, 1, turnId("one"))).toBe(2);
      expect(await branches.endOfTurn(SESSION, 3, turnId("two"))).toBe(5);
      expect(await branches.entryOfTurn(SESSION, turnId("two"))).toBe(entryId("u2"));
      expect(await branches.entryOfTurn(SESSION, turnId("running"))).toBeNull();
      expect(idsOf(await branches.entriesUpTo(SESSION, 4, 2))).toEqual(["u2", "t2"]);
      expect(await branches.firstMessage(SESSION)).toMatchObject({ entryId: entryId("u1") });
      expect(await branches.firstMessage(BRANCH)).toBeNull();
    });

    it("returns the context size that an agent of a kind reported last", async () => {
      await using at = await scene(open);
      const reported = (size: number) =>
        [{ type: "session:config", config: { ...EMPTY_CONFIG, usage: { used: 1, size } } }] as const;
      expect(await at.stores.branches.contextTokens(BUILTIN)).toBeNull();
      const other = await at.addSession(SessionId.parse("builtin:other"));
      await at.writer.write(reported(100), { lastActiveAt: "2026-01-02T00:00:00.000Z" });
      await other.write(reported(200), { lastActiveAt: "2026-01-03T00:00:00.000Z" });
      expect(await at.stores.branches.contextTokens(BUILTIN)).toBe(200);
      expect(await at.stores.branches.contextTokens(CliType.parse("codex"))).toBeNull();
    });
  });

  describe(`${name}: BranchStore, making one`, () => {
    it("CV-11 has the entries up to its point and continues from there, over a restart; its source is as before", async () => {
      await using at = await scene(open);
      const source = await at.log.load(SESSION);
      const facts = await at.log.readAfter(SESSION, 0, 99);
      const made = newBranch();
      await at.stores.branches.create(made);
      await at.reopen();
      expect(await at.idsIn(BRANCH)).toEqual(["u1", "a1"]);
      expect(await at.log.load(BRANCH)).toMatchObject({
        binding: made.binding,
        row: { ...made.row, title: "Other way" },
      });
      expect((await at.log.rows(PROJECT, false)).map(({ id }) => id)).toContain(BRANCH);
      expect(await at.log.receipt("branch")).toBe("made");
      // What its agent is told waits for the first message, and what the source was told came along.
      expect(await at.log.pack(BRANCH, entryId("u1"))).toBe("told before");
      const [, adopted] = [await at.log.canResume(BRANCH, 0), await at.log.canResume(BRANCH, 1)];
      expect(adopted).toBe(true);
      const writer = new LogWriter(() => at.log, BRANCH);
      writer.state = made.state;
      await writer.writeTurn(userEntry("u3", { context: { chars: 13, turns: 1, omitted: 0 } }));
      expect(await at.idsIn(BRANCH)).toEqual(["u1", "a1", "u3"]);
      expect(await at.log.pack(BRANCH, entryId("u3"))).toBe("what was said");
      expect(await at.log.load(SESSION)).toEqual(source);
      expect(await at.log.readAfter(SESSION, 0, 99)).toEqual(facts);
      expect(await at.idsIn(SESSION)).toEqual(["u1", "a1", "u2", "t2", "a2"]);
    });

    it("CV-11 long outputs come along, and a branch of nothing is empty", async () => {
      await using at = await scene(open);
      await at.stores.branches.create(newBranch({ until: 5 }));
      const range = { entryId: entryId("t2"), part: null, from: 499_990, charsMax: 99 };
      const whole = { content: LONG.slice(499_990), totalChars: LONG.length };
      expect(await at.log.output(BRANCH, range)).toEqual(whole);
      const empty = SessionId.parse("builtin:empty");
      const row = { ...sessionRow(empty), title: "Empty" };
      await at.stores.branches.create(newBranch({ row, until: 0, pack: null, receipt: null }));
      expect(await at.idsIn(empty)).toEqual([]);
      await at.log.delete(SESSION, null);
      expect(await at.log.output(BRANCH, range)).toEqual(whole);
    });

    it("CV-11 a long source is copied whole, and in order", async () => {
      await using at = await openScene(open);
      const entries = Array.from({ length: 4_100 }, (_, nth) => userEntry(`e${nth}`));
      await at.writer.writeTurn(...entries);
      await at.stores.branches.create(newBranch({ until: 4_099 }));
      const run = await at.stores.transfers.entriesAfter(BRANCH, 0, 5_000);
      expect(run).toEqual({ entries: entries.slice(0, 4_099), next: null });
    });

    it("one that could not be made is not there at all", async () => {
      await using at = await scene(open);
      await at.addSession(BRANCH, { title: "Taken" });
      await expect(at.stores.branches.create(newBranch())).rejects.toThrow();
      expect((await at.log.row(BRANCH))?.title).toBe("Taken");
      expect([await at.idsIn(BRANCH), await at.log.receipt("branch")]).toEqual([[], null]);
    });

    it("[X-10] its title is found, and what it inherited is found in its source until that is gone", async () => {
      await using at = await scene(open);
      await at.stores.branches.create(newBranch());
      await at.settle();
      const where = async (query: string) =>
        (await at.stores.search.search({ query }, Date.parse(NOW))).map(({ sessionId }) => sessionId);
      expect(await where("other way")).toEqual([BRANCH]);
      expect(await where("quokka")).toEqual([SESSION]);
      await at.log.delete(SESSION, null);
      await at.settle();
      expect(await where("quokka")).toEqual([BRANCH]);
    });
  });
}
