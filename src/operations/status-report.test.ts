import { expect, it } from "bun:test";
import { processMemoryBytes } from "./status-report.ts";

const NO_SUCH_PROCESS = 2 ** 22 + 1;

it.skipIf(process.platform !== "linux")("W-7 reports the resident memory of a process in bytes", () => {
  const bytes = processMemoryBytes(process.pid) ?? 0;
  const { rss } = process.memoryUsage();
  expect(bytes).toBeGreaterThan(rss / 2);
  expect(bytes).toBeLessThan(rss * 2);
});

it("returns null for a process that does not exist", () => {
  expect(processMemoryBytes(NO_SUCH_PROCESS)).toBeNull();
});
