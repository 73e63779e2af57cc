import { expect, it } from "bun:test";
import { openSearch } from "../../../tests/core/search-scene.ts";
import { toolEntry } from "../../../tests/core/some-entries.ts";
import { INDEXED_CHARS_MAX } from "./searchable-entry.ts";

it("[X-10] of a very long text the beginning and the end can be found, and the index keeps no more than its limit", async () => {
  await using at = await openSearch();
  const long = `beginning ${"filler ".repeat(20_000)} middleword ${"filler ".repeat(20_000)} ending`;
  await at.writer.writeTurn(toolEntry("t", { status: "complete", result: long }));
  expect([await at.found("beginning"), await at.found("ending"), await at.found("middleword")]).toEqual([
    ["t"],
    ["t"],
    [],
  ]);
  const kept = at.db.prepare("SELECT max(length(text)) AS chars FROM search_index").get();
  expect(Number(kept?.["chars"])).toBeLessThanOrEqual(INDEXED_CHARS_MAX + 10);
});
