import type { AnswerContent, AnswerValue, FieldOption, QuestionField } from "../protocol/question.ts";
import { CliError, EXIT } from "./exit-codes.ts";

/** `name=value` words as the answers to a form; whether they are complete is the server's to say. */
export function answersOf(fields: readonly QuestionField[], words: readonly string[]): AnswerContent {
  return Object.fromEntries(words.map((word) => answerOf(fields, word)));
}

function answerOf(fields: readonly QuestionField[], word: string): [string, AnswerValue] {
  const at = word.indexOf("=");
  const field = fields.find(({ name }) => name === word.slice(0, Math.max(0, at)));
  if (!field) {
    const known = fields.map(({ name }) => `${name}=…`).join(" ");
    throw new CliError(EXIT.usage, `"${word}" answers no field of this question. Its fields: ${known}`, "USAGE");
  }
  return [field.name, valueFor(field, word.slice(at + 1))];
}

function valueFor(field: QuestionField, text: string): AnswerValue {
  switch (field.kind) {
    case "text":
      return text;
    case "number":
      return numberOf(field.name, text);
    case "boolean":
      return /^(true|yes|y|1)$/i.test(text);
    case "choice":
      return choiceOf(field.options, text);
    case "choices":
      return text === "" ? [] : text.split(",").map((one) => choiceOf(field.options, one.trim()));
    default:
      return field satisfies never;
  }
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw new CliError(EXIT.usage, `${name} is "${text}": give a number.`, "USAGE");
}

/** By value or by label; what is neither is for the server to refuse. */
function choiceOf(options: readonly FieldOption[], text: string): string | number | boolean {
  return options.find(({ value, label }) => String(value) === text || label === text)?.value ?? text;
}
