import { inspect } from "node:util";

const DETAILS_CHARS_MAX = 2_000;

/** What must be true is not. The rule is a sentence that names it; the details are about this one case. */
class BrokenRuleError extends Error {
  override readonly name = "BrokenRuleError";
  readonly details: unknown;

  constructor(rule: string, details: unknown) {
    super(rule);
    this.details = details;
  }
}

export function rule(holds: boolean, words: string, details?: () => unknown): asserts holds {
  if (!holds) throw new BrokenRuleError(words, details?.());
}

/** Both are the same all the way down; the quick way first, since almost all cases pass. */
export function ruleSame(actual: unknown, expected: unknown, words: string): void {
  if (Object.is(actual, expected) || Bun.deepEquals(actual, expected, true)) return;
  throw new BrokenRuleError(words, { actual, expected });
}

/** An error in words that stay the same while the input shrinks. */
export function brokenRule(error: unknown): { readonly rule: string; readonly details: string } {
  if (error instanceof BrokenRuleError) return { rule: error.message, details: short(error.details) };
  const name = error instanceof Error ? error.name : typeof error;
  return { rule: `throws ${name}`, details: short(error) };
}

function short(details: unknown): string {
  const text = typeof details === "string" ? details : inspect(details, { depth: 6 });
  return text.length > DETAILS_CHARS_MAX ? `${text.slice(0, DETAILS_CHARS_MAX)}…` : text;
}
