import { checkAnswer } from "../../protocol/check-answer.ts";
import type { QuestionResponse } from "../../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import type { Question, QuestionAnswer } from "../../protocol/question.ts";
import { fitsPattern } from "./fits-pattern.ts";

type Judged =
  | { readonly ok: true; readonly answer: QuestionAnswer }
  | { readonly ok: false; readonly refusal: Refusal };

/** Pure: what the agent gets for the user's answer, or what the user has to put right first. */
export function judgeAnswer(question: Question, { action, content = {} }: QuestionResponse): Judged {
  if (action !== "accept" || question.mode === "url") return { ok: true, answer: { action } };
  const checked = checkAnswer(question.fields, content, fitsPattern);
  if (!checked.ok) return { ok: false, refusal: REFUSE.invalidAnswer(checked.problems) };
  return { ok: true, answer: { action, content: checked.content } };
}
