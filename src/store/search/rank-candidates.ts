export interface Candidate {
  readonly key: number;
  readonly isTitle: boolean;
  /** How well it matches; more is better. */
  readonly weight: number;
  readonly atMs: number;
}

/** After this time what was said counts half of what the newest gains by being new. */
const HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** A word in a title says what a whole session is about. */
const TITLE_FACTOR = 3;

/** Relevance first, lifted by up to as much again for what is new. Pure. */
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
