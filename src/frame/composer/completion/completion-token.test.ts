import { describe, expect, test } from "bun:test";
import { tokenAt } from "./completion-token.ts";

/** `|` marks the cursor. */
const at = (marked: string) => tokenAt(marked.replace("|", ""), marked.indexOf("|"));

describe("[X-7] commands", () => {
  test("are completed only where the message begins, and only while the cursor is in the word", () => {
    expect(at("/se|")).toEqual({ kind: "command", query: "se", from: 0, to: 3 });
    expect(at("/|")).toMatchObject({ kind: "command", query: "" });
    expect(at("/se|arch x")).toMatchObject({ query: "search", to: 7 });
    for (const none of ["|/search", "/search |", "/search x|", " /se|", "a /se|", "one\n/se|"])
      expect(at(none)).toBeNull();
  });
});

describe("[X-7] mentions", () => {
  test("begin with an @ at the start of a word", () => {
    expect(at("see @src/ma|")).toEqual({ kind: "file", query: "src/ma", from: 4, to: 11 });
    expect(at("@|")).toMatchObject({ query: "", from: 0 });
    expect(at("(@a|)")).toMatchObject({ kind: "file", query: "a" });
    expect(at("one\n@a|")).toMatchObject({ query: "a", from: 4 });
    expect(at("/read @a|")).toMatchObject({ kind: "file", query: "a" });
  });

  test("an address, a finished word and a word without end are none", () => {
    for (const none of ["me@home|", "@a b|", "@a@b|", `@${"x".repeat(300)}|`, "plain|"]) expect(at(none)).toBeNull();
  });

  test("the whole word is replaced, whatever of it stands after the cursor", () => {
    expect(at("@src/ma|in.ts now")).toMatchObject({ query: "src/ma", from: 0, to: 12 });
  });
});
