import { expect, it } from "bun:test";
import { processMemoryBytes } from "./status-report.ts";

const NO_SUCH_PROCESS = 2 ** 22 + 1;

it.skipIf(process.platform !== "linux")("W-7 tells the resident memory of a process in bytes", () => {
  const bytes = processMemoryBytes(process.pid) ?? 0;
  const { rss } = process.memoryUsage();
  expect(bytes).toBeGreaterThan(rss / 2);
  expect(bytes).toBeLessThan(rss * 2);
});

it("knows nothing of a process that is not there", () => {
  expect(processMemoryBytes(NO_SUCH_PROCESS)).toBeNull();
});
