import type { Json } from "../../../src/protocol/json.ts";
import { mutateText } from "./mutate-text.ts";
import type { Source } from "./source.ts";

/** Keys by which objects are attacked; `polluted` is what a successful attack would leave behind. */
const DANGEROUS_KEYS: readonly string[] = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", ""];
const ODD_VALUES: readonly string[] = [
  ...'null¦true¦false¦""¦0¦-1¦1.5¦1e308¦-0¦9007199254740993¦[]¦{}¦[[]]¦[null]¦"null"¦" "¦"\\ud800"¦"\\u0000"'.split(
    "¦",
  ),
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '["__proto__"]',
  '"2026-01-01T00:00:00.000Z"',
];
const LEVELS = [20, 99, 101, 300];

/** What mutation may draw on: other documents of the same kind, and words that mean something in them. */
export interface Pool {
  readonly samples: readonly Json[];
  readonly words: readonly string[];
}

/** One change somewhere in the document; the document itself stays as it is. */
export function mutateJson(source: Source, value: Json, pool: Pool): Json {
  const size = sizeOf(value);
  if (size === 0 || source.isOneIn(size + 1)) return replaced(source, value, pool);
  if (Array.isArray(value)) {
    const at = source.below(value.length);
    const item = value[at];
    if (item === undefined || !source.isOneIn(4)) return value.with(at, mutateJson(source, item ?? null, pool));
    return source.isOneIn(2) ? value.toSpliced(at, 1) : value.toSpliced(at, 0, item);
  }
  if (typeof value !== "object" || value === null) return replaced(source, value, pool);
  const entries = Object.entries(value);
  const at = source.below(entries.length);
  const [key, inner] = entries[at] ?? ["", null];
  if (!source.isOneIn(4)) return Object.fromEntries(entries.with(at, [key, mutateJson(source, inner, pool)]));
  if (source.isOneIn(2)) return Object.fromEntries(entries.toSpliced(at, 1));
  const name = source.isOneIn(2) ? source.pick(DANGEROUS_KEYS) : pickWord(source, pool, key);
  return Object.fromEntries(entries.toSpliced(at, source.below(2), [name, inner]));
}

/** Arrays inside each other; deep ones overflow a recursive reader. */
export function nested(levels: number, core: Json): Json {
  let value = core;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function replaced(source: Source, value: Json, pool: Pool): Json {
  if (typeof value === "string" && !source.isOneIn(3)) return mutateText(source, value, pool.words);
  if (typeof value === "number" && source.isOneIn(2)) return value + source.between(-2, 2);
  if (source.isOneIn(12)) return nested(source.pick(LEVELS), value);
  if (pool.samples.length > 0 && source.isOneIn(2)) return someInside(source, source.pick(pool.samples));
  return JSON.parse(source.pick(ODD_VALUES));
}

/** Any value of another document. */
function someInside(source: Source, value: Json): Json {
  if (typeof value !== "object" || value === null || source.isOneIn(3)) return value;
  const inner = Object.values(value);
  return inner.length === 0 ? value : someInside(source, source.pick(inner));
}

function pickWord(source: Source, { words }: Pool, otherwise: string): string {
  return words.length === 0 ? otherwise : source.pick(words);
}

function sizeOf(value: Json): number {
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}
