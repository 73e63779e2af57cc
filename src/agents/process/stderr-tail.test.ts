import { describe, expect, it } from "bun:test";
import { StderrTail } from "./agent-process.ts";

function tailOf(...chunks: string[]): string {
  const tail = new StderrTail();
  for (const chunk of chunks) tail.push(chunk);
  return tail.lastLines();
}

describe("StderrTail", () => {
  it("joins pieces to lines and drops what is blank at the end", () => {
    expect(tailOf("could not ", "find the key\nsorry", "\n\n  \n")).toBe("could not find the key\nsorry");
    expect(tailOf()).toBe("");
  });

  it("shows the last 20 lines, and of a flood the end", () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
    expect(tailOf(...lines.map((line) => `${line}\n`))).toBe(lines.slice(-20).join("\n"));
  });

  it("stays bounded when there is no end of a line at all", () => {
    const shown = tailOf(...Array.from({ length: 200 }, () => "x".repeat(1_000)), "the end");
    expect(shown.length).toBeLessThanOrEqual(16 * 1024);
    expect(shown).toEndWith("xthe end");
  });
});
