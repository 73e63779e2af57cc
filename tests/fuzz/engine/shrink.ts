const CHECKS_MAX = 4_000;
const SHRINK_MS_MAX = 60_000;

/**
 * The smallest input found that still breaks the rule, by taking away and simplifying. Works on any JSON value: parts
 * of lists and texts go, the larger first, then keys, then numbers become small.
 */
export async function shrink(input: unknown, stillFails: (smaller: unknown) => Promise<boolean>): Promise<unknown> {
  let smallest = input;
  let checks = 0;
  const endsAt = performance.now() + SHRINK_MS_MAX;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest)) {
      checks += 1;
      if (checks > CHECKS_MAX || performance.now() > endsAt) return smallest;
      if (!(await stillFails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

export function* smallerThan(value: unknown): Generator<unknown> {
  if (typeof value === "string") {
    yield* smallerTexts(value);
  } else if (typeof value === "number") {
    for (const number of new Set([0, Math.trunc(value / 2), value - Math.sign(value)]))
      if (Math.abs(number) < Math.abs(value)) yield number;
  } else if (Array.isArray(value)) {
    for (const [from, to] of cutsOf(value.length)) yield [...value.slice(0, from), ...value.slice(to)];
    for (const [at, item] of value.entries()) for (const smaller of smallerThan(item)) yield value.with(at, smaller);
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    for (const at of entries.keys()) yield Object.fromEntries(entries.toSpliced(at, 1));
    for (const [at, [key, inner]] of entries.entries())
      for (const smaller of smallerThan(inner)) yield Object.fromEntries(entries.with(at, [key, smaller]));
  }
}

function* smallerTexts(text: string): Generator<string> {
  for (const [from, to] of cutsOf(text.length)) yield text.slice(0, from) + text.slice(to);
  if (text.length > 60) return;
  for (let at = 0; at < text.length; at += 1)
    if (!/[a ]/.test(text.charAt(at))) yield `${text.slice(0, at)}a${text.slice(at + 1)}`;
}

/** All of it, halves, quarters, and so on down to single ones. */
function* cutsOf(length: number): Generator<readonly [number, number]> {
  for (let size = length; size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < length; from += size) yield [from, Math.min(length, from + size)];
}
