import type { ClientRequest } from "../../client/pending-requests.ts";
import { ENTRY_LABELS } from "../../protocol/entry.ts";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import { SEARCH_HITS_DEFAULT, type SearchHit, type SearchKind } from "../../protocol/search.ts";

/** The search fields. */
export interface SearchWish {
  readonly query: string;
  readonly projectId: ProjectId | null;
  readonly cliType: CliType | null;
  /** An index into the list of kinds. */
  readonly kind: number;
  /** Days as in the fields, in the user's time zone; empty means open. */
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly includeArchived: boolean;
}

export const NO_WISH: SearchWish = {
  query: "",
  projectId: null,
  cliType: null,
  kind: 0,
  from: "",
  to: "",
  path: "",
  includeArchived: false,
};

/** The request for the server; null if there is nothing to search. Pure. */
export function searchRequest(wish: SearchWish): Extract<ClientRequest, { type: "search" }> | null {
  const query = wish.query.trim();
  const path = wish.path.trim();
  if (query === "" && path === "") return null;
  const kinds = KIND_CHOICES[wish.kind]?.kinds ?? [];
  return {
    type: "search",
    query,
    limit: SEARCH_HITS_DEFAULT,
    ...(wish.projectId && { projectId: wish.projectId }),
    ...(wish.cliType && { cliType: wish.cliType }),
    ...(kinds.length > 0 && { kinds: [...kinds] }),
    ...(wish.from !== "" && { from: new Date(`${wish.from}T00:00:00`).toISOString() }),
    ...(wish.to !== "" && { to: new Date(`${wish.to}T23:59:59.999`).toISOString() }),
    ...(path !== "" && { path }),
    ...(wish.includeArchived && { includeArchived: true }),
  };
}

/** The kind of a hit as one word. */
export const KIND_WORDS: Readonly<Record<SearchKind, string>> = {
  title: "Title",
  ...ENTRY_LABELS,
};

/** The kinds to choose from, with their labels. */
export const KIND_CHOICES: readonly { readonly words: string; readonly kinds: readonly SearchKind[] }[] = [
  { words: "Everything", kinds: [] },
  { words: "Titles", kinds: ["title"] },
  { words: "My messages", kinds: ["user"] },
  { words: "Answers", kinds: ["assistant"] },
  { words: "Thinking", kinds: ["thinking"] },
  { words: "Tools and files", kinds: ["tool-call"] },
  { words: "Plans and notices", kinds: ["plan", "notice"] },
];

export function countWords(hits: number, sessions: number): string {
  return `${hits} ${hits === 1 ? "result" : "results"} in ${sessions} ${sessions === 1 ? "session" : "sessions"}`;
}

export interface HitGroup {
  /** The first one represents the session: its title, project and agent. */
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

/** A unique id for each hit, for `aria-activedescendant`. */
export function hitKey({ sessionId, entryId }: SearchHit): string {
  return `hit-${sessionId}-${entryId ?? "title"}`;
}
