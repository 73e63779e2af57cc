import type { ClientRequest } from "../../client/pending-requests.ts";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import { SEARCH_HITS_DEFAULT } from "../../protocol/search.ts";
import { KIND_CHOICES } from "./search-words.ts";

/** What the user is looking for, as it stands in the fields. */
export interface SearchWish {
  readonly query: string;
  readonly projectId: ProjectId | null;
  readonly cliType: CliType | null;
  /** A place among the kinds one can choose. */
  readonly kind: number;
  /** Days as the fields have them, in the user's own time; empty is open. */
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

/** The question for the server; null while there is nothing to look for. Pure. */
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
