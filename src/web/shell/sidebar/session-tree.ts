import type { SessionId } from "../../../protocol/ids.ts";
import type { SessionRow } from "../../../protocol/server-messages.ts";

/** A session and the sessions its agent started. */
export interface SessionBranch {
  readonly session: SessionRow;
  readonly children: readonly SessionBranch[];
}

/** Children stand under their parent, in the order given; one whose parent is not there stands by itself. */
export function sessionTree(rows: readonly SessionRow[]): readonly SessionBranch[] {
  const ids = new Set(rows.map(({ id }) => id));
  const byParent = Map.groupBy(rows, ({ parentId }) => (parentId !== undefined && ids.has(parentId) ? parentId : null));
  const branches = (parent: SessionId | null): readonly SessionBranch[] =>
    (byParent.get(parent) ?? []).map((session) => ({ session, children: branches(session.id) }));
  return branches(null);
}
