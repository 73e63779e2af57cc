import { describe, expect, it, test } from "bun:test";
import { SearchHit } from "../../protocol/search.ts";
import { LatestAnswer } from "../controls/latest-answer.ts";
import { groupHits, NO_WISH, searchRequest } from "./search-query.ts";

describe("searchRequest", () => {
  it("[X-10] sends no request without words or a file, and only the filters that are set", () => {
    expect(searchRequest({ ...NO_WISH, query: "  ", kind: 2 })).toBeNull();
    expect(searchRequest({ ...NO_WISH, query: " a b " })).toEqual({ type: "search", query: "a b", limit: 50 });
    expect(searchRequest({ ...NO_WISH, path: "x.ts", kind: 2, includeArchived: true })).toEqual({
      type: "search",
      query: "",
      limit: 50,
      kinds: ["user"],
      path: "x.ts",
      includeArchived: true,
    });
  });

  it("[X-10] days are whole days in the user's time zone", () => {
    const request = searchRequest({ ...NO_WISH, query: "a", from: "2026-03-01", to: "2026-03-01" });
    expect(Date.parse(request?.to ?? "") - Date.parse(request?.from ?? "")).toBe(24 * 60 * 60 * 1000 - 1);
  });
});

test("[X-10] an answer to an older query changes nothing", async () => {
  const latest = new LatestAnswer();
  const shown: string[] = [];
  const slow = Promise.withResolvers<string>();
  const first = latest.ask(
    () => slow.promise,
    (value) => shown.push(value),
  );
  await latest.ask(
    async () => "new",
    (value) => shown.push(value),
  );
  slow.resolve("old");
  await first;
  expect(shown).toEqual(["new"]);
  const late = Promise.withResolvers<string>();
  const second = latest.ask(
    () => late.promise,
    (value) => shown.push(value),
  );
  latest.forget();
  late.resolve("unwanted");
  await second;
  expect(shown).toEqual(["new"]);
});

test("[X-10] results are grouped by session, the session with the best hit first", () => {
  const hit = (sessionId: string, entryId: string) =>
    SearchHit.parse({
      sessionId,
      entryId,
      projectId: "p",
      title: "t",
      cliType: "builtin",
      archived: false,
      kind: "user",
      snippet: [],
    });
  const hits = [hit("builtin:b", "1"), hit("builtin:a", "2"), hit("builtin:b", "3")];
  expect(groupHits(hits).map(({ first, hits: own }) => [first.sessionId, own.length] as const)).toEqual([
    [hits[0]?.sessionId, 2],
    [hits[1]?.sessionId, 1],
  ] as never);
});
