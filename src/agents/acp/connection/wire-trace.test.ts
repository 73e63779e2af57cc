import { expect, it } from "bun:test";
import { WireTrace } from "./wire-trace.ts";

it("X-17 keeps the last 2,000 lines, oldest first", () => {
  const trace = new WireTrace(() => 7);
  for (let index = 0; index < 5_000; index++) trace.record("in", `line ${index}`);
  const lines = trace.recent();
  expect(lines).toHaveLength(2_000);
  expect(lines[0]).toEqual({ at: 7, direction: "in", text: "line 3000" });
  expect(lines.at(-1)?.text).toBe("line 4999");
});

it("X-17 is bounded in size, whatever the lines are", () => {
  const trace = new WireTrace(() => 0);
  for (let index = 0; index < 100; index++) trace.record("in", "x".repeat(1_000_000));
  const chars = trace.recent().reduce((sum, line) => sum + line.text.length, 0);
  expect(chars).toBeLessThanOrEqual(2_000_000);
  expect(trace.recent().at(-1)?.text.endsWith("(1000000 characters)")).toBe(true);
});
