import type { ProjectId } from "../protocol/ids.ts";
import type { SearchHit, SearchRequest } from "../protocol/search.ts";

/** The full text of all sessions. Settled entries are indexed as soon as they are stored. */
export interface SearchIndex {
  /** The best hits first: by relevance, then the newest. Every query is valid. */
  search(request: SearchRequest, nowMs: number, within?: SearchedProjects): Promise<readonly SearchHit[]>;
}

/** Only these projects are searched; null: all. */
export type SearchedProjects = readonly ProjectId[] | null;
