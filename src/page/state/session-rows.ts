import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ProjectId, SessionId } from "../../protocol/ids.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { newestFirst, type ShellState } from "./shell-state.ts";

/** One signal per session: with a thousand rows in the sidebar, a change notifies one of them. */
export class RowSignals {
  readonly #rows = new Map<SessionId, Signal<SessionRow | undefined>>();
  readonly #agents = signal<readonly AgentInfo[]>([]);
  readonly #sessions = signal<ShellState["sessions"]>(new Map());

  get agents(): ReadonlySignal<readonly AgentInfo[]> {
    return this.#agents;
  }

  /** A missing session can be watched without being kept: deleted sessions leave nothing behind. */
  of(id: SessionId): ReadonlySignal<SessionRow | undefined> {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const session = this.#sessions.peek().get(id);
    if (session === undefined) return computed(() => this.#sessions.value.get(id));
    const row = signal<SessionRow | undefined>(session);
    this.#rows.set(id, row);
    return row;
  }

  /** Number of kept rows. */
  get size(): number {
    return this.#rows.size;
  }

  follow({ sessions, agents }: Pick<ShellState, "sessions" | "agents">): void {
    this.#agents.value = agents;
    if (sessions === this.#sessions.peek()) return;
    this.#sessions.value = sessions;
    for (const [id, row] of this.#rows) {
      const session = sessions.get(id);
      // First: watchers read the row again.
      if (session === undefined) this.#rows.delete(id);
      row.value = session;
    }
  }
}

export type RowsByProject = ReadonlyMap<ProjectId, readonly SessionRow[]>;

/** The unsorted rows of a sorted list: comparing them is cheaper than sorting again. */
const cameAs = new WeakMap<readonly SessionRow[], readonly SessionRow[]>();

/**
 * Every project's rows: the pinned ones, then the others, newest first. A project without changed rows keeps its list object, so that it is not rendered
 * again.
 */
export function groupRows(rows: ReadonlyMap<SessionId, SessionRow>, before: RowsByProject): RowsByProject {
  const groups = Map.groupBy(rows.values(), ({ projectId }) => projectId);
  return new Map([...groups].map(([id, group]) => [id, sortedRows(group, before.get(id))]));
}

function sortedRows(group: readonly SessionRow[], known: readonly SessionRow[] | undefined): readonly SessionRow[] {
  if (known !== undefined && isSame(group, cameAs.get(known))) return known;
  const sorted = group.toSorted((a, b) => Number(b.pinned) - Number(a.pinned) || newestFirst(a, b));
  const rows = known !== undefined && isSame(sorted, known) ? known : sorted;
  cameAs.set(rows, group);
  return rows;
}

function isSame(rows: readonly SessionRow[], others: readonly SessionRow[] = []): boolean {
  return rows.length === others.length && rows.every((row, at) => row === others[at]);
}
