import { REFUSE } from "../protocol/errors.ts";
import type { Answer } from "./answer.ts";
import type { decide } from "./meaning/decide.ts";
import type { Observed } from "./policy/permission-judge.ts";

export const PACE = {
  /** One frame of a 60 Hz screen: text that comes faster is committed and sent together. */
  textHoldMs: 16,
  /** Text that nobody looks at: merged into fewer facts, so that sessions in the background cost little. */
  unwatchedTextHoldMs: 1_000,
  mailItemsMax: 2_000,
  /** What could not be stored is tried again after this long. */
  commitRetryMs: 1_000,
};

export type DecidedCommand = Parameters<typeof decide>[1];

/** What enters a session: what a user wants, and what the agent said. */
export type Mail = { from: "user"; command: DecidedCommand; answer: (answer: Answer) => void } | AgentMail;

/** `heard` is how far the agent's process had been heard by then. */
export type AgentMail = { from: "agent"; event: Observed; heard: number };

/** The session is deleted: whoever still asks something of it is told so, and what the agent says is dropped. */
export function answerGone(batch: readonly Mail[]): void {
  for (const mail of batch)
    if (mail.from === "user") mail.answer({ kind: "refused", refusal: REFUSE.sessionNotFound() });
}
