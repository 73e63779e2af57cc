import type { SearchHit, SearchRequest } from "../protocol/search.ts";

/** Everything ever said, findable by its words. What is settled is in it from the moment it is stored. */
export interface SearchIndex {
  /** The best hits first: relevance, and of equal ones the newest. Any query is answered, none is an error. */
  search(request: SearchRequest, nowMs: number): readonly SearchHit[];
}
