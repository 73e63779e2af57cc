import { expect, test } from "bun:test";
import { ChangesEntry } from "../protocol/entry.ts";
import { changesMarks, filesWords, lineSides, spokenCounts } from "./changes-words.ts";
import { markdownText, terminalText } from "./entry-text.ts";

const file = (path: string) => ({ path, status: "modified", added: 1, removed: 0 });
const changes = (more: object = {}) =>
  ChangesEntry.parse({
    type: "changes",
    entryId: "c",
    content: "2 files changed, +2 −0",
    before: "b",
    after: "a",
    total: 2,
    added: 2,
    removed: 0,
    files: [file("src/a.ts"), file("src/b.ts")],
    timestamp: "2026-01-15T09:00:00.000Z",
    ...more,
  });
const inTerminal = (entry: ChangesEntry) =>
  terminalText(entry, { plain: (text) => text, oneLine: (text) => text, columns: 80 });

test("numbers have their groups, one file is one file, and a side without lines is left out", () => {
  expect([filesWords(1), filesWords(1_204)]).toEqual(["1 file", "1,204 files"]);
  expect(lineSides({ added: 1_200, removed: 0 }).map(({ words }) => words)).toEqual(["+1,200"]);
  expect(lineSides({ added: null, removed: null })).toEqual([]);
  expect(spokenCounts({ files: 1, added: 2, removed: 3 })).toBe("1 file changed, 2 lines added, 3 removed");
});

test("a turn has marks only for what is to be known about it", () => {
  expect(changesMarks(changes())).toEqual([]);
  const leftOut = [{ path: "a.bin", reason: "too large" }];
  const marks = changesMarks(changes({ late: true, shared: true, leftOut }));
  expect(marks.map(({ name }) => name)).toEqual(["taken late", "shared", "1 left out"]);
});

test("a terminal lists the first files and counts the others", () => {
  expect(inTerminal(changes())).toBe("± 2 files changed, +2 −0\n  M src/a.ts\n  M src/b.ts");
  const files = Array.from({ length: 12 }, (_, index) => file(`f${index}`));
  expect(
    inTerminal(changes({ files, total: 60 }))
      .split("\n")
      .slice(-2),
  ).toEqual(["  M f9", "  and 50 more"]);
});

test("Markdown lists every file that is known, and what the checkpoint does not hold", () => {
  const leftOut = [{ path: "a.bin", reason: "too large" }];
  const text = markdownText(changes({ total: 9, leftOut }));
  expect(text).toContain("- `src/a.ts` modified +1\n- `src/b.ts` modified +1\n- and 7 more");
  expect(text).toContain("- `a.bin` too large for a checkpoint");
});
