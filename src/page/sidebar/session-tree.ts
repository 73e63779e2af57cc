import type { SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";

/** A session and the sessions its agent started. */
export interface SessionBranch {
  readonly id: SessionId;
  readonly children: readonly SessionBranch[];
}

type Branches = readonly SessionBranch[];

/** Children stand under their parent, in the order given; one whose parent is not there stands by itself. What stands as before is the same object as before. */
export function sessionTree(rows: readonly SessionRow[], before: Branches = []): Branches {
  const ids = new Set(rows.map(({ id }) => id));
  const byParent = Map.groupBy(rows, ({ parentId }) => (parentId !== undefined && ids.has(parentId) ? parentId : null));
  const branches = (parent: SessionId | null, known: Branches): Branches => {
    const knownById = new Map(known.map((branch) => [branch.id, branch]));
    const now = (byParent.get(parent) ?? []).map(({ id }) => {
      const same = knownById.get(id);
      const children = branches(id, same?.children ?? []);
      return same !== undefined && same.children === children ? same : { id, children };
    });
    return now.length === known.length && now.every((branch, at) => branch === known[at]) ? known : now;
  };
  return branches(null, before);
}
