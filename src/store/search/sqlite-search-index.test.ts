import { describe, expect, it } from "bun:test";
import { lateUpdate } from "../../../tests/core/log-writer.ts";
import { BUILTIN, NOW, PROJECT, SESSION } from "../../../tests/core/names.ts";
import { addSession, NOW_MS, openSearch } from "../../../tests/core/search-scene.ts";
import { assistantEntry, toolEntry, userEntry } from "../../../tests/core/some-entries.ts";
import { seededRandom } from "../../../tests/support/seeded-random.ts";
import type { Entry } from "../../protocol/entry.ts";
import { CliType, EntryId, ProjectId, SessionId } from "../../protocol/ids.ts";
import type { SearchRequest } from "../../protocol/search.ts";
import { INDEXED_CHARS_MAX } from "./search-writer.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const thinking: Entry = { type: "thinking", entryId: EntryId.parse("th"), content: "I ponder the umbrella" };
const plan: Entry = {
  type: "plan",
  entryId: EntryId.parse("pl"),
  content: "",
  items: [{ content: "Paint the lighthouse", priority: "high", status: "pending" }],
};

describe("SqliteSearchIndex: what can be found", () => {
  it("[X-10] prompts, answers, thinking, plans, tool input and output, files and titles, from the commit on", async () => {
    await using at = await openSearch();
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
    for (const [query, id] of Object.entries(cases)) expect(at.found(query), query).toEqual([id]);
    expect(at.found("refactor").toSorted()).toEqual(["as", "us"]);
    expect(at.find("zebra")[0]).toMatchObject({
      sessionId: SESSION,
      projectId: PROJECT,
      title: "Zebra crossing",
      cliType: BUILTIN,
      kind: "title",
      archived: false,
    });
    expect(at.find("umbrella")[0]?.snippet).toEqual([
      { text: "I ponder the ", hit: false },
      { text: "umbrella", hit: true },
    ]);
    at.reopen();
    expect(at.found("haystack")).toEqual(["to"]);
  });

  it("[X-10] words are all needed, in any case and without accents; the last may be a beginning; a phrase is a phrase", async () => {
    await using at = await openSearch();
    await at.writer.writeTurn(
      assistantEntry("a", { content: "The Café closes early" }),
      assistantEntry("b", { content: "early birds, closes late" }),
    );
    expect(at.found("cafe EARLY")).toEqual(["a"]);
    expect(at.found("closes ear").toSorted()).toEqual(["a", "b"]);
    expect(at.found("ear closes")).toEqual([]);
    expect(at.found('"closes early"')).toEqual(["a"]);
    expect(at.found("closes elephant")).toEqual([]);
  });

  it("[X-10] scripts without spaces, signs and emoji are found inside the text", async () => {
    await using at = await openSearch();
    await at.writer.writeTurn(
      assistantEntry("a", { content: "全文検索機能を作る index" }),
      assistantEntry("b", { content: "done 🎉 (a => b)" }),
    );
    expect(at.found("検索")).toEqual(["a"]);
    expect(at.found("検索 index")).toEqual(["a"]);
    expect(at.found("検索 nothing")).toEqual([]);
    expect(at.found("🎉")).toEqual(["b"]);
    expect(at.found("=>")).toEqual(["b"]);
  });

  it("[X-10] nothing a user can type is an error", async () => {
    await using at = await openSearch();
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
      expect(() => at.find(query, { path: `${query}x` }), JSON.stringify(query)).not.toThrow();
    }
    for (const query of ["", " ", "x".repeat(10_000), "word ".repeat(2_000), '"'.repeat(10_000)])
      expect(() => at.find(query)).not.toThrow();
    expect(at.found("")).toEqual([]);
  });

  it("[X-10] of a very long text the beginning and the end can be found, and the index keeps no more than its limit", async () => {
    await using at = await openSearch();
    const long = `beginning ${"filler ".repeat(20_000)} middleword ${"filler ".repeat(20_000)} ending`;
    await at.writer.writeTurn(toolEntry("t", { status: "complete", result: long }));
    expect([at.found("beginning"), at.found("ending"), at.found("middleword")]).toEqual([["t"], ["t"], []]);
    const kept = at.db.prepare("SELECT max(length(text)) AS chars FROM search_index").get();
    expect(Number(kept?.["chars"])).toBeLessThanOrEqual(INDEXED_CHARS_MAX + 10);
  });

  it("[X-10] a late revision of an entry is found by its new words only", async () => {
    await using at = await openSearch();
    await at.writer.writeTurn(toolEntry("t", { status: "running", result: "halfway" }));
    await at.writer.write([lateUpdate(toolEntry("t", { status: "complete", result: "finished" }))]);
    expect([at.found("halfway"), at.found("finished")]).toEqual([[], ["t"]]);
  });
});

describe("SqliteSearchIndex: which hits, in which order", () => {
  it("[X-10] filters by project, agent, kind, time, file and archive; a removed project's sessions are not shown", async () => {
    await using at = await openSearch();
    const elsewhere = ProjectId.parse("elsewhere");
    at.projects.add({ id: elsewhere, path: "/else", name: "else", addedAt: NOW });
    const codex = SessionId.parse("codex:one");
    const second = await addSession(at, codex, { projectId: elsewhere, cliType: CliType.parse("codex") });
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
    const found = (filters: Partial<SearchRequest>) => at.found("kiwi", filters).toSorted();
    expect(found({})).toEqual(["a2", "t1", "u1"]);
    expect(found({ projectId: elsewhere })).toEqual(["a2"]);
    expect(found({ cliType: BUILTIN })).toEqual(["t1", "u1"]);
    expect(found({ kinds: ["user", "assistant"] })).toEqual(["a2", "u1"]);
    expect(found({ from: "2026-01-02" })).toEqual(["a2", "t1"]);
    expect(found({ to: "2026-01-02" })).toEqual(["a2", "u1"]);
    expect(found({ from: "2026-01-02T10:00:00Z", to: "2026-01-02T10:00:00Z" })).toEqual(["a2"]);
    expect(found({ path: "a_b.ts" })).toEqual(["t1", "u1"]);
    expect(found({ path: "aXb.ts" })).toEqual([]);
    expect(at.found("", { path: "src/a" })).toEqual(["t1"]);
    expect(found({ limit: 1 })).toHaveLength(1);
    await second.write([{ type: "session:archived" }]);
    expect(found({})).toEqual(["t1", "u1"]);
    expect(at.find("kiwi", { includeArchived: true, kinds: ["assistant"] })[0]?.archived).toBe(true);
    at.projects.remove(elsewhere);
    expect(found({ includeArchived: true })).toEqual(["t1", "u1"]);
  });

  it("[X-10] the better match comes first, of equal ones the newer, and a title before what was said", async () => {
    await using at = await openSearch();
    const aged = (days: number) => new Date(NOW_MS - days * DAY_MS).toISOString();
    await at.writer.writeTurn(
      assistantEntry("new", { content: "mango is here", timestamp: aged(1) }),
      assistantEntry("old", { content: "mango is here", timestamp: aged(300) }),
      assistantEntry("best", { content: "mango mango mango", timestamp: aged(300) }),
      assistantEntry("none", { content: "something else entirely", timestamp: aged(1) }),
    );
    expect(at.found("mango").indexOf("new")).toBeLessThan(at.found("mango").indexOf("old"));
    expect(at.found("mango").indexOf("best")).toBeLessThan(at.found("mango").indexOf("old"));
    await at.writer.write([{ type: "session:title-updated", title: "Mango", source: "user" }]);
    expect(at.found("mango")[0]).toBe("title");
  });
});
