import { type ReadonlySignal, signal } from "@preact/signals";
import type { CliType } from "../../protocol/ids.ts";
import type { PlainServerMessage, ServerMessage } from "../../protocol/server-messages.ts";
import type { Attempt, Trouble } from "./trouble.ts";

/** The state of one agent's install. */
export type Install =
  | { readonly phase: "running"; readonly share: number; readonly words: string }
  | { readonly phase: "failed"; readonly trouble: Trouble };

type Progress = Extract<PlainServerMessage, { type: "agent:install-progress" }>;

/** Running installs, whoever started them: closing the dialog does not stop one. */
export class AgentInstalls {
  readonly #attempt: Attempt;
  /** The last attempt of this page for each agent. */
  readonly #newest = new Map<CliType, symbol>();
  readonly #installs = signal<ReadonlyMap<CliType, Install>>(new Map());

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  get all(): ReadonlySignal<ReadonlyMap<CliType, Install>> {
    return this.#installs;
  }

  receive(message: ServerMessage): void {
    if (message.type === "hello")
      this.#installs.value = new Map(); // a restarted server has none running
    else if (message.type === "agent:install-progress") this.#set(message.cliType, installOf(message));
  }

  /** True when it is installed. */
  async install(cliType: CliType): Promise<boolean> {
    const mine = Symbol(cliType);
    this.#newest.set(cliType, mine);
    this.#set(cliType, { phase: "running", share: 0, words: "Preparing" });
    const answer = await this.#attempt({ type: "agent:install", cliType }, (_words, trouble) => {
      // A cancelled one is refused, too: it is already removed here, or another has replaced it.
      const isShown = this.#newest.get(cliType) === mine && this.#installs.peek().has(cliType);
      if (isShown) this.#set(cliType, { phase: "failed", trouble });
    });
    return answer !== null;
  }

  cancel(cliType: CliType): void {
    void this.#attempt({ type: "agent:install-cancel", cliType });
  }

  #set(cliType: CliType, install: Install | null): void {
    const others = [...this.#installs.peek()].filter(([id]) => id !== cliType);
    this.#installs.value = new Map(install === null ? others : [...others, [cliType, install]]);
  }
}

function installOf({ phase, progress, message }: Progress): Install | null {
  switch (phase) {
    case "done":
    case "cancelled":
      return null;
    case "failed":
      return { phase: "failed", trouble: { code: "AGENT_UNAVAILABLE", message } };
    default:
      return { phase: "running", share: progress, words: message };
  }
}
