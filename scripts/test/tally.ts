/** The result of a part of the run; every check, test and proof counts once. */
export type Tally = { readonly passed: number; readonly failed: number; readonly skipped: number };

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 };
export const ONE_PASSED: Tally = { ...NOTHING, passed: 1 };
export const ONE_FAILED: Tally = { ...NOTHING, failed: 1 };

/** The sum over several parts. */
export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, tally) => ({
      passed: total.passed + tally.passed,
      failed: total.failed + tally.failed,
      skipped: total.skipped + tally.skipped,
    }),
    NOTHING,
  );
}

/** The line for people and scripts. */
export function inWords({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
