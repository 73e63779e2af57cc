import type { FuzzOutcome, TargetCount } from "./run-fuzz.ts";

const HEAD = ["target", "executions", "per second", "findings", "corpus"];

/** One line on the way. */
export function inWords(counts: readonly TargetCount[]): string {
  return `${grouped(total(counts, "executions"))} executions, ${total(counts, "findings")} findings`;
}

/** What was done, target by target, and all together. `per second` is by one worker, for itself. */
export function fuzzTable({ counts, jobs, ms }: FuzzOutcome): string {
  const rows = counts.map(({ target, executions, ms: spent, findings, corpusSize }) => [
    target,
    grouped(executions),
    grouped(perSecond(executions, spent)),
    String(findings),
    String(corpusSize),
  ]);
  const sums = [
    "total",
    grouped(total(counts, "executions")),
    grouped(perSecond(total(counts, "executions"), ms)),
    String(total(counts, "findings")),
    String(total(counts, "corpusSize")),
  ];
  const widths = HEAD.map((_, at) => Math.max(...[HEAD, ...rows, sums].map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ");
  const took = `${(ms / 1_000).toFixed(1)} s with ${jobs} workers; the last line counts all of them`;
  return [line(HEAD), ...rows.map(line), line(sums), took].join("\n");
}

function perSecond(executions: number, ms: number): number {
  return ms === 0 ? 0 : Math.round((executions * 1_000) / ms);
}

function total(counts: readonly TargetCount[], of: "executions" | "findings" | "corpusSize"): number {
  return counts.reduce((sum, count) => sum + count[of], 0);
}

function grouped(number: number): string {
  return number.toLocaleString("en-US");
}
