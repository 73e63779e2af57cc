import { describe, expect, it } from "bun:test";
import type { Entry } from "../../src/protocol/entry.ts";
import { CliType, EntryId, ProjectId, SessionId } from "../../src/protocol/ids.ts";
import type { SearchRequest } from "../../src/protocol/search.ts";
import { lateUpdate } from "../core/log-writer.ts";
import { BUILTIN, NOW, PROJECT, SESSION } from "../core/names.ts";
import { assistantEntry, toolEntry, userEntry } from "../core/some-entries.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const NOW_MS = Date.parse(NOW);
const DAY_MS = 24 * 60 * 60 * 1000;

const thinking: Entry = { type: "thinking", entryId: EntryId.parse("th"), content: "I ponder the umbrella" };
const plan: Entry = {
  type: "plan",
  entryId: EntryId.parse("pl"),
  content: "",
  items: [{ content: "Paint the lighthouse", priority: "high", status: "pending" }],
};

async function scene(open: OpenStores) {
  const at = await openScene(open);
  const find = (query: string, filters: Partial<SearchRequest> = {}) =>
    at.stores.search.search({ query, ...filters }, NOW_MS);
  const found = async (query: string, filters: Partial<SearchRequest> = {}): Promise<string[]> =>
    (await find(query, filters)).map(({ entryId, kind }) => entryId ?? kind);
  return Object.assign(at, { find, found });
}

export function describeSearchIndex(name: string, open: OpenStores): void {
  describe(`${name}: SearchIndex, what can be found`, () => {
    it("[X-10] prompts, answers, thinking, plans, tool input and output, files and titles, from the commit on", async () => {
      await using at = await scene(open);
      const tool = toolEntry("to", {
        name: "Grep",
        status: "complete",
        input: { pattern: "needle_in_input", deep: { list: ["nestedword"] } },
        result: "matched haystack output",
        locations: [{ path: "/projects/demo/src/app.ts" }],
        parts: [{ type: "diff", path: "/projects/demo/docs/guide.md", oldText: null, newText: "freshly written" }],
      });
      await at.writer.writeTurn(
        userEntry("us", { content: "please refactor" }),
        thinking,
        tool,
        plan,
        assistantEntry("as", { content: "all **refactored**" }),
      );
      await at.writer.write([{ type: "session:title-updated", title: "Zebra crossing", source: "derived" }]);
      const cases = {
        umbrella: "th",
        lighthouse: "pl",
        needle_in_input: "to",
        nestedword: "to",
        haystack: "to",
        "guide.md": "to",
        freshly: "to",
        refactored: "as",
        zebra: "title",
      };
      for (const [query, id] of Object.entries(cases)) expect(await at.found(query), query).toEqual([id]);
      expect((await at.found("refactor")).toSorted()).toEqual(["as", "us"]);
      expect((await at.find("zebra"))[0]).toMatchObject({
        sessionId: SESSION,
        projectId: PROJECT,
        title: "Zebra crossing",
        cliType: BUILTIN,
        kind: "title",
        archived: false,
      });
      expect((await at.find("umbrella"))[0]?.snippet).toEqual([
        { text: "I ponder the ", hit: false },
        { text: "umbrella", hit: true },
      ]);
      await at.reopen();
      expect(await at.found("haystack")).toEqual(["to"]);
    });

    it("[X-10] words are all needed, in any case and without accents; the last may be a beginning; a phrase is a phrase", async () => {
      await using at = await scene(open);
      await at.writer.writeTurn(
        assistantEntry("a", { content: "The Café closes early" }),
        assistantEntry("b", { content: "early birds, closes late" }),
      );
      expect(await at.found("cafe EARLY")).toEqual(["a"]);
      expect((await at.found("closes ear")).toSorted()).toEqual(["a", "b"]);
      expect(await at.found("ear closes")).toEqual([]);
      expect(await at.found('"closes early"')).toEqual(["a"]);
      expect(await at.found("closes elephant")).toEqual([]);
    });

    it("[X-10] scripts without spaces, signs and emoji are found inside the text", async () => {
      await using at = await scene(open);
      await at.writer.writeTurn(
        assistantEntry("a", { content: "全文検索機能を作る index" }),
        assistantEntry("b", { content: "done 🎉 (a => b)" }),
      );
      expect(await at.found("検索")).toEqual(["a"]);
      expect(await at.found("検索 index")).toEqual(["a"]);
      expect(await at.found("検索 nothing")).toEqual([]);
      expect(await at.found("🎉")).toEqual(["b"]);
      expect(await at.found("=>")).toEqual(["b"]);
    });

    it("[X-10] nothing a user can type is an error", async () => {
      await using at = await scene(open);
      await at.writer.writeTurn(assistantEntry("a", { content: "plain words" }));
      const random = seededRandom("search input");
      const pieces = [
        '"',
        "'",
        "*",
        "(",
        ")",
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        "^",
        ":",
        "-",
        "+",
        "{",
        "}",
        "\\",
        "%",
        "_",
        "\0",
        "\uD800",
        "🎉",
        "plain",
        " ",
        "\n",
        ",",
        "語",
      ];
      for (let round = 0; round < 500; round += 1) {
        const query = Array.from({ length: random.between(0, 12) }, () => random.pick(pieces)).join("");
        expect(await at.find(query, { path: `${query}x` }), JSON.stringify(query)).toBeArray();
      }
      for (const query of ["", " ", "x".repeat(10_000), "word ".repeat(2_000), '"'.repeat(10_000)])
        expect(await at.find(query), query).toBeArray();
      expect(await at.found("")).toEqual([]);
    });

    it("[X-10] a late revision of an entry is found by its new words only", async () => {
      await using at = await scene(open);
      await at.writer.writeTurn(toolEntry("t", { status: "running", result: "halfway" }));
      await at.writer.write([lateUpdate(toolEntry("t", { status: "complete", result: "finished" }))]);
      expect([await at.found("halfway"), await at.found("finished")]).toEqual([[], ["t"]]);
    });
  });

  describe(`${name}: SearchIndex, which hits, in which order`, () => {
    it("[X-10] filters by project, agent, kind, time, file and archive; a removed project's sessions are not shown", async () => {
      await using at = await scene(open);
      const elsewhere = ProjectId.parse("elsewhere");
      await at.stores.projects.add({ id: elsewhere, path: "/else", name: "else", addedAt: NOW });
      const codex = SessionId.parse("codex:one");
      const second = await at.addSession(codex, { projectId: elsewhere, cliType: CliType.parse("codex") });
      await at.writer.writeTurn(
        userEntry("u1", { content: "kiwi", timestamp: "2026-01-01T10:00:00.000Z" }),
        toolEntry("t1", {
          status: "complete",
          result: "kiwi",
          input: { file_path: "src/a_b.ts" },
          startedAt: "2026-01-03T10:00:00.000Z",
        }),
      );
      await second.writeTurn(assistantEntry("a2", { content: "kiwi", timestamp: "2026-01-02T10:00:00.000Z" }));
      const found = async (filters: Partial<SearchRequest>) => (await at.found("kiwi", filters)).toSorted();
      expect(await found({})).toEqual(["a2", "t1", "u1"]);
      expect(await found({ projectId: elsewhere })).toEqual(["a2"]);
      expect(await found({ cliType: BUILTIN })).toEqual(["t1", "u1"]);
      expect(await found({ kinds: ["user", "assistant"] })).toEqual(["a2", "u1"]);
      expect(await found({ from: "2026-01-02" })).toEqual(["a2", "t1"]);
      expect(await found({ to: "2026-01-02" })).toEqual(["a2", "u1"]);
      expect(await found({ from: "2026-01-02T10:00:00Z", to: "2026-01-02T10:00:00Z" })).toEqual(["a2"]);
      expect(await found({ path: "a_b.ts" })).toEqual(["t1", "u1"]);
      expect(await found({ path: "aXb.ts" })).toEqual([]);
      expect(await at.found("", { path: "src/a" })).toEqual(["t1"]);
      expect(await found({ limit: 1 })).toHaveLength(1);
      await second.write([{ type: "session:archived" }]);
      expect(await found({})).toEqual(["t1", "u1"]);
      expect((await at.find("kiwi", { includeArchived: true, kinds: ["assistant"] }))[0]?.archived).toBe(true);
      await at.stores.projects.remove(elsewhere);
      expect(await found({ includeArchived: true })).toEqual(["t1", "u1"]);
    });

    it("[X-10] the better match comes first, of equal ones the newer, and a title before messages", async () => {
      await using at = await scene(open);
      const aged = (days: number) => new Date(NOW_MS - days * DAY_MS).toISOString();
      await at.writer.writeTurn(
        assistantEntry("new", { content: "mango is here", timestamp: aged(1) }),
        assistantEntry("old", { content: "mango is here", timestamp: aged(300) }),
        assistantEntry("best", { content: "mango mango mango", timestamp: aged(300) }),
        assistantEntry("none", { content: "something else entirely", timestamp: aged(1) }),
      );
      expect((await at.found("mango")).indexOf("new")).toBeLessThan((await at.found("mango")).indexOf("old"));
      expect((await at.found("mango")).indexOf("best")).toBeLessThan((await at.found("mango")).indexOf("old"));
      await at.writer.write([{ type: "session:title-updated", title: "Mango", source: "user" }]);
      expect((await at.found("mango"))[0]).toBe("title");
    });
  });

  describe(`${name}: SearchIndex, what was deleted`, () => {
    it("[X-10] a deleted session is found no more, by its words and by its title, and others are", async () => {
      await using at = await scene(open);
      const other = await at.addSession(SessionId.parse("builtin:other"));
      for (const each of [at.writer, other]) {
        await each.writeTurn(toolEntry("t", { status: "complete", result: "grapefruit", locations: [{ path: "/x" }] }));
        await each.write([{ type: "session:title-updated", title: "Pear", source: "user" }]);
      }
      await at.log.delete(SESSION, null);
      const sessions = async (query: string, filters: Partial<SearchRequest> = {}) =>
        (await at.find(query, filters)).map(({ sessionId }) => sessionId);
      for (const _ of ["at once", "when the store has cleaned up"]) {
        expect(await sessions("grapefruit")).toEqual([other.sessionId]);
        expect(await sessions("pear")).toEqual([other.sessionId]);
        expect(await sessions("", { path: "/x" })).toEqual([other.sessionId]);
        await at.settle();
      }
    });
  });
}
