import { describe, expect, it } from "bun:test";
import { type TreeItem, TypeAhead, treeStep } from "./tree-keys.ts";

const ITEMS: readonly TreeItem[] = [
  { level: 0, text: "apple", isOpen: true },
  { level: 1, text: "Fix the build" },
  { level: 2, text: "sub-agent" },
  { level: 1, text: "fine print" },
  { level: 0, text: "banana", isOpen: false },
];

describe("keys in the sidebar's tree", () => {
  it.each([
    ["ArrowDown", 0, { go: 1 }],
    ["ArrowDown", 4, { go: 4 }],
    ["ArrowUp", 0, { go: 0 }],
    ["Home", 3, { go: 0 }],
    ["End", 0, { go: 4 }],
    ["ArrowRight", 0, { go: 1 }],
    ["ArrowRight", 1, { go: 2 }],
    ["ArrowRight", 3, null],
    ["ArrowRight", 4, "fold"],
    ["ArrowLeft", 0, "fold"],
    ["ArrowLeft", 2, { go: 1 }],
    ["ArrowLeft", 3, { go: 0 }],
    ["ArrowLeft", 4, null],
    ["Enter", 1, null],
  ] as const)("[X-15] %s at %i", (key, at, expected) => {
    expect(treeStep(ITEMS, at, key)).toEqual(expected);
  });

  it("[X-15] letters find what begins with them, one after the other and around the end", () => {
    const typed = new TypeAhead();
    expect(typed.find(ITEMS, 0, "f", 0)).toBe(1);
    expect(typed.find(ITEMS, 1, "F", 100)).toBe(3);
    expect(typed.find(ITEMS, 3, "f", 200)).toBe(1);
    expect(typed.find(ITEMS, 1, "b", 2_000)).toBe(4);
  });

  it("[X-15] letters in a row make a word; a pause begins a new one, and what is not there ends it", () => {
    const typed = new TypeAhead();
    typed.find(ITEMS, 0, "f", 0);
    typed.find(ITEMS, 1, "i", 100);
    expect(typed.find(ITEMS, 1, "n", 200)).toBe(3);
    expect(typed.isTyping(300)).toBe(true);
    expect(typed.find(ITEMS, 3, "s", 5_000)).toBe(2);
    expect(typed.find(ITEMS, 2, "q", 5_100)).toBeNull();
    expect(typed.isTyping(5_200)).toBe(false);
  });
});
