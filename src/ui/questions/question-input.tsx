import type { QuestionField } from "../../protocol/question.ts";
import type { FieldDraft } from "./answer-draft.ts";

type Field<Kind extends QuestionField["kind"]> = Extract<QuestionField, { kind: Kind }>;

/** Up to here all answers are in view at once. */
const RADIOS_MAX = 6;
export interface InputProps<Kind extends QuestionField["kind"]> {
  readonly field: Field<Kind>;
  readonly id: string;
  readonly value: FieldDraft;
  readonly onInput: (value: FieldDraft) => void;
  readonly aria: { readonly "aria-describedby"?: string | undefined; readonly "aria-invalid": boolean };
}

export function TextInput({ field, id, value, onInput, aria }: InputProps<"text">) {
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

/** Not the browser's own number field: that one swallows what it does not understand, and changes with the wheel. */
export function NumberInput({ field, id, value, onInput, aria }: InputProps<"number">) {
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

export function BooleanInput({ field, id, value, onInput, aria }: InputProps<"boolean">) {
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

export function isInView({ options }: Field<"choice">): boolean {
  return options.length <= RADIOS_MAX;
}

export function SelectInput({ field, id, value, onInput, aria }: InputProps<"choice">) {
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

/** Radios for one, checkboxes for several; the first carries the id, so that the focus has somewhere to go. */
export function OptionInputs({ field, id, value, onInput, aria }: InputProps<"choice" | "choices">) {
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
