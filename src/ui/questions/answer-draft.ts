import { useState } from "preact/hooks";
import { type AnswerProblems, checkAnswer } from "../../protocol/check-answer.ts";
import type { Json } from "../../protocol/json.ts";
import type { AnswerContent, Question, QuestionField } from "../../protocol/question.ts";

/** A field's value in the browser: text, checked or not, or the indexes of the chosen options. */
export type FieldDraft = string | boolean | readonly number[];
type AnswerDraft = Readonly<Record<string, FieldDraft>>;

/** A new answer, with the agent's defaults. */
export function draftOf(fields: readonly QuestionField[]): AnswerDraft {
  return Object.fromEntries(fields.map((field) => [field.name, startOf(field)]));
}

function startOf(field: QuestionField): FieldDraft {
  switch (field.kind) {
    case "text":
      return field.format === "date-time" ? localTime(field.default ?? "") : (field.default ?? "");
    case "number":
      return field.default === undefined ? "" : String(field.default);
    case "boolean":
      return field.default ?? false;
    case "choice":
      return field.options.flatMap(({ value }, index) => (value === field.default ? [index] : []));
    case "choices":
      return field.options.flatMap(({ value }, index) => (field.default?.includes(value) ? [index] : []));
    default:
      return field satisfies never;
  }
}

/** The answer as sent: empty fields are omitted. */
export function contentOf(fields: readonly QuestionField[], draft: AnswerDraft): Record<string, Json> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = answerIn(field, draft[field.name]);
      return value === undefined ? [] : [[field.name, value] as const];
    }),
  );
}

function answerIn(field: QuestionField, drafted: FieldDraft | undefined): Json | undefined {
  if (drafted === undefined || drafted === "") return undefined;
  switch (field.kind) {
    case "text":
      return field.format === "date-time" ? universalTime(String(drafted)) : String(drafted);
    case "number": {
      const number = Number(String(drafted).trim());
      return Number.isFinite(number) ? number : String(drafted);
    }
    case "boolean":
      return drafted === true;
    case "choice":
      return Array.isArray(drafted) ? field.options[drafted[0]]?.value : undefined;
    case "choices": {
      const chosen = field.options.filter((_, index) => Array.isArray(drafted) && drafted.includes(index));
      // An empty choice is an answer only if the agent proposed some.
      if (chosen.length === 0 && !field.default?.length) return undefined;
      return chosen.map(({ value }) => value);
    }
    default:
      return field satisfies never;
  }
}

const MINUTES_LENGTH = "2026-03-31T09:30".length;

/** Browsers ask for a time without a zone and mean the local one. */
function localTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, MINUTES_LENGTH);
}

function universalTime(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

/** The server's errors for an answer. */
export interface Refused {
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
}

const NO_PROBLEMS: AnswerProblems = new Map();

/** An answer being edited: its fields, and their errors. */
export function useAnswer({ fields }: Question, refused: Refused | null) {
  const [draft, setDraft] = useState<AnswerDraft>(() => draftOf(fields));
  const [own, setOwn] = useState(NO_PROBLEMS);
  /** Fields changed since the server's answer: its errors no longer apply to them. */
  const [mended, setMended] = useState<ReadonlySet<string>>(new Set());
  return {
    draft,
    isTouched: JSON.stringify(draft) !== JSON.stringify(draftOf(fields)),
    change: (name: string, value: FieldDraft) => {
      setDraft({ ...draft, [name]: value });
      setOwn(new Map([...own].filter(([other]) => other !== name)));
      setMended(new Set([...mended, name]));
    },
    problemOf: (name: string) => own.get(name) ?? (mended.has(name) ? undefined : refused?.fields[name]),
    words: problemText(own.size, refused),
    /** The answer, or the names of the invalid fields. */
    finish: (): { readonly content: AnswerContent } | { readonly wrong: readonly string[] } => {
      const checked = checkAnswer(fields, contentOf(fields, draft));
      setOwn(checked.ok ? NO_PROBLEMS : checked.problems);
      setMended(new Set());
      return checked.ok ? { content: checked.content } : { wrong: [...checked.problems.keys()] };
    },
  };
}

function problemText(problems: number, refused: Refused | null): string {
  if (problems === 0) return refused?.message ?? "";
  return problems === 1 ? "1 answer is invalid." : `${problems} answers are invalid.`;
}
