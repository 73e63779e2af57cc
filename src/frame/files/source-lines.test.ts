import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../../tests/support/seeded-random.ts";
import { SourceLines } from "./source-lines.ts";

function rowsOf(source: SourceLines): readonly string[] {
  return Array.from({ length: source.rowCount }, (_, index) => {
    const { line, text, isFirst } = source.rowAt(index);
    return `${isFirst ? line : "…"} ${text.length > 40 ? text.length : text}`;
  });
}

describe("SourceLines", () => {
  test("lines are counted as an editor counts them, with either end of a line", () => {
    const source = new SourceLines();
    source.push("a\nb\r\n\nc");
    expect(rowsOf(source)).toEqual(["1 a", "2 b", "3 ", "4 c"]);
    source.push("d\n");
    expect(rowsOf(source)).toEqual(["1 a", "2 b", "3 ", "4 cd"]);
  });

  test("a very long line is several rows of one number", () => {
    const source = new SourceLines();
    source.push(`a\n${"x".repeat(1_500)}`);
    expect(rowsOf(source)).toEqual(["1 a", "2 1000", "… 500"]);
    expect([source.lineCount, source.isUncut, source.rowOf(2)]).toEqual([2, false, 1]);
    source.push(`${"x".repeat(750)}\nb\n`);
    expect(rowsOf(source)).toEqual(["1 a", "2 1000", "… 1000", "… 250", "3 b"]);
    expect([source.rowOf(3), source.rowOf(99), source.rowAt(4).text]).toEqual([4, 4, "b"]);
  });

  test("no row ends inside a character", () => {
    const source = new SourceLines();
    source.push(`${"😀".repeat(1_500)}a`);
    source.push(`b${"😀".repeat(3_000)}`);
    for (let index = 0; index < source.rowCount; index += 1) expect(source.rowAt(index).text.isWellFormed()).toBe(true);
  });

  test("pieces of a text give the same rows as the whole", () => {
    const random = seededRandom("source lines");
    for (let round = 0; round < 50; round += 1) {
      const text = Array.from({ length: 40 }, () => random.pick(["a", "\n", "\r\n", "\r", "x".repeat(999), "😀"])).join(
        "",
      );
      const whole = new SourceLines();
      whole.push(text);
      const pieces = new SourceLines();
      for (let at = 0; at < text.length; ) {
        const to = at + random.between(1, 2_500);
        pieces.push(text.slice(at, to));
        at = to;
      }
      expect(rowsOf(pieces)).toEqual(rowsOf(whole));
      expect(pieces.isUncut).toBe(whole.isUncut);
    }
  });
});
