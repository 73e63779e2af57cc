import type { SessionLog } from "../ports/session-log.ts";
import type { Storage } from "../ports/storage.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { ErrorCode } from "../protocol/errors.ts";
import { type Answer, readAnswer, writeAnswer } from "./answer.ts";

interface ReceiptDeps {
  readonly log: SessionLog;
  readonly storage: Storage;
  readonly world: World;
}

/** The first outcome of every command, for whoever sends it again. */
export class CommandReceipts {
  readonly #deps: ReceiptDeps;
  readonly #inFlight = new Map<string, Promise<Answer>>();

  constructor(deps: ReceiptDeps) {
    this.#deps = deps;
  }

  async once(commandId: string | undefined, act: () => Promise<Answer>): Promise<Answer> {
    const { log, storage } = this.#deps;
    const stored = commandId === undefined ? null : log.receipt(commandId);
    if (stored !== null) return readAnswer(stored);
    const running = commandId === undefined ? undefined : this.#inFlight.get(commandId);
    if (running) return running.then(asRepeated);
    // Before anything is done: what cannot be stored must not happen.
    const refusal = storage.refusal();
    if (refusal) return { kind: "refused", refusal };
    if (commandId === undefined) return act();
    const acting = act().finally(() => this.#inFlight.delete(commandId));
    this.#inFlight.set(commandId, acting);
    const answer = await acting;
    if (!isFault(answer)) this.#keep(commandId, answer);
    return answer;
  }

  /** Most are stored with what they are about. Of the others, one that the disk did not take is only told. */
  #keep(commandId: string, answer: Answer): void {
    const { log, world, storage } = this.#deps;
    const save = () => log.saveReceipt({ commandId, answer: writeAnswer(answer), at: isoTime(world) });
    try {
      save();
    } catch {
      // Once more where the disk is no reason, so that any other one is heard of.
      if (storage.refusal() === null) save();
    }
  }
}

const FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["INTERNAL_ERROR", "STORAGE_UNWRITABLE"]);

/** A fault of ours or of the disk is no outcome: trying again must be able to succeed. */
function isFault(answer: Answer): boolean {
  return answer.kind === "refused" && FAULTS.has(answer.refusal.code);
}

/** The second asker of a command in flight gets a copy of its own, not the published message again. */
function asRepeated(answer: Answer): Answer {
  return readAnswer(writeAnswer(answer));
}
