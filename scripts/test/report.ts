/** Seconds as people read them. */
export function seconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}

/** One line for one thing that passed, failed or was left out. */
export function reportLine(mark: "ok" | "FAIL" | "skip", name: string, note: string): void {
  console.log(`${mark.padEnd(5)} ${name.padEnd(24)} ${note}`);
}

/** Output of something that failed, set off from the lines around it. */
export function reportOutput(output: string): void {
  for (const line of output.trimEnd().split("\n")) console.log(`      | ${line}`);
}
