import type { AgentEvent } from "../../ports/agents.ts";

/** Agents do not say when a replay is over, and some go on after they answered: silence for this long is the end. */
const REPLAY_QUIET_MS = 150;
const REPLAY_WAIT_MS_MAX = 5_000;

/** What a replay of old talk may still tell us that is news: choices, commands and usage, never words. */
const CURRENT: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "options",
  "option-chosen",
  "commands",
  "usage",
]);

/** The agent repeats what it remembers; its words are ours already, so they are only counted. */
export class Replay {
  #userMessages = 0;
  #lastKind: string | null = null;
  #onWord: () => void = () => undefined;

  /** True for what is news even in a replay. */
  hear(event: AgentEvent): boolean {
    if (CURRENT.has(event.type)) return true;
    this.#onWord();
    const kind = event.type === "text" || event.type === "part" ? event.kind : event.type;
    if (kind === "user" && this.#lastKind !== "user") this.#userMessages++;
    this.#lastKind = kind;
    return false;
  }

  /** How many messages of the user the agent still knows. */
  get userMessages(): number {
    return this.#userMessages;
  }

  /** Resolves when nothing more has come for a while. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(quiet);
        clearTimeout(limit);
        this.#onWord = () => undefined;
        resolve();
      };
      let quiet = setTimeout(finish, REPLAY_QUIET_MS);
      const limit = setTimeout(finish, REPLAY_WAIT_MS_MAX);
      this.#onWord = () => {
        clearTimeout(quiet);
        quiet = setTimeout(finish, REPLAY_QUIET_MS);
      };
    });
  }
}
