import { CommandId, TurnId } from "../../protocol/ids.ts";
import type { SessionNote } from "./connection/acp-note.ts";
import { commandOfSteer, turnOfPrompt } from "./connection/wire-message.ts";

/** What one conversation has asked its agent and waits for, by the keys of the requests; an earlier server's included. */
export class OpenPrompts {
  readonly #turns = new Map<string, TurnId>();
  readonly #steered = new Map<string, CommandId>();
  /** Everything that is known to have been asked. */
  readonly #asked = new Set<string>();
  /** The agent was told to stop what is open. */
  isCancelled = false;

  get hasTurn(): boolean {
    return this.#turns.size > 0;
  }

  get turnKeys(): readonly string[] {
    return [...this.#turns.keys()];
  }

  /** The key names the turn. */
  addTurn(key: string): void {
    const turnId = TurnId.parse(turnOfPrompt(key));
    this.#asked.add(turnId);
    this.#turns.set(key, turnId);
    this.isCancelled = false;
  }

  /** The key names the message. */
  addSteered(key: string): void {
    const commandId = CommandId.parse(commandOfSteer(key));
    this.#asked.add(commandId);
    this.#steered.set(key, commandId);
  }

  takeTurn(key: string): TurnId | undefined {
    const turnId = this.#turns.get(key);
    if (this.#turns.delete(key)) this.isCancelled = false;
    return turnId;
  }

  takeSteered(key: string): CommandId | undefined {
    const commandId = this.#steered.get(key);
    this.#steered.delete(key);
    return commandId;
  }

  wasAsked(id: TurnId | CommandId): boolean {
    return this.#asked.has(id);
  }

  get note(): Pick<SessionNote, "prompts" | "steered" | "isCancelled"> {
    return { prompts: [...this.turnKeys], steered: [...this.#steered.keys()], isCancelled: this.isCancelled };
  }
}
