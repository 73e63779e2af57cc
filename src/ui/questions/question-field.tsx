import type { QuestionField } from "../../protocol/question.ts";
import { Icon } from "../icons/icon.tsx";
import type { FieldDraft } from "./answer-draft.ts";
import { BooleanInput, isInView, NumberInput, OptionInputs, SelectInput, TextInput } from "./question-input.tsx";

interface QuestionFieldProps {
  readonly field: QuestionField;
  readonly id: string;
  readonly value: FieldDraft;
  readonly problem: string | undefined;
  readonly onInput: (value: FieldDraft) => void;
}

/** One thing the agent wants to know: its name, what is said about it, where it is answered, and what is wrong with that. */
export function QuestionFieldView(props: QuestionFieldProps) {
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

/** What must be answered is said to everyone; a screen reader has it from the field itself. */
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
