import type { ProjectId, SessionId } from "../../../protocol/ids.ts";
import type { SessionRow } from "../../../protocol/server-messages.ts";
import { newestFirst } from "../state/shell-state.ts";

export type RowsByProject = ReadonlyMap<ProjectId, readonly SessionRow[]>;

/** Every project's rows, newest first. A project none of whose rows changed keeps its very list, so that nothing of it is drawn again. */
export function groupRows(rows: ReadonlyMap<SessionId, SessionRow>, before: RowsByProject): RowsByProject {
  const groups = Map.groupBy(rows.values(), ({ projectId }) => projectId);
  return new Map(
    [...groups].map(([id, group]) => {
      const sorted = group.sort(newestFirst);
      const known = before.get(id);
      const isSame = known?.length === sorted.length && sorted.every((row, at) => row === known[at]);
      return [id, isSame ? known : sorted];
    }),
  );
}
