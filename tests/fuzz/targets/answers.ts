import { z } from "zod";
import { ClientRequestError } from "../../../src/agents/acp/client-requests.ts";
import { asObject } from "../../../src/agents/acp/read-json.ts";
import { readQuestion } from "../../../src/agents/acp/translate/read-question.ts";
import { checkAnswer } from "../../../src/protocol/check-answer.ts";
import type { Json } from "../../../src/protocol/json.ts";
import { Question } from "../../../src/protocol/question.ts";
import { fitsPattern } from "../../../src/sessions/rules/validate-answer.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateJson } from "../engine/mutate-json.ts";
import { checkPlain, checkUnpolluted } from "../engine/unpolluted.ts";

const FORM: Json = {
  mode: "form",
  message: "Which one?",
  requestedSchema: {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", title: "Name", minLength: 1, maxLength: 9, pattern: "^(a+)+$", default: "x" },
      mail: { type: "string", format: "email" },
      day: { type: "string", format: "date" },
      count: { type: "integer", minimum: 0, maximum: 9 },
      sure: { type: "boolean", default: true },
      one: { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
      some: { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1, maxItems: 2 },
      titled: { oneOf: [{ const: "x", title: "X" }] },
    },
  },
};
const SAMPLES: readonly Json[] = [FORM, { mode: "url", message: "Sign in", url: "https://example.com/a?b#c" }];
const ANSWER = { name: "aaa", mail: "a@b.c", day: "2026-02-30", count: 3, sure: true, one: "a", some: ["a"] };
const POOL = {
  samples: [...SAMPLES, ANSWER],
  words:
    "name mail day count sure one some type string integer number boolean array enum const oneOf anyOf items format pattern (a|a)* ^a+$ javascript: http:// https://x".split(
      " ",
    ),
};
const Input = z.object({ params: z.unknown(), answer: z.unknown() });

/** Questions agents ask and what users answer: shown or refused in words, and an answer is what was asked for. */
export const answers = fuzzTarget({
  name: "answers",
  weight: 1,
  shape: Input,
  make(source) {
    let params: Json = source.isOneIn(5) ? source.pick(SAMPLES) : FORM;
    for (let changes = source.below(4); changes > 0; changes -= 1) params = mutateJson(source, params, POOL);
    let answer: Json = ANSWER;
    for (let changes = source.below(3); changes > 0; changes -= 1) answer = mutateJson(source, answer, POOL);
    return { params, answer };
  },
  check({ params, answer }) {
    const question = readOrRefuse(params);
    if (question === null) return;
    const parsed = Question.safeParse(question);
    rule(parsed.success, "a question that was read is valid", () => ({ question, error: parsed.error }));
    if (question.url !== undefined) rule(/^https?:/i.test(question.url), "only pages of the web are offered");
    const content = asObject(answer) as Record<string, Json> | null;
    const checked = checkAnswer(question.fields, content ?? {}, fitsPattern);
    if (checked.ok) {
      checkPlain(checked.content);
      const names = new Set(question.fields.map(({ name }) => name));
      rule(
        Object.keys(checked.content).every((name) => names.has(name)),
        "an answer has only what was asked for",
      );
      const again = checkAnswer(question.fields, checked.content, fitsPattern);
      ruleSame(again.ok && again.content, checked.content, "a checked answer passes again");
    } else rule(checked.problems.size > 0, "a refused answer says why");
    checkUnpolluted();
  },
});

function readOrRefuse(params: unknown): Question | null {
  try {
    return readQuestion(asObject(params) ?? {});
  } catch (error) {
    if (!(error instanceof ClientRequestError)) throw error;
    rule(error.message.length > 0, "a refused question says why");
    return null;
  }
}
