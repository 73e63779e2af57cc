import { useId, useRef, useState } from "preact/hooks";
import type { Json } from "../../protocol/json.ts";
import type { Question } from "../../protocol/question.ts";
import { QuestionFieldView } from "./question-field.tsx";
import { type Refused, useAnswer } from "./use-answer.ts";

interface QuestionFormProps {
  readonly question: Question;
  readonly refused: Refused | null;
  readonly isBusy: boolean;
  /** It has been in view long enough to be answered. */
  readonly isReady: boolean;
  readonly onAnswer: (content: Record<string, Json>) => void;
  readonly onDecline: () => void;
  readonly onDismiss: () => void;
  /** What Esc does instead of dismissing. */
  readonly onLeave?: (() => void) | undefined;
}

/** The agent's question as a form: checked here first, so that what is wrong is said where it is. */
export function QuestionForm(props: QuestionFormProps) {
  const { question, refused, isBusy, isReady, onAnswer, onDecline, onDismiss, onLeave } = props;
  const { fields, description } = question;
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const answer = useAnswer(question, refused);
  const [isLeaving, setLeaving] = useState(false);
  const idOf = (name: string) => `${id}-${fields.findIndex((field) => field.name === name)}`;
  const submit = () => {
    const finished = answer.finish();
    if ("content" in finished) onAnswer(finished.content);
    else focusFirst(form.current, finished.wrong.map(idOf));
  };
  return (
    <form
      class="question-form"
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key !== "Escape") return;
        event.preventDefault();
        // What was typed is not thrown away by one key.
        if (answer.isTouched && !isLeaving) setLeaving(true);
        else (onLeave ?? onDismiss)();
      }}
    >
      <div class="question-fields">
        {description !== undefined && <p class="question-hint">{description}</p>}
        {fields.map((field) => (
          <QuestionFieldView
            key={field.name}
            field={field}
            id={idOf(field.name)}
            value={answer.draft[field.name] ?? ""}
            problem={answer.problemOf(field.name)}
            onInput={(value) => {
              answer.change(field.name, value);
              setLeaving(false);
            }}
          />
        ))}
      </div>
      <p class="question-told" role="status">
        {isLeaving
          ? `Press Esc again to ${onLeave ? "close the form" : "dismiss the question"}. What you filled in is lost then.`
          : answer.words}
      </p>
      <Actions isBusy={isBusy} isReady={isReady} onDecline={onDecline} onDismiss={onDismiss} />
    </form>
  );
}

function Actions({
  isBusy,
  isReady,
  onDecline,
  onDismiss,
}: Pick<QuestionFormProps, "isBusy" | "isReady" | "onDecline" | "onDismiss">) {
  return (
    <div class="question-actions">
      <button class="button primary" type="submit" aria-busy={isBusy} aria-disabled={!isReady}>
        Answer
      </button>
      <button class="button ghost" type="button" aria-disabled={!isReady} onClick={onDismiss}>
        Dismiss
      </button>
      <button class="button" type="button" aria-disabled={!isReady} onClick={onDecline}>
        Decline
      </button>
    </div>
  );
}

function focusFirst(form: HTMLFormElement | null, ids: readonly string[]): void {
  const fields = [...(form?.querySelectorAll<HTMLElement>("input, select, textarea") ?? [])];
  fields.find((field) => ids.includes(field.id))?.focus();
}
