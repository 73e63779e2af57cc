import { z } from "zod/mini";
import type { Json } from "./json.ts";
import {
  ANSWER_CHARS_MAX,
  type AnswerContent,
  type AnswerValue,
  type QuestionField,
  type TextFormat,
} from "./question.ts";

type Field<Kind extends QuestionField["kind"]> = Extract<QuestionField, { kind: Kind }>;
type Checked = { readonly value: AnswerValue } | { readonly problem: string };

/** The errors of an answer by field name, as text for the user. */
export type AnswerProblems = ReadonlyMap<string, string>;

/** False only if the text is known not to match: a pattern that cannot be tried is checked by the agent. */
export type FitsPattern = (pattern: string, text: string) => boolean;

/** Pure: the validated answer for the agent, or its errors. Used by the page and the server. */
export function checkAnswer(
  fields: readonly QuestionField[],
  content: Readonly<Record<string, Json>>,
  fitsPattern: FitsPattern = () => true,
): { readonly ok: true; readonly content: AnswerContent } | { readonly ok: false; readonly problems: AnswerProblems } {
  const problems = new Map<string, string>();
  const answers: [string, AnswerValue][] = [];
  const known = new Set(fields.map(({ name }) => name));
  for (const name of Object.keys(content))
    if (!known.has(name)) problems.set(name, "The agent did not ask for this field.");
  for (const field of fields) {
    const given = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
    if (isMissing(given)) {
      if (field.required) problems.set(field.name, MISSING_WORDS[field.kind]);
      else if (given === "" || Array.isArray(given)) checkEmpty(field, given, answers);
      continue;
    }
    const checked = checkField(field, given, fitsPattern);
    if ("problem" in checked) problems.set(field.name, checked.problem);
    else answers.push([field.name, checked.value]);
  }
  return problems.size > 0 ? { ok: false, problems } : { ok: true, content: Object.fromEntries(answers) };
}

const MISSING_WORDS: Readonly<Record<QuestionField["kind"], string>> = {
  text: "Fill this in.",
  number: "Enter a number.",
  boolean: "Answer yes or no.",
  choice: "Choose one.",
  choices: "Choose at least one.",
};

function isMissing(given: Json | undefined): given is undefined | null | "" | [] {
  return given === undefined || given === null || given === "" || (Array.isArray(given) && given.length === 0);
}

/** An empty list means "none of these", which is an answer; an empty text is none. */
function checkEmpty(field: QuestionField, given: "" | [], answers: [string, AnswerValue][]): void {
  if (field.kind === "choices" && given !== "") answers.push([field.name, []]);
}

function checkField(field: QuestionField, given: Json, fitsPattern: FitsPattern): Checked {
  switch (field.kind) {
    case "text":
      return checkText(field, given, fitsPattern);
    case "number":
      return checkNumber(field, given);
    case "boolean":
      return typeof given === "boolean" ? { value: given } : { problem: "Answer yes or no." };
    case "choice":
      return checkChoice(field, given);
    case "choices":
      return checkChoices(field, given);
    default:
      return field satisfies never;
  }
}

function checkText(field: Field<"text">, given: Json, fitsPattern: FitsPattern): Checked {
  const { minLength = 0, maxLength = ANSWER_CHARS_MAX, pattern, format } = field;
  if (typeof given !== "string") return { problem: "Enter text." };
  const longest = Math.min(maxLength, ANSWER_CHARS_MAX);
  // A character is at most two units long: only a text near the limit has to be counted.
  const length = given.length > 2 * longest ? given.length : [...given].length;
  if (length > longest) return { problem: `Too long: at most ${characters(longest)}.` };
  if (length < minLength) return { problem: `Too short: at least ${characters(minLength)}.` };
  if (format !== undefined && !FITS_FORMAT[format](given)) return { problem: FORMAT_WORDS[format] };
  if (pattern !== undefined && !fitsPattern(pattern, given))
    return { problem: `Does not match the required pattern: ${pattern}` };
  return { value: given };
}

function characters(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}

const email = z.email();
const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true });

const FITS_FORMAT: Readonly<Record<TextFormat, (text: string) => boolean>> = {
  email: (text) => email.safeParse(text).success,
  uri: (text) => !/\s/.test(text) && URL.canParse(text),
  date: (text) => date.safeParse(text).success,
  "date-time": (text) => dateTime.safeParse(text).success,
};

const FORMAT_WORDS: Readonly<Record<TextFormat, string>> = {
  email: "Enter an email address, like ada@example.com.",
  uri: "Enter a full URL, like https://example.com.",
  date: "Enter a date, like 2026-03-31.",
  "date-time": "Enter a date and a time, like 2026-03-31T09:30:00Z.",
};

function checkNumber({ integer, minimum, maximum }: Field<"number">, given: Json): Checked {
  if (typeof given !== "number" || !Number.isFinite(given)) return { problem: "Enter a number." };
  if (integer && !Number.isInteger(given)) return { problem: "Enter a whole number." };
  if (minimum !== undefined && given < minimum) return { problem: `Too small: at least ${minimum}.` };
  if (maximum !== undefined && given > maximum) return { problem: `Too large: at most ${maximum}.` };
  return { value: given };
}

function checkChoice({ options }: Field<"choice">, given: Json): Checked {
  const chosen = options.find(({ value }) => value === given);
  return chosen ? { value: chosen.value } : { problem: "Choose one of the options." };
}

function checkChoices(field: Field<"choices">, given: Json): Checked {
  const { options, minItems = 0, maxItems = options.length } = field;
  if (!Array.isArray(given)) return { problem: "Choose from the options." };
  const chosen = options.filter(({ value }) => given.includes(value)).map(({ value }) => value);
  if (chosen.length !== given.length) return { problem: "Choose from the options, each once." };
  if (chosen.length < minItems) return { problem: `Choose at least ${minItems}.` };
  if (chosen.length > maxItems) return { problem: `Choose at most ${maxItems}.` };
  return { value: chosen };
}
