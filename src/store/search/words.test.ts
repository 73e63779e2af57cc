import { describe, expect, it } from "bun:test";
import { wordsIn } from "./words.ts";

const words = (text: string) => wordsIn(text).map(({ word }) => word);

describe("wordsIn", () => {
  it.each([
    ["letters and digits", "Fix parser2, now!", ["fix", "parser2", "now"]],
    ["an identifier and a path", "session_row src/app.ts", ["session", "row", "src", "app", "ts"]],
    ["no accents, however they are written", "Café Cafe\u0301 Ångström", ["cafe", "cafe", "angstrom"]],
    ["a script without spaces", "全文検索機能を index", ["全文検索機能を", "index"]],
    ["signs and emoji", "=> 🎉 '\\:&", []],
    ["nothing", "", []],
  ])("[X-10] finds %s", (_case, text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it("[X-10] returns the position of a word, and cuts an endless one", () => {
    expect(wordsIn("a Cafe\u0301.")[1]).toEqual({ word: "cafe", from: 2, to: 7 });
    expect(words("x".repeat(5_000))).toEqual(["x".repeat(255)]);
  });
});
