/** Beyond this many matches only the newest are ranked, so that a search stays fast. */
export const CANDIDATES_MAX = 2_000;
/** Without an indexed word, this many of the newest texts are scanned. */
export const SCANNED_TEXTS_MAX = 20_000;

export interface Candidate {
  readonly key: number;
  readonly isTitle: boolean;
  /** How well it matches; more is better. */
  readonly weight: number;
  readonly atMs: number;
}

/** After this time the bonus for recent entries is halved. */
const HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** A word in a title describes a whole session. */
const TITLE_FACTOR = 3;

/** Relevance first, up to doubled for recent entries. Pure. */
export function rankCandidates(candidates: readonly Candidate[], nowMs: number): readonly Candidate[] {
  const scored = candidates.map((candidate) => ({ candidate, score: scoreOf(candidate, nowMs) }));
  return scored
    .sort((a, b) => b.score - a.score || b.candidate.key - a.candidate.key)
    .map(({ candidate }) => candidate);
}

function scoreOf({ weight, isTitle, atMs }: Candidate, nowMs: number): number {
  const ageMs = Number.isNaN(atMs) ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - atMs);
  return weight * (isTitle ? TITLE_FACTOR : 1) * (1 + 2 ** (-ageMs / HALF_LIFE_MS));
}
