import { useState } from "preact/hooks";
import { type AnswerProblems, checkAnswer } from "../../protocol/check-answer.ts";
import type { AnswerContent, Question } from "../../protocol/question.ts";
import { type AnswerDraft, contentOf, draftOf, type FieldDraft } from "./answer-draft.ts";

/** What the server did not like about an answer. */
export interface Refused {
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
}

const NO_PROBLEMS: AnswerProblems = new Map();

/** An answer in the making: what stands in its fields, and what is wrong with them. */
export function useAnswer({ fields }: Question, refused: Refused | null) {
  const [draft, setDraft] = useState<AnswerDraft>(() => draftOf(fields));
  const [own, setOwn] = useState(NO_PROBLEMS);
  /** Fields that were changed since the server spoke: what it said of them is no longer about them. */
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
    /** The answer, or the names of the fields that must be put right first. */
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
  return problems === 1 ? "One answer needs another look." : `${problems} answers need another look.`;
}
