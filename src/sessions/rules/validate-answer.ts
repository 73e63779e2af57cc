import { checkAnswer } from "../../protocol/check-answer.ts";
import type { QuestionResponse } from "../../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import type { Question, QuestionAnswer } from "../../protocol/question.ts";
import { loadRe2 } from "../linear-pattern.ts";

type Validated =
  | { readonly ok: true; readonly answer: QuestionAnswer }
  | { readonly ok: false; readonly refusal: Refusal };

/** Pure: what the agent receives for the user's answer, or why the answer does not fit the form. */
export function validateAnswer(question: Question, { action, content = {} }: QuestionResponse): Validated {
  if (action !== "accept" || question.mode === "url") return { ok: true, answer: { action } };
  const checked = checkAnswer(question.fields, content, fitsPattern);
  if (!checked.ok) return { ok: false, refusal: REFUSE.invalidAnswer(checked.problems) };
  return { ok: true, answer: { action, content: checked.content } };
}

/**
 * Matches an agent's pattern in linear time: the pattern comes from the agent, and the server serves everyone. A
 * pattern
 * that needs more (look-around, back references) accepts any text; the agent checks the answer itself.
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
