import { describe, expect, it } from "bun:test";
import type { Adoption } from "../../src/ports/transfer-store.ts";
import { CliType, ProjectId, SessionId } from "../../src/protocol/ids.ts";
import { EMPTY_SESSION } from "../../src/protocol/session-schema.ts";
import { LogWriter } from "../core/log-writer.ts";
import { BINDING, BUILTIN, entryId, NOW, PROJECT, SESSION, sessionRow } from "../core/names.ts";
import { assistantEntry, idsOf, toolEntry, userEntry } from "../core/some-entries.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const ADOPTED = SessionId.parse("builtin:adopted");
const CODEX = CliType.parse("codex");

function adoption(extra: Partial<Adoption> = {}): Adoption {
  return {
    row: { ...sessionRow(ADOPTED), title: "From elsewhere" },
    binding: { ...BINDING, agentSessionId: "elsewhere", state: "idle", adopted: true },
    state: { ...EMPTY_SESSION, title: "From elsewhere", seq: 7 },
    entries: [userEntry("u"), assistantEntry("a")],
    digest: null,
    ...extra,
  };
}

export function describeTransferStore(name: string, open: OpenStores): void {
  describe(`${name}: TransferStore`, () => {
    it("X-12 an imported session is complete, over a restart, and continues from its number", async () => {
      await using at = await openScene(open);
      const given = adoption();
      expect(await at.stores.transfers.adopt(given)).toBe(true);
      await at.reopen();
      const stored = await at.log.load(ADOPTED);
      expect(stored).toMatchObject({ binding: given.binding, state: given.state });
      expect(stored?.continuation.agentSeenAt).toBe(given.binding.since);
      expect((await at.log.page(ADOPTED, null, 9))?.entries).toEqual([...given.entries]);
      expect((await at.log.rows(PROJECT, false)).map(({ title }) => title)).toContain("From elsewhere");
      // The facts it was made of are not kept: an older cursor gets all of it.
      expect([await at.log.canResume(ADOPTED, 6), await at.log.canResume(ADOPTED, 7)]).toEqual([false, true]);
      const writer = new LogWriter(() => at.log, ADOPTED);
      writer.state = given.state;
      await writer.writeTurn(userEntry("next"));
      expect(idsOf((await at.log.page(ADOPTED, null, 9))?.entries ?? [])).toEqual(["u", "a", "next"]);
    });

    it("X-12 an agent session is adopted once, and one that could not be stored leaves nothing", async () => {
      await using at = await openScene(open);
      const { transfers } = at.stores;
      const known = adoption({ binding: { ...BINDING, state: "idle" } });
      expect(await transfers.adopt(known)).toBe(false);
      expect(await at.log.row(ADOPTED)).toBeNull();
      const failing = adoption({ entries: [userEntry("twice"), userEntry("twice")], digest: "digest" });
      await expect(transfers.adopt(failing)).rejects.toThrow();
      expect([await at.log.row(ADOPTED), await transfers.importedAs(PROJECT, "digest")]).toEqual([null, null]);
      expect(await transfers.isKnown(BUILTIN, "elsewhere")).toBe(false);
      expect(await transfers.adopt(adoption())).toBe(true);
      expect(await transfers.adopt(adoption({ row: sessionRow(SessionId.parse("builtin:again")) }))).toBe(false);
    });

    it("X-12 every agent session that ever was behind a session is known; that of a deleted one is forgotten", async () => {
      await using at = await openScene(open);
      await at.writer.write([], { binding: { ...BINDING, agentSessionId: "second" } });
      await at.addSession(SessionId.parse("codex:other"), { cliType: CODEX });
      await at.reopen();
      const known = async (cliType: CliType) => [...(await at.stores.transfers.knownAgentSessions(cliType))].toSorted();
      const forgotten = async () => [...(await at.stores.transfers.forgottenAgentSessions(BUILTIN))].toSorted();
      const mine = [BINDING.agentSessionId, "second"];
      expect(await known(BUILTIN)).toEqual(mine);
      expect(await known(CODEX)).toEqual(["agent of codex:other"]);
      expect(await at.stores.transfers.isKnown(BUILTIN, BINDING.agentSessionId)).toBe(true);
      expect(await at.stores.transfers.isKnown(CODEX, BINDING.agentSessionId)).toBe(false);
      expect(await forgotten()).toEqual([]);
      await at.log.delete(SESSION, null);
      expect([await known(BUILTIN), await forgotten()]).toEqual([[], mine]);
      expect(await at.stores.transfers.adopt(adoption({ binding: { ...BINDING, state: "idle" } }))).toBe(true);
    });

    it("X-12 a file is known by its digest, in the project it was read into, as long as its session is there", async () => {
      await using at = await openScene(open);
      const other = ProjectId.parse("project-2");
      await at.stores.projects.add({ id: other, path: "/other", name: "other", addedAt: NOW });
      await at.stores.transfers.adopt(adoption({ digest: "digest" }));
      await at.reopen();
      const importedAs = (projectId: ProjectId, digest: string) => at.stores.transfers.importedAs(projectId, digest);
      expect(await importedAs(PROJECT, "digest")).toBe(ADOPTED);
      expect([await importedAs(other, "digest"), await importedAs(PROJECT, "another")]).toEqual([null, null]);
      await at.log.delete(ADOPTED, null);
      expect(await importedAs(PROJECT, "digest")).toBeNull();
    });

    it("X-12 settled entries go out from the oldest on, in runs without gap or overlap", async () => {
      await using at = await openScene(open);
      const all = Array.from({ length: 23 }, (_, nth) => userEntry(`e${nth}`));
      await at.writer.writeTurn(...all.slice(0, 9));
      await at.writer.writeTurn(...all.slice(9));
      for (const limit of [1, 5, 22, 23, 24]) {
        const read: string[] = [];
        for (let position: number | null = 0; position !== null; ) {
          const run = await at.stores.transfers.entriesAfter(SESSION, position, limit);
          expect(run.entries.length).toBeLessThanOrEqual(limit);
          read.push(...idsOf(run.entries));
          position = run.next;
        }
        expect(read).toEqual(idsOf(all));
      }
      expect(await at.stores.transfers.entriesAfter(ADOPTED, 0, 9)).toEqual({ entries: [], next: null });
    });

    it("X-12 a long output is taken out of its entry, and read like one that was created here", async () => {
      await using at = await openScene(open);
      const result = "line\n".repeat(100_000);
      await at.stores.transfers.adopt(adoption({ entries: [toolEntry("c", { status: "complete", result })] }));
      const [entry] = (await at.log.page(ADOPTED, null, 9))?.entries ?? [];
      expect(entry).toMatchObject({ truncated: { totalChars: result.length } });
      const range = { entryId: entryId("c"), part: null, from: 499_990, charsMax: 99 };
      expect(await at.log.output(ADOPTED, range)).toEqual({
        content: result.slice(499_990),
        totalChars: result.length,
      });
    });

    it("[X-10] X-12 what comes in whole is found by its words, a long one when the store has read it", async () => {
      await using at = await openScene(open);
      const entries = Array.from({ length: 300 }, (_, nth) => assistantEntry(`s${nth}`, { content: `sorb ${nth}` }));
      await at.stores.transfers.adopt(adoption({ entries }));
      await at.settle();
      for (const nth of [0, 299]) {
        const hits = await at.stores.search.search({ query: `"sorb ${nth}"` }, Date.parse(NOW));
        expect(hits.map((hit) => hit.entryId)).toEqual([entryId(`s${nth}`)]);
      }
    });
  });
}
