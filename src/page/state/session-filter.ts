import type { SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { sessionMark } from "./session-mark.ts";

/** What a listed session has to be. */
export type FilterState = "unread" | "waiting" | "failed" | "working" | "pinned";

/** Which sessions are listed: those that have the text, one of the states and all of the labels. */
export interface SessionFilter {
  readonly isOpen: boolean;
  readonly text: string;
  readonly states: readonly FilterState[];
  readonly labels: readonly string[];
}

export const NO_FILTER: SessionFilter = { isOpen: false, text: "", states: [], labels: [] };

export function isFiltering({ text, states, labels }: SessionFilter): boolean {
  return text.trim() !== "" || states.length > 0 || labels.length > 0;
}

/** The rows that a filter lists; the same map when it lists all. */
export function filteredRows(
  rows: ReadonlyMap<SessionId, SessionRow>,
  filter: SessionFilter,
): ReadonlyMap<SessionId, SessionRow> {
  return isFiltering(filter) ? new Map([...rows].filter(([, row]) => isListed(row, filter))) : rows;
}

function isListed(row: SessionRow, { text, states, labels }: SessionFilter): boolean {
  const wanted = text.trim().toLowerCase();
  const own = row.labels.map((label) => label.toLowerCase());
  const hasText = row.title.toLowerCase().includes(wanted) || own.some((label) => label.includes(wanted));
  const hasLabels = labels.every((label) => own.includes(label.toLowerCase()));
  return hasText && hasLabels && (states.length === 0 || states.some((state) => isInState(row, state)));
}

function isInState(row: SessionRow, state: FilterState): boolean {
  if (state === "pinned") return row.pinned;
  if (state === "unread") return row.unread === true;
  const mark = sessionMark(row);
  return mark === state || (state === "working" && mark === "stalled");
}

/** Every label in use, by the alphabet; one that is written in two ways stands there once. */
export function labelsOf(rows: Iterable<SessionRow>): readonly string[] {
  const byName = new Map<string, string>();
  for (const { labels } of rows)
    for (const label of labels) if (!byName.has(label.toLowerCase())) byName.set(label.toLowerCase(), label);
  return [...byName].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, label]) => label);
}
