import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { SessionId } from "../../../protocol/ids.ts";
import type { AgentInfo, SessionRow } from "../../../protocol/server-messages.ts";
import type { ShellState } from "./shell-state.ts";

/** One signal per session: with a thousand rows in the sidebar, one that changes wakes its own and none of the others. */
export class RowSignals {
  readonly #rows = new Map<SessionId, Signal<SessionRow | undefined>>();
  readonly #agents = signal<readonly AgentInfo[]>([]);
  #known: ShellState["sessions"] = new Map();

  get agents(): ReadonlySignal<readonly AgentInfo[]> {
    return this.#agents;
  }

  of(id: SessionId): ReadonlySignal<SessionRow | undefined> {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = signal(this.#known.get(id));
    this.#rows.set(id, row);
    return row;
  }

  follow({ sessions, agents }: ShellState): void {
    this.#agents.value = agents;
    if (sessions === this.#known) return;
    this.#known = sessions;
    for (const [id, row] of this.#rows) row.value = sessions.get(id);
  }
}
