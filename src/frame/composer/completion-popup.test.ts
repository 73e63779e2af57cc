import { describe, expect, test } from "bun:test";
import { completionIntent, filterCommands, moveSelection, tokenAt } from "./completion-popup.tsx";

const COMMANDS = [
  { name: "search", description: "Looks for a text" },
  { name: "list", description: "Lists files" },
  { name: "research", description: "Reads far and wide" },
  { name: "ask", description: "Starts a search of its own" },
];
const names = (query: string) => filterCommands(COMMANDS, query).map(({ name }) => name);

test("[X-7] names that start with the query come first, then names that contain it, then matching descriptions", () => {
  expect(names("search")).toEqual(["search", "research", "ask"]);
  expect(names("SEA")).toEqual(["search", "research", "ask"]);
  expect(names("")).toEqual(["search", "list", "research", "ask"]);
  expect(names("nothing like it")).toEqual([]);
});

/** `|` marks the cursor. */
const at = (marked: string) => tokenAt(marked.replace("|", ""), marked.indexOf("|"));

describe("[X-7] commands", () => {
  test("are completed only at the start of the message, and only while the cursor is in the word", () => {
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

  test("an address, a finished word and an overlong word are none", () => {
    for (const none of ["me@home|", "@a b|", "@a@b|", `@${"x".repeat(300)}|`, "plain|"]) expect(at(none)).toBeNull();
  });

  test("the whole word is replaced, including the part after the cursor", () => {
    expect(at("@src/ma|in.ts now")).toMatchObject({ query: "src/ma", from: 0, to: 12 });
  });
});

const OPEN = { count: 3, isBusy: false, isComposing: false };

test("[X-7] Tab and Enter complete, the arrows choose, Escape closes", () => {
  expect(
    ["Enter", "Tab", "ArrowUp", "ArrowDown", "Escape", "a"].map((key) => completionIntent(key, false, OPEN)),
  ).toEqual(["choose", "choose", "next", "previous", "close", null]);
});

test("[X-7] nothing is sent while an answer is pending, and only options of the current answer can be chosen", () => {
  for (const count of [0, 3]) {
    expect(completionIntent("Enter", false, { ...OPEN, count, isBusy: true })).toBe("wait");
    expect(completionIntent("Tab", false, { ...OPEN, count, isBusy: true })).toBe("wait");
  }
});

test("[X-7] a list without options leaves every key to the field", () => {
  for (const key of ["Enter", "Tab", "ArrowUp", "ArrowDown", "Escape"])
    expect(completionIntent(key, false, { ...OPEN, count: 0 })).toBeNull();
});

test("[X-7] an input method and modifiers keep their keys", () => {
  expect(completionIntent("Enter", false, { ...OPEN, isComposing: true })).toBeNull();
  expect(completionIntent("Enter", true, OPEN)).toBeNull();
});

test("the selection wraps around", () => {
  expect([moveSelection(0, 3, 1), moveSelection(2, 3, 1), moveSelection(0, 3, -1), moveSelection(0, 0, 1)]).toEqual([
    1, 0, 2, 0,
  ]);
});
