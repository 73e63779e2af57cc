import type { AgentEvent } from "../../ports/agents.ts";
import type { ConfigOption } from "../../protocol/session-parts.ts";

/** Agents may send events before their session exists here: they are held until it does. */
export class EarlyEvents {
  #held: AgentEvent[] = [];
  #target: ((event: AgentEvent) => void) | null = null;

  #options: readonly ConfigOption[] = [];

  /** The options received so far. */
  get options(): readonly ConfigOption[] {
    return this.#options;
  }

  readonly sink = (event: AgentEvent): void => {
    if (event.type === "options") this.#options = event.options;
    if (this.#target) this.#target(event);
    else this.#held.push(event);
  };

  /** The agent has ended: its events here will never be stored. */
  get isLost(): boolean {
    return this.#held.some(({ type }) => type === "lost");
  }

  handOver(target: (event: AgentEvent) => void): void {
    this.#target = target;
    for (const event of this.#held) target(event);
    this.#held = [];
  }
}
