import { useId, useRef, useState } from "preact/hooks";
import type { Json } from "../../protocol/json.ts";
import type { Question, QuestionField } from "../../protocol/question.ts";
import { Icon } from "../icons/icon.tsx";
import { type FieldDraft, type Refused, useAnswer } from "./answer-draft.ts";

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

/** The agent's question as a form: validated here first, so that errors are shown at their fields. */
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
        // One key does not discard typed text.
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
          ? `Press Esc again to ${onLeave ? "close the form" : "dismiss the question"}. Your input will be lost.`
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

interface QuestionFieldProps {
  readonly field: QuestionField;
  readonly id: string;
  readonly value: FieldDraft;
  readonly problem: string | undefined;
  readonly onInput: (value: FieldDraft) => void;
}

/** One field: its name, its description, its input, and its error. */
function QuestionFieldView(props: QuestionFieldProps) {
  const { field, id, problem } = props;
  const hint = hintOf(field);
  const parts = [hint === "" ? null : `${id}-hint`, problem === undefined ? null : `${id}-problem`].filter(Boolean);
  const aria = { "aria-describedby": parts.join(" ") || undefined, "aria-invalid": problem !== undefined };
  const below = (
    <>
      {hint !== "" && (
        <p class="question-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p class="question-problem" id={`${id}-problem`}>
          <Icon name="fail" class="icon-sm" />
          {problem}
        </p>
      )}
    </>
  );
  if (field.kind === "choices" || (field.kind === "choice" && isInView(field))) {
    return (
      <fieldset class="question-field" aria-describedby={aria["aria-describedby"]}>
        <legend class="question-label">
          <Label field={field} />
        </legend>
        {below}
        <div class="question-options">
          <OptionInputs {...props} field={field} aria={{ "aria-invalid": problem !== undefined }} />
        </div>
      </fieldset>
    );
  }
  return (
    <div class="question-field">
      {field.kind !== "boolean" && (
        <label class="question-label" for={id}>
          <Label field={field} />
        </label>
      )}
      {field.kind === "text" && <TextInput {...props} field={field} aria={aria} />}
      {field.kind === "number" && <NumberInput {...props} field={field} aria={aria} />}
      {field.kind === "boolean" && <BooleanInput {...props} field={field} aria={aria} />}
      {field.kind === "choice" && <SelectInput {...props} field={field} aria={aria} />}
      {below}
    </div>
  );
}

/** Marks required fields; screen readers get this from the field itself. */
function Label({ field: { label, required } }: { field: QuestionField }) {
  return (
    <>
      {label}
      {required && (
        <span class="question-required" aria-hidden="true">
          {" "}
          required
        </span>
      )}
    </>
  );
}

function hintOf(field: QuestionField): string {
  return [field.description ?? "", limitsOf(field)].filter(Boolean).join(" ");
}

function limitsOf(field: QuestionField): string {
  if (field.kind === "choices") return rangeWords("Choose", field.minItems, field.maxItems);
  if (field.kind !== "number") return "";
  return rangeWords("", field.minimum, field.maximum);
}

function rangeWords(verb: string, least: number | undefined, most: number | undefined): string {
  const say = (words: string) => (verb === "" ? `${words[0]?.toUpperCase()}${words.slice(1)}.` : `${verb} ${words}.`);
  if (least !== undefined && most !== undefined) return say(`from ${least} to ${most}`);
  if (least !== undefined) return say(`at least ${least}`);
  return most === undefined ? "" : say(`at most ${most}`);
}

type Field<Kind extends QuestionField["kind"]> = Extract<QuestionField, { kind: Kind }>;

/** Up to this many options are all in view. */
const RADIOS_MAX = 6;
interface InputProps<Kind extends QuestionField["kind"]> {
  readonly field: Field<Kind>;
  readonly id: string;
  readonly value: FieldDraft;
  readonly onInput: (value: FieldDraft) => void;
  readonly aria: { readonly "aria-describedby"?: string | undefined; readonly "aria-invalid": boolean };
}

function TextInput({ field, id, value, onInput, aria }: InputProps<"text">) {
  const described = { id, value: String(value), "aria-required": field.required, ...aria };
  if (field.long) {
    return (
      <textarea
        class="question-text"
        rows={3}
        {...described}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    );
  }
  const input = {
    class: "question-text",
    autocomplete: "off" as const,
    ...described,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  };
  switch (field.format) {
    case undefined:
      return <input type="text" {...input} />;
    case "email":
      return <input type="email" {...input} />;
    case "uri":
      return <input type="url" {...input} />;
    case "date":
      return <input type="date" {...input} />;
    case "date-time":
      return <input type="datetime-local" {...input} />;
    default:
      return field.format satisfies never;
  }
}

/** Not the browser's number field: that one drops invalid input, and changes with the wheel. */
function NumberInput({ field, id, value, onInput, aria }: InputProps<"number">) {
  return (
    <input
      class="question-text question-number"
      type="text"
      inputMode={field.integer ? "numeric" : "decimal"}
      autocomplete="off"
      id={id}
      value={String(value)}
      aria-required={field.required}
      {...aria}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

function BooleanInput({ field, id, value, onInput, aria }: InputProps<"boolean">) {
  return (
    <label class="question-option" for={id}>
      <input
        type="checkbox"
        id={id}
        checked={value === true}
        {...aria}
        onChange={(event) => onInput(event.currentTarget.checked)}
      />
      <span class="question-option-label">{field.label}</span>
    </label>
  );
}

function isInView({ options }: Field<"choice">): boolean {
  return options.length <= RADIOS_MAX;
}

function SelectInput({ field, id, value, onInput, aria }: InputProps<"choice">) {
  const [chosen] = Array.isArray(value) ? value : [];
  return (
    <select
      class="question-text"
      id={id}
      value={chosen === undefined ? "" : String(chosen)}
      aria-required={field.required}
      {...aria}
      onChange={({ currentTarget }) => onInput(currentTarget.value === "" ? [] : [Number(currentTarget.value)])}
    >
      <option value="">Choose…</option>
      {field.options.map(({ label }, index) => (
        <option key={index} value={String(index)}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Radios for one, checkboxes for several; the first has the id, so that it can be focused. */
function OptionInputs({ field, id, value, onInput, aria }: InputProps<"choice" | "choices">) {
  const chosen = new Set(Array.isArray(value) ? value : []);
  const isOne = field.kind === "choice";
  const choose = (index: number, isChosen: boolean) => {
    const kept = isOne ? [] : [...chosen].filter((one) => one !== index);
    onInput(isChosen ? [...kept, index] : kept);
  };
  return (
    <>
      {field.options.map((option, index) => (
        <label key={index} class="question-option">
          <input
            type={isOne ? "radio" : "checkbox"}
            name={id}
            id={index === 0 ? id : undefined}
            checked={chosen.has(index)}
            {...aria}
            onChange={(event) => choose(index, event.currentTarget.checked)}
          />
          <span>
            <span class="question-option-label">{option.label}</span>
            {option.description !== undefined && <span class="question-hint">{option.description}</span>}
          </span>
        </label>
      ))}
      {isOne && !field.required && chosen.size > 0 && (
        <button type="button" class="button ghost question-clear" onClick={() => onInput([])}>
          Clear choice
        </button>
      )}
    </>
  );
}
