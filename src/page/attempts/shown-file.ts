import { type HunkLine, hunkLines, separateHunks } from "../../presentation/hunk-lines.ts";
import type { AttemptResult } from "../../protocol/attempts.ts";
import type { FilePatch } from "../../protocol/changes.ts";

/** The most informative file: of those with lines, the one that most attempts changed. Null: there is none. */
export function usualFile(results: readonly AttemptResult[]): string | null {
  const counts = new Map<string, number>();
  for (const { files } of results)
    for (const { path, added } of files) if (added !== null) counts.set(path, (counts.get(path) ?? 0) + 1);
  let best: string | null = null;
  for (const [path, count] of counts) if (count > (counts.get(best ?? "") ?? 0)) best = path;
  return best;
}

/** The places of a text file that are drawn, each with its lines; null when it has no lines to show. */
export function patchLines(patch: FilePatch): readonly (readonly HunkLine[])[] | null {
  return patch.kind === "text" ? separateHunks(patch.hunks).map(hunkLines) : null;
}

interface Counted {
  readonly added: number | null;
  readonly removed: number | null;
}

/** Whether these are all the lines that the attempt changed in the file. */
export function isWhole(places: readonly (readonly HunkLine[])[], { added, removed }: Counted): boolean {
  const count = (kind: HunkLine["kind"]) => places.flat().filter((line) => line.kind === kind).length;
  return count("added") === added && count("removed") === removed;
}
