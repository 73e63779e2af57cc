import { expect, test } from "bun:test";
import { OutputLines } from "./output-dialog.tsx";

function linesOf(...pieces: string[]): string[] {
  const lines = new OutputLines();
  for (const piece of pieces) lines.push(piece);
  return lines.lines;
}

test("pieces that end anywhere make the same lines as the whole", () => {
  const whole = "one\ntwo\n\nfour";
  for (let at = 0; at <= whole.length; at += 1) {
    expect(linesOf(whole.slice(0, at), whole.slice(at))).toEqual(["one", "two", "", "four"]);
  }
});

test("an endless line is shown in pieces, and nothing of it is lost", () => {
  const endless = "x".repeat(4_500);
  expect(linesOf(`${endless}\nend`).join("")).toBe(`${endless}end`);
  expect(Math.max(...linesOf(endless, endless).map(({ length }) => length))).toBe(2_000);
});
