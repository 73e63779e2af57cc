/** A run of rows that fills and empties as one; `reuse` is the index of the section that already shows its beginning. */
interface SectionRange {
  readonly reuse: number | null;
  readonly from: number;
  readonly to: number;
}

/** Rows in one section: few enough to fill within a frame, enough to keep the number of sections small. */
export const SECTION_ROWS = 4;

/**
 * Cuts a new list of keys into sections so that rows on screen stay in their element: older rows get
 * their own sections in front, newer rows go into the last one, and only from the first difference on is anything cut
 * again.
 */
export function alignSections(
  previous: readonly (readonly string[])[],
  keys: readonly string[],
  rowsMax: number = SECTION_ROWS,
): SectionRange[] {
  const placeOf = new Map(keys.map((key, index) => [key, index]));
  // Rows that are no longer in the list (a fresh, shorter history) were in the oldest sections.
  const kept = previous.findIndex(([first]) => first !== undefined && placeOf.has(first));
  const start = placeOf.get(previous[kept]?.[0] ?? "");
  if (start === undefined) return cut(0, keys.length, rowsMax);
  const ranges = cutFromEnd(start, rowsMax);
  let at = start;
  for (const [index, section] of previous.entries()) {
    if (index < kept) continue;
    const same = countSame(section, keys, at);
    if (same > 0) ranges.push({ reuse: index, from: at, to: at + same });
    at += same;
    if (same < section.length) break;
  }
  return appended(ranges, at, keys.length, rowsMax);
}

function countSame(section: readonly string[], keys: readonly string[], at: number): number {
  const different = section.findIndex((key, index) => keys[at + index] !== key);
  return different === -1 ? section.length : different;
}

/** Fills the last section in place, then cuts the rest. */
function appended(ranges: readonly SectionRange[], at: number, end: number, rowsMax: number): SectionRange[] {
  const last = ranges.at(-1);
  if (last?.reuse == null) return [...ranges, ...cut(at, end, rowsMax)];
  const to = Math.max(at, Math.min(end, last.from + rowsMax));
  return [...ranges.slice(0, -1), { ...last, to }, ...cut(to, end, rowsMax)];
}

function cut(from: number, end: number, rowsMax: number): SectionRange[] {
  const ranges: SectionRange[] = [];
  for (let at = from; at < end; at += rowsMax) ranges.push({ reuse: null, from: at, to: Math.min(at + rowsMax, end) });
  return ranges;
}

/** The oldest section takes the remainder: more rows will be added in front of it anyway. */
function cutFromEnd(end: number, rowsMax: number): SectionRange[] {
  const ranges: SectionRange[] = [];
  for (let to = end; to > 0; to -= rowsMax) ranges.unshift({ reuse: null, from: Math.max(0, to - rowsMax), to });
  return ranges;
}
