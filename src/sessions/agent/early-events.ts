import type { AgentEvent } from "../../ports/agents.ts";
import type { ConfigOption } from "../../protocol/session-parts.ts";

/** Agents may speak before the session they speak in exists here: what they say is held until it does. */
export class EarlyEvents {
  #held: AgentEvent[] = [];
  #target: ((event: AgentEvent) => void) | null = null;

  #options: readonly ConfigOption[] = [];

  /** What can be chosen, as far as was said. */
  get options(): readonly ConfigOption[] {
    return this.#options;
  }

  readonly sink = (event: AgentEvent): void => {
    if (event.type === "options") this.#options = event.options;
    if (this.#target) this.#target(event);
    else this.#held.push(event);
  };

  /** The agent is gone: nothing it said here will ever be stored. */
  get isLost(): boolean {
    return this.#held.some(({ type }) => type === "lost");
  }

  handOver(target: (event: AgentEvent) => void): void {
    this.#target = target;
    for (const event of this.#held) target(event);
    this.#held = [];
  }
}
