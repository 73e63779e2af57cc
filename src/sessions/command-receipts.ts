import type { SessionLog } from "../ports/session-log.ts";
import { isoTime, type World } from "../ports/world.ts";
import { type Answer, readAnswer, writeAnswer } from "./answer.ts";

/** The first outcome of every command, for whoever sends it again. */
export class CommandReceipts {
  readonly #log: SessionLog;
  readonly #world: World;
  readonly #inFlight = new Map<string, Promise<Answer>>();

  constructor(log: SessionLog, world: World) {
    this.#log = log;
    this.#world = world;
  }

  async once(commandId: string | undefined, act: () => Promise<Answer>): Promise<Answer> {
    if (commandId === undefined) return act();
    const stored = this.#log.receipt(commandId);
    if (stored !== null) return readAnswer(stored);
    const running = this.#inFlight.get(commandId);
    if (running) return running.then(asRepeated);
    const acting = act().finally(() => this.#inFlight.delete(commandId));
    this.#inFlight.set(commandId, acting);
    const answer = await acting;
    if (!isInternal(answer))
      this.#log.saveReceipt({ commandId, answer: writeAnswer(answer), at: isoTime(this.#world) });
    return answer;
  }
}

/** A fault of ours is no outcome: trying again must be able to succeed. */
function isInternal(answer: Answer): boolean {
  return answer.kind === "refused" && answer.refusal.code === "INTERNAL_ERROR";
}

/** The second asker of a command in flight gets a copy of its own, not the published message again. */
function asRepeated(answer: Answer): Answer {
  return readAnswer(writeAnswer(answer));
}
