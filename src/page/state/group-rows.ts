import type { ProjectId, SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { newestFirst } from "./shell-state.ts";

export type RowsByProject = ReadonlyMap<ProjectId, readonly SessionRow[]>;

/** The rows a sorted list was made of, as they came: comparing them is cheaper than sorting them again. */
const cameAs = new WeakMap<readonly SessionRow[], readonly SessionRow[]>();

/** Every project's rows, newest first. A project none of whose rows changed keeps its very list, so that nothing of it is drawn again. */
export function groupRows(rows: ReadonlyMap<SessionId, SessionRow>, before: RowsByProject): RowsByProject {
  const groups = Map.groupBy(rows.values(), ({ projectId }) => projectId);
  return new Map([...groups].map(([id, group]) => [id, sortedRows(group, before.get(id))]));
}

function sortedRows(group: readonly SessionRow[], known: readonly SessionRow[] | undefined): readonly SessionRow[] {
  if (known !== undefined && isSame(group, cameAs.get(known))) return known;
  const sorted = group.toSorted(newestFirst);
  const rows = known !== undefined && isSame(sorted, known) ? known : sorted;
  cameAs.set(rows, group);
  return rows;
}

function isSame(rows: readonly SessionRow[], others: readonly SessionRow[] = []): boolean {
  return rows.length === others.length && rows.every((row, at) => row === others[at]);
}
