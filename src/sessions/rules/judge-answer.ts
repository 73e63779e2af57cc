import { checkAnswer } from "../../protocol/check-answer.ts";
import type { QuestionResponse } from "../../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import type { Question, QuestionAnswer } from "../../protocol/question.ts";
import { loadRe2 } from "../linear-pattern.ts";

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

/**
 * Tries an agent's pattern in time that grows with the text and no faster: the pattern is the agent's, the text is the
 * user's, and the server is everyone's. One that needs more than that (looking around, referring back) fits anything:
 * the agent checks its own answer.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  const { RE2JS, RE2JSException } = loadRe2();
  try {
    return RE2JS.compile(pattern).matcher(text).find();
  } catch (error) {
    if (error instanceof RE2JSException) return true;
    throw error;
  }
}
