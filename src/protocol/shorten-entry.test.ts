import { describe, expect, test } from "bun:test";
import type { Part } from "./entry.ts";
import { shortenParts } from "./shorten-entry.ts";
import { SHOWN_CHARS_MAX } from "./shown-text.ts";

const TOO_LONG = SHOWN_CHARS_MAX + 1;
const lines = (count: number, word: string) => Array.from({ length: count }, (_, line) => `${word} ${line}\n`).join("");

describe("parts as they are shown", () => {
  test("text that fits is shown unchanged", () => {
    const parts: Part[] = [
      { type: "text", text: "x".repeat(SHOWN_CHARS_MAX) },
      { type: "resource", uri: "file:///a", text: "short" },
      { type: "diff", path: "a.ts", oldText: "a", newText: "b" },
    ];
    expect(shortenParts(parts)).toEqual({ parts, cut: [] });
  });

  test("a text that is too long is cut, and states its length", () => {
    for (const part of [
      { type: "text", text: "x".repeat(TOO_LONG) },
      { type: "resource", uri: "file:///a", text: "x".repeat(TOO_LONG) },
    ] satisfies Part[]) {
      const { parts, cut } = shortenParts([part]);
      expect(cut).toEqual([0]);
      expect(parts).toMatchObject([{ type: part.type, truncated: { totalChars: TOO_LONG } }]);
    }
  });

  test("a binary resource counts as an image, which may be larger than a text; a text resource does not", () => {
    const bytes: Part = { type: "resource", uri: "file:///a", blob: "x".repeat(TOO_LONG) };
    expect(shortenParts([bytes]).cut).toEqual([]);
    const { parts } = shortenParts([{ ...bytes, mimeType: "audio/wav", blob: "x".repeat(4_000_001) }]);
    expect(parts).toMatchObject([{ type: "text", truncated: { totalChars: 4_000_001, headChars: 0 } }]);
    expect(parts[0]).toMatchObject({ text: expect.stringMatching(/^\[audio\/wav, 4000001 characters/) });
  });

  test("of a large change the changed lines are shown with some context, at their own line", () => {
    const [head, tail] = [lines(60_000, "same"), lines(60_000, "also")];
    const change = { oldText: `${head}old\n${tail}`, newText: `${head}new\n${tail}` };
    const { parts } = shortenParts([{ type: "diff", path: "a.ts", ...change, firstLine: 1 }]);
    const context = { before: head.split("\n").slice(-21).join("\n"), after: tail.split("\n").slice(0, 20).join("\n") };
    expect(parts).toEqual([
      {
        type: "diff",
        path: "a.ts",
        oldText: `${context.before}old\n${context.after}\n`,
        newText: `${context.before}new\n${context.after}\n`,
        firstLine: 60_000 - 20 + 1,
        truncated: {
          totalChars: change.oldText.length + change.newText.length,
          headChars: 2 * `${context.before}old\n${context.after}\n`.length,
          tailChars: 0,
        },
      },
    ]);
  });

  test("a text that was only extended keeps the added text, even if its end repeats its beginning", () => {
    const once = lines(30_000, "again");
    const { parts } = shortenParts([{ type: "diff", path: "a.ts", oldText: once, newText: once + once }]);
    expect(parts).toMatchObject([{ type: "diff", truncated: { totalChars: 3 * once.length } }]);
    const [part] = parts;
    if (part?.type !== "diff") throw new Error("the diff is gone");
    expect(part.newText.length).toBeGreaterThan(part.oldText?.length ?? 0);
  });
});
