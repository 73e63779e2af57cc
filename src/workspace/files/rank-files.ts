import fuzzysort, { type Snapshot } from "fuzzysort";

/** A list that is searched many times. */
export type FileSnapshot = Snapshot;

/** Looked at beyond what is asked for, so that a match in a file's own name can come up. */
const LOOKED_AT_FACTOR = 5;
const SCORE_MIN = 0.3;

export function takeSnapshot(paths: readonly string[]): FileSnapshot {
  return fuzzysort.snapshot(paths);
}

/** Best match first: the name of a file counts more than the directories it lies in. */
export function rankFiles(snapshot: FileSnapshot, query: string, limit: number): readonly string[] {
  const words = query.trim();
  const options = { limit: limit * LOOKED_AT_FACTOR, threshold: SCORE_MIN };
  const found = fuzzysort.go(words, snapshot, options).map(({ target }) => target);
  const name = nameOf(words).toLowerCase();
  if (name === "") return found.slice(0, limit);
  const isNamed = (path: string) => nameOf(path).toLowerCase().includes(name);
  return [...found.filter(isNamed), ...found.filter((path) => !isNamed(path))].slice(0, limit);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
