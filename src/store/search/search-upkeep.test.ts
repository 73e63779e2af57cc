import { describe, expect, it } from "bun:test";
import { SESSION } from "../../../tests/core/names.ts";
import { addSession, openSearch } from "../../../tests/core/search-scene.ts";
import { assistantEntry, toolEntry } from "../../../tests/core/some-entries.ts";
import { SessionId } from "../../protocol/ids.ts";
import { EMPTY_SESSION } from "../../protocol/session-schema.ts";
import { SqliteTransferStore } from "../sqlite-transfer-store.ts";

const OTHER = SessionId.parse("builtin:other");

describe("SqliteSearchIndex: what is deleted, and what was there before", () => {
  it("[X-10] a deleted session leaves no row anywhere, and no other session loses one", async () => {
    await using at = await openSearch();
    const other = await addSession(at, OTHER);
    for (const each of [at.writer, other]) {
      await each.writeTurn(toolEntry("t", { status: "complete", result: "grapefruit", locations: [{ path: "/x" }] }));
      await each.write([{ type: "session:title-updated", title: "Pear", source: "user" }]);
    }
    await at.log.delete(SESSION, null);
    for (const [table, count] of Object.entries({
      session: 1,
      entry: 1,
      search_text: 2,
      search_index: 2,
      search_file: 1,
    }))
      expect(at.rowsOf(table), table).toBe(count);
    const again = await addSession(at, SessionId.parse("builtin:third"));
    await again.writeTurn(assistantEntry("n", { content: "new words" }));
    expect((await at.find("grapefruit")).map(({ sessionId }) => sessionId)).toEqual([OTHER]);
  });

  it("[X-10] what a very long deleted session leaves is never found again and is swept in small steps", async () => {
    await using at = await openSearch();
    await at.writer.writeTurn(
      ...Array.from({ length: 900 }, (_, index) => assistantEntry(`a${index}`, { content: "plum" })),
    );
    await at.log.delete(SESSION, null);
    const next = await addSession(at, OTHER);
    await next.writeTurn(assistantEntry("mine", { content: "quince" }));
    expect(await at.found("plum")).toEqual([]);
    expect(at.rowsOf("search_text")).toBe(401);
    at.reopen();
    while (at.backlog.step());
    expect([at.rowsOf("search_text"), at.rowsOf("search_index")]).toEqual([1, 1]);
    expect(await at.found("quince")).toEqual(["mine"]);
  });

  it("[X-10] a database from before the index is read in small steps, newest first, and over a restart in the middle", async () => {
    await using at = await openSearch();
    await at.writer.write([{ type: "session:title-updated", title: "Ancient", source: "user" }]);
    await at.writer.writeTurn(
      ...Array.from({ length: 120 }, (_, index) => assistantEntry(`old${index}`, { content: `apricot ${index}` })),
    );
    at.db.exec("DELETE FROM search_text; DELETE FROM search_index; DELETE FROM search_file");
    at.db.exec("INSERT INTO search_backlog (session_key, before_position) SELECT key, next_position FROM session");
    expect(at.backlog.progress).toEqual({ entriesLeft: 120, textsIndexed: 0 });
    expect(at.backlog.step()).toBe(true);
    expect([await at.found("apricot 119"), await at.found("apricot 0"), await at.found("ancient")]).toEqual([
      ["old119"],
      [],
      ["title"],
    ]);
    await at.writer.writeTurn(assistantEntry("fresh", { content: "apricot fresh" }));
    at.reopen();
    while (at.backlog.step());
    expect(at.backlog.progress).toEqual({ entriesLeft: 0, textsIndexed: 122 });
    expect(await at.found('"apricot 0"')).toEqual(["old0"]);
    expect(at.rowsOf("search_index")).toBe(122);
    const newest = at.db
      .prepare("SELECT entry_id FROM search_text WHERE kind <> 'title' ORDER BY key DESC LIMIT 2")
      .all();
    expect(newest.map((row) => String(row["entry_id"]))).toEqual(["fresh", "old119"]);
  });
});

describe("SqliteTransferStore: what comes in whole", () => {
  it("[X-10] [X-12] a long session is read by the search in small steps, newest first, and a short one at once", async () => {
    await using at = await openSearch();
    const store = new SqliteTransferStore(at.db, at.log);
    const adopt = async (id: string, count: number, word: string) => {
      const row = await at.log.row(SESSION);
      const stored = await at.log.load(SESSION);
      if (!row || !stored) throw new Error("the scene has a session");
      await store.adopt({
        row: { ...row, id: SessionId.parse(id) },
        binding: { ...stored.binding, agentSessionId: id },
        state: { ...EMPTY_SESSION, seq: 1 },
        entries: Array.from({ length: count }, (_, nth) =>
          assistantEntry(`${word}${nth}`, { content: `${word} ${nth}` }),
        ),
        digest: null,
      });
    };
    await adopt("builtin:short", 3, "medlar");
    expect([await at.found('"medlar 0"'), at.backlog.progress.entriesLeft]).toEqual([["medlar0"], 0]);
    await adopt("builtin:long", 201, "sorb");
    expect([await at.found('"sorb 200"'), at.backlog.progress.entriesLeft]).toEqual([[], 201]);
    expect(at.backlog.step()).toBe(true);
    expect([await at.found('"sorb 200"'), await at.found('"sorb 0"')]).toEqual([["sorb200"], []]);
    while (at.backlog.step());
    expect([await at.found('"sorb 0"'), at.backlog.progress.entriesLeft]).toEqual([["sorb0"], 0]);
  });
});
