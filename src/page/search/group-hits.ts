import type { SearchHit } from "../../protocol/search.ts";

export interface HitGroup {
  /** The first one stands for the session: its title, project and agent. */
  readonly first: SearchHit;
  readonly hits: readonly SearchHit[];
}

/** Hits by session, the session with the best hit first; within it the best first. Pure. */
export function groupHits(hits: readonly SearchHit[]): readonly HitGroup[] {
  return [...Map.groupBy(hits, ({ sessionId }) => sessionId).values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ first, hits: group }] : [];
  });
}

/** A name for each hit that no other has: options are pointed at by it. */
export function hitKey({ sessionId, entryId }: SearchHit): string {
  return `hit-${sessionId}-${entryId ?? "title"}`;
}
