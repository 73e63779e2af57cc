import type { Directories } from "../../protocol/directories.ts";
import { splitPlace } from "../../protocol/place-path.ts";

export type Listing = Pick<Directories, "path" | "base" | "entries" | "hasMore">;

/** The path with one of its directories appended; it ends with a slash, ready for the next one. */
export function takeDirectory({ base }: Pick<Listing, "base">, name: string): string {
  return `${base}${name}/`;
}

/** Tab completion: the common prefix of the directories. Null if that is no longer than the typed text. */
export function completePath(listing: Listing): string | null {
  const { path, base, entries, hasMore } = listing;
  const typed = path.slice(base.length);
  if (typed === "" || hasMore) return null;
  const begun = entries.filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()));
  const exact = begun.filter(({ name }) => name.startsWith(typed));
  const names = (exact.length > 0 ? exact : begun).map(({ name }) => name);
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

/** Moves the choice by a number of steps; before the first and after the last is the field itself, as null. */
export function stepChoice(chosen: number | null, steps: 1 | -1, count: number): number | null {
  if (count === 0) return null;
  const at = chosen ?? (steps === 1 ? -1 : count);
  const next = at + steps;
  return next < 0 || next >= count ? null : next;
}

/** The home directory of the machine that a path is on. */
export function homePath(path: string): string {
  const at = splitPlace(path);
  return at ? `${at.place}:~/` : "~/";
}

/** The directory around a path; null at the top. The one around home is not known here. */
export function parentPath(path: string): string | null {
  const at = splitPlace(path);
  if (at) {
    const around = parentPath(at.path);
    return around === null ? null : `${at.place}:${around}`;
  }
  const inside = path.replace(/\/+$/, "");
  if (inside === "" || inside === "~") return inside === "~" ? "/" : null;
  const end = inside.lastIndexOf("/");
  return end === -1 ? null : inside.slice(0, end + 1);
}

/** Where a typed text is looked up: a word without a path is looked up in the home directory. */
export function lookedUp(path: string): string {
  return /^[/~]/.test(path) || splitPlace(path) ? path : `~/${path}`;
}

/** The text under the field; empty while the path can still become one of the listed ones. */
export function pathRemark({ path, base, entries, problem }: Directories): string | null {
  if (problem === undefined || path === "") return null;
  const isGoingOn = entries.length > 0 && path.length > base.length;
  return isGoingOn ? null : problem;
}
