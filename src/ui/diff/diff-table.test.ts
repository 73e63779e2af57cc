import { expect, test } from "bun:test";
import { diffLines } from "../../presentation/line-diff.ts";
import { splitRows } from "./diff-table.ts";

test("side by side, a replaced line is beside the new one and an added one beside nothing", () => {
  const { rows } = diffLines("a\nb\nc", "a\nx\ny\nc");
  const pairs = splitRows(rows).map((row) => (row.kind === "pair" ? [row.before?.text, row.after?.text] : "fold"));
  expect(pairs).toEqual([
    ["a", "a"],
    ["b", "x"],
    [undefined, "y"],
    ["c", "c"],
  ]);
});
