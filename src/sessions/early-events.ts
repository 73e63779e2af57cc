import type { AgentEvent } from "../ports/agents.ts";

/** Agents may speak before the session they speak in exists here: what they say is held until it does. */
export class EarlyEvents {
  #held: AgentEvent[] = [];
  #target: ((event: AgentEvent) => void) | null = null;

  readonly sink = (event: AgentEvent): void => {
    if (this.#target) this.#target(event);
    else this.#held.push(event);
  };

  handOver(target: (event: AgentEvent) => void): void {
    this.#target = target;
    for (const event of this.#held) target(event);
    this.#held = [];
  }
}
