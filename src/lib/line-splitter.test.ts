import { describe, expect, it } from "bun:test";
import { roundsOf, seededRandom } from "../../tests/support/seeded-random.ts";
import { LineSplitter } from "./line-splitter.ts";

const encoder = new TextEncoder();

function collecting(lineBytesMax = 1_000_000) {
  const lines: string[] = [];
  const dropped: number[] = [];
  const splitter = new LineSplitter({
    lineBytesMax,
    onLine: (line) => lines.push(line),
    onTooLong: (bytes) => dropped.push(bytes),
  });
  return { lines, dropped, splitter, push: (text: string) => splitter.push(encoder.encode(text)) };
}

describe("LineSplitter", () => {
  it("passes on whole lines only, as soon as they end", () => {
    const { lines, push } = collecting();
    push("one\ntw");
    expect(lines).toEqual(["one"]);
    push("o\n\nthree");
    expect(lines).toEqual(["one", "two", ""]);
  });

  it("counts a last line without an end, and no empty one after the last end", () => {
    const { lines, splitter, push } = collecting();
    push("one\nlast");
    splitter.end();
    splitter.end();
    expect(lines).toEqual(["one", "last"]);
  });

  it("leaves a carriage return to the reader of the line", () => {
    const { lines, push } = collecting();
    push("one\r\ntwo\r\n");
    expect(lines).toEqual(["one\r", "two\r"]);
  });

  it("drops a line over the limit completely, reports its length, and continues with the next", () => {
    const { lines, dropped, splitter, push } = collecting(10);
    push(`${"x".repeat(10)}\n${"y".repeat(11)}\nafter\n`);
    for (let piece = 0; piece < 50; piece += 1) push("z");
    push("\nend\n");
    push("0123456789A");
    splitter.end();
    expect(lines).toEqual(["x".repeat(10), "after", "end"]);
    expect(dropped).toEqual([11, 50, 11]);
  });

  it("measures bytes, not characters", () => {
    const { lines, dropped, push } = collecting(4);
    push("äö\näöü\n");
    expect({ lines, dropped }).toEqual({ lines: ["äö"], dropped: [6] });
  });

  it("keeps its data even if the buffer is reused", () => {
    const { lines, splitter } = collecting();
    const buffer = encoder.encode("half");
    splitter.push(buffer);
    buffer.fill(0);
    splitter.push(encoder.encode(" a line\n"));
    // `slice` of a Buffer is a view of it.
    const pooled = Buffer.from("and half");
    splitter.push(pooled);
    pooled.fill(0);
    splitter.push(encoder.encode(" another\n"));
    expect(lines).toEqual(["half a line", "and half another"]);
  });

  it("gives the same lines however the bytes are cut, also inside a character", () => {
    const random = seededRandom("line splits");
    const words = ["", "word", "ünï", "漢字", "😀😀", '{"text":"\\u2028"}', "x".repeat(3_000), "\u2028"];
    for (let round = 0; round < roundsOf(400); round += 1) {
      const expected = Array.from({ length: random.between(1, 20) }, () =>
        Array.from({ length: random.between(0, 4) }, () => random.pick(words)).join(" "),
      );
      const bytes = encoder.encode(`${expected.join("\n")}\n`);
      const { lines, splitter } = collecting();
      for (let from = 0; from < bytes.length; ) {
        const to = from + random.pick([1, 2, 3, 17, 4_096]);
        splitter.push(bytes.slice(from, to));
        from = to;
      }
      expect(lines).toEqual(expected);
    }
  });
});
