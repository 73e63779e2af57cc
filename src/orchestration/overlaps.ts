import { z } from "zod";
import type { Radar } from "../protocol/worktrees.ts";

/** Work elsewhere that changed the same files as an agent in its worktree. */
export const OverlapsOutput = z
  .array(z.looseObject({ with: z.string(), kind: z.string(), paths: z.array(z.string()), total: z.int() }))
  .optional();

/** For the result of a tool; nothing for an agent in the project's own directory. */
export function overlapsIn(radar: Radar | null): { overlaps?: NonNullable<z.infer<typeof OverlapsOutput>> } {
  const overlaps = (radar?.overlaps ?? []).map((one) => ({
    with: one.with === null ? "the branch it was made from" : one.with.name,
    kind: one.kind,
    paths: one.paths,
    total: one.total,
  }));
  return overlaps.length > 0 ? { overlaps } : {};
}

const PATHS_NAMED = 5;

/** One line for each conflict, for a digest; empty without any. */
export function conflictWords(radar: Radar | null): string {
  return (overlapsIn(radar).overlaps ?? [])
    .filter(({ kind }) => kind === "conflict")
    .map(({ with: other, paths, total }) => {
      const named = paths.slice(0, PATHS_NAMED);
      const more = total > named.length ? ` and ${total - named.length} more` : "";
      return `Conflict: merging it with ${other} would conflict in ${named.join(", ")}${more}.`;
    })
    .join("\n");
}
