import { expect, test } from "bun:test";
import type { HunkLine } from "../../presentation/hunk-lines.ts";
import { findAgain, type Remark, ReviewDrafts, remarkPlace, remarksPrompt, standsBelow } from "./remarks.ts";

const line = (kind: HunkLine["kind"], text: string, oldNumber: number | null, newNumber: number | null): HunkLine => ({
  kind,
  text,
  oldNumber,
  newNumber,
});
const LINES = [line("removed", "a", 7, null), line("added", "b", null, 9), line("added", "c", null, 10)];

test("a remark has the new lines it is about, or the old ones where all of them are removed", () => {
  expect(remarkPlace("a.ts", LINES)).toEqual({ path: "a.ts", side: "new", from: 9, to: 10, quote: ["-a", "+b", "+c"] });
  expect(remarkPlace("a.ts", LINES.slice(0, 1))).toMatchObject({ side: "old", from: 7, to: 7 });
  expect(remarkPlace("a.ts", [])).toBeNull();
});

test("a remark is below its last line, on its own side", () => {
  const place = remarkPlace("a.ts", LINES.slice(1));
  expect(LINES.map((one) => place !== null && standsBelow(place, one))).toEqual([false, false, true]);
});

test("a remark stays with its lines when others above them come or go", () => {
  const place = remarkPlace("a.ts", LINES.slice(1));
  const moved = LINES.map((one) => ({ ...one, newNumber: one.newNumber === null ? null : one.newNumber + 4 }));
  expect(place && findAgain(place, [moved])).toMatchObject({ from: 13, to: 14 });
  expect(place && findAgain(place, [[line("added", "other", null, 9)]])).toBeNull();
});

test("all remarks are one message, in the order of the files and lines, and no quote ends its fence", () => {
  const remark = (fields: Partial<Remark>): Remark => ({
    id: "r",
    path: "b.ts",
    side: "new",
    from: 3,
    to: 4,
    quote: ["+x"],
    text: "why?",
    ...fields,
  });
  const remarks = [
    remark({}),
    remark({ path: "a.ts", side: "old", from: 1, to: 1, quote: ["-```"], text: " keep it " }),
  ];
  const prompt = remarksPrompt(remarks, "");
  expect(prompt).toBe(
    "2 remarks on your changes:\n\na.ts:1 (removed lines)\n````diff\n-```\n````\nkeep it\n\nb.ts:3-4\n```diff\n+x\n```\nwhy?",
  );
  // An agent that works below the top of its repository gets the paths relative to its own directory.
  const named = ["web/src/b.ts", "web-site/c.ts", "d.ts"].map((path) => remarksPrompt([remark({ path })], "web/src"));
  expect(named.map((text) => text.split("\n")[2])).toEqual(["b.ts:3-4", "../../web-site/c.ts:3-4", "../../d.ts:3-4"]);
});

test("remarks that were not sent are there after a refresh, and anything else in the storage is none", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const remark: Remark = { id: "1", path: "a", side: "new", from: 1, to: 1, quote: [], text: "t" };
  new ReviewDrafts("s", storage).write([remark]);
  expect(new ReviewDrafts("s", storage).read()).toEqual([remark]);
  expect(new ReviewDrafts("other", storage).read()).toEqual([]);
  kept.set("liminal:remarks:s", "[{]");
  expect(new ReviewDrafts("s", storage).read()).toEqual([]);
  new ReviewDrafts("s", storage).write([]);
  expect(kept.size).toBe(0);
});
