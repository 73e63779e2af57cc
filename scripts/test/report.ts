/** Seconds, rounded for display. */
export function seconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}

/** Everything reported as failed, to be repeated at the end, where it is seen first. */
const failures: string[] = [];

/** One line for one thing that passed, failed or was left out. */
export function reportLine(mark: "ok" | "FAIL" | "skip", name: string, note: string): void {
  const line = `${mark.padEnd(5)} ${name.padEnd(24)} ${note}`;
  console.log(line);
  if (mark === "FAIL") failures.push(line);
}

/** Output of a failure, separated from the lines around it. */
export function reportOutput(output: string): void {
  for (const line of output
    .trimEnd()
    .split("\n")
    .map((text) => `      | ${text}`)) {
    console.log(line);
    failures.push(line);
  }
}

/** Lists the failures at the end of a run. */
export function repeatFailures(): void {
  for (const line of failures) console.log(line);
}
