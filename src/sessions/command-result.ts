import { invariant } from "../lib/assert.ts";
import type { AgentBinding, Receipt, SessionLog } from "../ports/session-log.ts";
import type { Storage } from "../ports/storage.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import type { Fact, FactBody } from "../protocol/facts.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import type { Effect } from "./rules/session-context.ts";

/** A decided command on its way to the disk with its facts. */
export interface CommandResult {
  readonly commandId: string | undefined;
  readonly answer: Answer;
  readonly isSend: boolean;
}

/** Sending a message is activity, whichever way it reaches the agent. */
export function isSend({ type }: { readonly type: string }): boolean {
  return type === "session:send" || type === "session:steer";
}

/** A refusal is an outcome, too: the same command gets it again. */
export async function refused(
  commandId: string | undefined,
  refusal: Refusal,
  log: SessionLog,
  at: string,
): Promise<Answer> {
  const answer: Answer = { kind: "refused", refusal };
  if (commandId !== undefined) await log.saveReceipt({ commandId, answer: writeAnswer(answer), at });
  return answer;
}

/** What could not be stored did not happen. */
export function unstorable(storage: Storage): Answer {
  return { kind: "refused", refusal: storage.refusal() ?? REFUSE.internal() };
}

export function receiptOf({ commandId, answer }: CommandResult, at: string): Receipt | null {
  return commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at };
}

/** The fact of that type that the command created, or a plain ok. */
export function answerOf(made: readonly Fact[], seq: number, type: FactBody["type"] | null): Answer {
  if (type === null) return { kind: "ok", seq };
  const fact = made.findLast((one) => one.type === type);
  invariant(fact, `a decision returns the fact ${type} it names as its answer`);
  return { kind: "fact", fact };
}

/**
 * A session has ended from the commit of that command on, and is alive again from the one that starts its agent: the
 * agent's own confirmation may come after a crash, and would then be lost.
 */
export function stateAfter(state: AgentBinding["state"], effects: readonly Effect[]): AgentBinding["state"] {
  if (effects.some(({ type }) => type === "close-agent")) return "closed";
  return state === "closed" && effects.some(({ type }) => type === "prompt") ? "idle" : state;
}
