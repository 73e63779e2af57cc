import fuzzysort from "fuzzysort";
import type { PaletteEntry } from "./palette-entries.ts";

/** As the first character, it excludes sessions. */
const ONLY_COMMANDS = ">";
const SESSIONS_UNASKED = 8;
const HITS_MAX = 40;
const SCORE_MIN = 0.3;
/** A recent choice wins over a slightly better match, never over a much better one. */
const RECENT_BONUS = 0.25;

export interface PaletteHit {
  readonly entry: PaletteEntry;
  /** Which letters were typed. */
  readonly indexes: readonly number[];
}

export interface PaletteGroup {
  readonly title: PaletteEntry["group"];
  readonly hits: readonly PaletteHit[];
}

/** Matches, best first, in their groups; the group with the best one first. `recent` are ids, latest first. */
export function rankEntries(
  entries: readonly PaletteEntry[],
  typed: string,
  recent: readonly string[],
): readonly PaletteGroup[] {
  const only = typed.trimStart().startsWith(ONLY_COMMANDS);
  const query = (only ? typed.trimStart().slice(ONLY_COMMANDS.length) : typed).trim();
  const among = only ? entries.filter(({ group }) => group === "Commands") : entries;
  return groupHits(query === "" ? unasked(among, recent) : asked(among, query, recent));
}

/** Without input: a few sessions in order, and recently used commands before the others. */
function unasked(entries: readonly PaletteEntry[], recent: readonly string[]): readonly PaletteHit[] {
  const sessions = entries.filter(({ group }) => group === "Sessions").slice(0, SESSIONS_UNASKED);
  const commands = entries.filter(({ group }) => group === "Commands");
  const used = recent.flatMap((id) => commands.find((entry) => entry.id === id) ?? []);
  const others = commands.filter((entry) => !used.includes(entry));
  return [...sessions, ...used, ...others].map((entry) => ({ entry, indexes: [] }));
}

function asked(entries: readonly PaletteEntry[], query: string, recent: readonly string[]): readonly PaletteHit[] {
  const found = fuzzysort.go(query, entries, {
    keys: ["words", "detail"],
    limit: HITS_MAX,
    threshold: SCORE_MIN,
    scoreFn: (result) => {
      const place = recent.indexOf(result.obj.id);
      return place === -1 ? result.score : result.score + RECENT_BONUS / (place + 1);
    },
  });
  return found.map((result) => ({ entry: result.obj, indexes: result[0]?.indexes ?? [] }));
}

function groupHits(hits: readonly PaletteHit[]): readonly PaletteGroup[] {
  const titles = [...new Set(hits.map(({ entry }) => entry.group))];
  return titles.map((title) => ({ title, hits: hits.filter(({ entry }) => entry.group === title) }));
}
