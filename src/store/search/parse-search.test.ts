import { describe, expect, it } from "bun:test";
import { parseSearch } from "./sqlite-search-index.ts";

describe("parseSearch", () => {
  it.each([
    ["words, the last one a beginning", "fix Parser", '"fix" "Parser"*', []],
    ["a phrase as it stands", 'say "not found" now', '"say" "not found" "now"*', []],
    ["a phrase at the end is whole", '"not found"', '"not found"', []],
    ["a quote that is never closed", '"not fou', '"not fou"', []],
    ["operators are words", "a AND NOT b* OR (c) NEAR ^d:", '"a" "AND" "NOT" "b*" "OR" "(c)" "NEAR" "^d:"', []],
    ["a single letter is a word, not a beginning", "x", '"x"', []],
    ["an identifier is a phrase", "session_row", '"session_row"*', []],
    ["signs alone are looked for in the text", "parse =>", '"parse"', ["=>"]],
    ["emoji", "🎉", null, ["🎉"]],
    ["a script without spaces", "検索 index", '"index"*', ["検索"]],
    ["nothing", "  \n ", null, []],
    ["only quotes", '""" "', null, []],
  ])("[X-10] reads %s", (_case, query, match, substrings) => {
    expect(parseSearch(query)).toEqual({ match, substrings });
  });

  it("[X-10] a pasted page is cut to its first words, and half a character does no harm", () => {
    const { match } = parseSearch("word ".repeat(2_000));
    expect(match?.split(" ")).toHaveLength(24);
    expect(() => parseSearch("a\uD800b \0 c")).not.toThrow();
  });
});
