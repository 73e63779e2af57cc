import type { Directories } from "../../protocol/directories.ts";

export type Listing = Pick<Directories, "path" | "base" | "entries" | "hasMore">;

/** The path with one of its directories taken; the slash says that one can go on. */
export function takeDirectory({ base }: Pick<Listing, "base">, name: string): string {
  return `${base}${name}/`;
}

/** What Tab makes of a path: all that its directories agree on. Null when that is no more than what is typed. */
export function completePath(listing: Listing): string | null {
  const { path, base, entries, hasMore } = listing;
  const typed = path.slice(base.length);
  if (typed === "" || hasMore) return null;
  const exact = entries.filter(({ name }) => name.startsWith(typed));
  const names = (exact.length > 0 ? exact : entries).map(({ name }) => name);
  const [first] = names;
  if (first === undefined) return null;
  if (names.length === 1) return takeDirectory(listing, first);
  const agreed = names.reduce(sameBeginning);
  return agreed.length > typed.length ? base + agreed : null;
}

function sameBeginning(a: string, b: string): string {
  const end = [...a].findIndex((letter, at) => letter !== [...b][at]);
  return end === -1 ? a : [...a].slice(0, end).join("");
}

/** The choice so many steps on; before the first and after the last stands the field itself, as null. */
export function stepChoice(chosen: number | null, steps: 1 | -1, count: number): number | null {
  if (count === 0) return null;
  const at = chosen ?? (steps === 1 ? -1 : count);
  const next = at + steps;
  return next < 0 || next >= count ? null : next;
}

/** The text under the field; empty while the path can still become one of the listed ones. */
export function pathRemark({ path, base, entries, problem }: Directories): string | null {
  if (problem === undefined || path === "") return null;
  const isGoingOn = entries.length > 0 && path.length > base.length;
  return isGoingOn ? null : problem;
}
