import type { QuestionResponse } from "../../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { endVisit, openQuestion, resolveQuestion } from "./observe-question.ts";
import type { Outcome, SessionContext } from "./session-context.ts";

type Decided =
  | ({ readonly ok: true; readonly answer: "elicitation:resolved" } & Outcome)
  | { readonly ok: false; readonly refusal: Refusal };

/** Pure: what the user's answer to a question comes to. One that does not fit leaves the question open. */
export function decideQuestion(context: SessionContext, command: QuestionResponse): Decided {
  const { state } = context;
  const { elicitationId } = command;
  const answered = { ok: true, answer: "elicitation:resolved" } as const;
  const asked = openQuestion(state, elicitationId);
  if (asked) {
    const judged = judgeAnswer(asked, command);
    return judged.ok ? { ...answered, ...resolveQuestion(context, asked, judged.answer) } : judged;
  }
  const visit = state.visits.find((one) => one.elicitationId === elicitationId);
  if (!visit || command.action === "accept")
    return { ok: false, refusal: REFUSE.notPending(context.endOfQuestion(elicitationId)) };
  return { ...answered, facts: endVisit(state, visit, { action: command.action, done: true }), effects: [] };
}
