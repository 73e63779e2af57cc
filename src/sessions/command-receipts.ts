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

/** The first outcome of every command, for repetitions. */
export class CommandReceipts {
  readonly #deps: ReceiptDeps;
  readonly #inFlight = new Map<string, Promise<Answer>>();
  /** Never rejects. */
  #lastLookup: Promise<unknown> = Promise.resolve();

  constructor(deps: ReceiptDeps) {
    this.#deps = deps;
  }

  /** Commands start in the order of the calls, however long the lookup of their receipts takes. */
  once(commandId: string | undefined, act: () => Promise<Answer>): Promise<Answer> {
    const running = commandId === undefined ? undefined : this.#inFlight.get(commandId);
    if (running) return running.then(asRepeated);
    const stored = commandId === undefined ? Promise.resolve(null) : this.#deps.log.receipt(commandId);
    const inTurn = this.#lastLookup.then(() => stored);
    this.#lastLookup = inTurn.catch(() => undefined);
    const answered = inTurn.then((receipt) => (receipt === null ? this.#act(commandId, act) : readAnswer(receipt)));
    if (commandId === undefined) return answered;
    const settled = answered.finally(() => this.#inFlight.delete(commandId));
    this.#inFlight.set(commandId, settled);
    return settled;
  }

  async #act(commandId: string | undefined, act: () => Promise<Answer>): Promise<Answer> {
    // Checked first: what cannot be stored must not happen.
    const refusal = this.#deps.storage.refusal();
    if (refusal) return { kind: "refused", refusal };
    const answer = await act();
    if (commandId !== undefined && !isFault(answer)) await this.#keep(commandId, answer);
    return answer;
  }

  /** Most receipts are stored with their facts. If another one cannot be stored, it is only returned. */
  async #keep(commandId: string, answer: Answer): Promise<void> {
    const { log, world, storage } = this.#deps;
    const save = () => log.saveReceipt({ commandId, answer: writeAnswer(answer), at: isoTime(world) });
    try {
      await save();
    } catch {
      // Retried unless the disk is the reason, so that other errors are reported.
      if (storage.refusal() === null) await save();
    }
  }
}

const FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["INTERNAL_ERROR", "STORAGE_UNWRITABLE"]);

/** A fault of ours or of the disk is not an outcome: a retry must be able to succeed. */
function isFault(answer: Answer): boolean {
  return answer.kind === "refused" && FAULTS.has(answer.refusal.code);
}

/** A repetition of a running command gets its own copy, not the published message again. */
function asRepeated(answer: Answer): Answer {
  return readAnswer(writeAnswer(answer));
}
