import type { Receipt } from "../ports/session-log.ts";
import { type Answer, writeAnswer } from "./answer.ts";

/** A command that was decided on, on its way to the disk with its facts. */
export interface DoneCommand {
  readonly commandId: string | undefined;
  readonly answer: Answer;
  readonly isSend: boolean;
}

/** Saying something is activity, whichever way it goes to the agent. */
export function isSend({ type }: { readonly type: string }): boolean {
  return type === "session:send" || type === "session:steer";
}

export function receiptOf({ commandId, answer }: DoneCommand, at: string): Receipt | null {
  return commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at };
}
