import { describe, expect, it } from "bun:test";
import { checkAnswer } from "./check-answer.ts";
import type { Json } from "./json.ts";
import { ANSWER_CHARS_MAX, type QuestionField } from "./question.ts";

const base = { name: "f", label: "F", required: false };
const text: QuestionField = { ...base, kind: "text" };
const number: QuestionField = { ...base, kind: "number", integer: false };
const OPTIONS = [1, "b", true].map((value) => ({ value, label: `<${value}>` }));
const choice: QuestionField = { ...base, kind: "choice", options: OPTIONS };
const choices: QuestionField = { ...base, kind: "choices", options: OPTIONS };

function check(field: QuestionField, given: Json): unknown {
  const checked = checkAnswer([field], { f: given });
  return checked.ok ? checked.content["f"] : (checked.problems.get("f") ?? "no problem");
}

describe("W-9 an answer is accepted in the form the agent asked for", () => {
  it.each<[QuestionField, Json]>([
    [text, "words"],
    [{ ...text, minLength: 2, maxLength: 2 }, "👩👩"],
    [{ ...text, format: "email" }, "ada@example.com"],
    [{ ...text, format: "uri" }, "mailto:ada@example.com"],
    [{ ...text, format: "date" }, "2028-02-29"],
    [{ ...text, format: "date-time" }, "2026-03-31T09:30:00+02:00"],
    [{ ...text, format: "date-time" }, "2026-03-31T09:30:00.5Z"],
    [number, -1.5],
    [{ ...number, integer: true, minimum: 3, maximum: 3 }, 3],
    [{ ...base, kind: "boolean" }, false],
    [choice, 1],
    [choice, true],
    [choices, [1, true]],
    [choices, []],
    [{ ...choices, minItems: 1, maxItems: 1 }, ["b"]],
  ])("%j accepts %j", (field, given) => expect(check(field, given)).toEqual(given as never));
});

describe("W-9 an invalid answer gets an error per field", () => {
  it.each<[QuestionField, Json, string]>([
    [text, 7, "Enter text"],
    [text, ["a"], "Enter text"],
    [text, "x".repeat(ANSWER_CHARS_MAX + 1), "Too long"],
    [{ ...text, minLength: 2 }, "👩", "at least 2 characters"],
    [{ ...text, maxLength: 1 }, "ab", "at most 1 character."],
    [{ ...text, format: "email" }, "ada@", "email address"],
    [{ ...text, format: "uri" }, "example.com", "full URL"],
    [{ ...text, format: "uri" }, "http://a b", "full URL"],
    [{ ...text, format: "date" }, "2026-02-29", "Enter a date"],
    [{ ...text, format: "date-time" }, "2026-03-31T09:30", "a date and a time"],
    [number, "7", "Enter a number"],
    [{ ...number, integer: true }, 1.5, "whole number"],
    [{ ...number, minimum: 1 }, 0, "at least 1"],
    [{ ...number, maximum: 1 }, 2, "at most 1"],
    [{ ...base, kind: "boolean" }, "true", "yes or no"],
    [choice, "1", "Choose one"],
    [choice, ["b"], "Choose one"],
    [choices, "b", "Choose from"],
    [choices, [1, 1], "each once"],
    [choices, ["c"], "each once"],
    [{ ...choices, minItems: 2 }, [1], "at least 2"],
    [{ ...choices, maxItems: 1 }, [1, "b"], "at most 1"],
  ])("%j refuses %j", (field, given, words) => expect(check(field, given)).toContain(words as never));

  it.each(["text", "number", "boolean", "choice", "choices"] as const)(
    "a %s that is required must be given",
    (kind) => {
      const fields = { text, number, boolean: { ...base, kind: "boolean" } as const, choice, choices };
      const required = { ...fields[kind], required: true };
      for (const content of [{}, { f: null }, { f: "" }, { f: [] }])
        expect(checkAnswer([required], content)).toMatchObject({ ok: false });
      for (const content of [{}, { f: null }])
        expect(checkAnswer([fields[kind]], content)).toEqual({ ok: true, content: {} });
    },
  );

  it("names every wrong field, and unknown fields", () => {
    const checked = checkAnswer([{ ...text, required: true }], JSON.parse('{"g":1,"__proto__":{"f":"x"}}'));
    expect(checked.ok ? [] : [...checked.problems.keys()].toSorted()).toEqual(["__proto__", "f", "g"]);
  });

  it("checks a pattern only for texts that are valid otherwise", () => {
    const asked: string[] = [];
    const fits = (pattern: string, given: string) => {
      asked.push(`${pattern} ${given}`);
      return given === "yes";
    };
    const field: QuestionField = { ...text, pattern: "p", maxLength: 3 };
    expect(checkAnswer([field], { f: "yes" }, fits).ok).toBe(true);
    expect(checkAnswer([field], { f: "no" }, fits)).toMatchObject({ ok: false });
    expect(checkAnswer([field], { f: "much too long" }, fits).ok).toBe(false);
    expect(asked).toEqual(["p yes", "p no"]);
  });
});
