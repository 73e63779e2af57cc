import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { NamedValue, Tested, ValueSource } from "../../protocol/agent-settings.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { Choice } from "../controls/choice.tsx";

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: ComponentChildren;
  readonly placeholder?: string;
  readonly isFirst?: boolean;
  readonly onInput: (value: string) => void;
}

export function TextField({ label, value, hint, placeholder, isFirst = false, onInput }: TextFieldProps) {
  const [id, hintId] = [useId(), useId()];
  return (
    <div>
      <label class="label" for={id}>
        {label}
      </label>
      <div class="field">
        <input
          id={id}
          class="mono"
          value={value}
          placeholder={placeholder}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          data-first-focus={isFirst ? "" : undefined}
          aria-describedby={hint === undefined ? undefined : hintId}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      </div>
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface ArgumentsFieldProps {
  readonly args: readonly string[];
  readonly label?: string;
  readonly onChange: (args: string[]) => void;
}

/** One argument in a line: no shell reads them, so nothing has to be quoted. */
export function ArgumentsField({ args, label = "Arguments, one per line", onChange }: ArgumentsFieldProps) {
  const id = useId();
  return (
    <div>
      <label class="label" for={id}>
        {label}
      </label>
      <textarea
        id={id}
        class="text-area mono"
        rows={Math.max(2, Math.min(8, args.length))}
        spellcheck={false}
        value={args.join("\n")}
        onInput={({ currentTarget: { value } }) => onChange(value === "" ? [] : value.split("\n"))}
      />
    </div>
  );
}

const SOURCES: Readonly<Record<ValueSource["kind"], string>> = {
  variable: "Variable of the server",
  file: "File",
  text: "Value",
};

interface ValuesFieldProps {
  /** "Environment", "Headers". */
  readonly label: string;
  /** "variable", "header". */
  readonly one: string;
  readonly values: readonly NamedValue[];
  readonly onChange: (values: NamedValue[]) => void;
}

/**
 * Names with the sources of their values. A stored value is never shown; it is better to name a secret than to store
 * it.
 */
export function ValuesField({ label, one, values, onChange }: ValuesFieldProps) {
  const set = (at: number, value: NamedValue) => onChange(values.map((known, index) => (index === at ? value : known)));
  return (
    <fieldset class="values-field">
      <legend class="label">{label}</legend>
      {values.map((value, at) => (
        <div class="value-row" key={at}>
          <input
            class="text-input mono"
            aria-label={`Name of ${one} ${at + 1}`}
            placeholder="NAME"
            autocomplete="off"
            spellcheck={false}
            value={value.name}
            onInput={({ currentTarget }) => set(at, { ...value, name: currentTarget.value })}
          />
          <Choice
            label={`Where ${value.name || `${one} ${at + 1}`} comes from`}
            words={SOURCES}
            value={value.from.kind}
            onChoose={(kind) => set(at, { ...value, from: emptySource(kind) })}
          />
          <input
            class="text-input mono"
            aria-label={`${SOURCES[value.from.kind]} of ${value.name || `${one} ${at + 1}`}`}
            {...(value.from.kind === "text" ? { type: "password" as const } : { type: "text" as const })}
            placeholder={placeholderOf(value.from)}
            autocomplete="off"
            spellcheck={false}
            value={sourceText(value.from)}
            onInput={({ currentTarget }) => set(at, { ...value, from: withText(value.from, currentTarget.value) })}
          />
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove ${value.name || `${one} ${at + 1}`}`}
            onClick={() => onChange(values.filter((_value, index) => index !== at))}
          >
            <Icon name="close" class="icon-sm" />
          </button>
        </div>
      ))}
      <button
        type="button"
        class="button small"
        onClick={() => onChange([...values, { name: "", from: { kind: "variable", name: "" } }])}
      >
        <Icon name="plus" class="icon-sm" />
        Add a {one}
      </button>
      <p class="hint">
        Keep secrets in a variable of the server or in a file that only you can read: then config.json has their names
        only. A value that is stored is never shown.
      </p>
    </fieldset>
  );
}

/** What is missing in the list, as text for the user; null when it is complete. A stored value may stay unchanged. */
export function missingInValues(values: readonly NamedValue[], one: string): string | null {
  for (const [at, { name, from }] of values.entries()) {
    if (!/^[^\s=:]+$/.test(name)) return `Enter a name without spaces, = and : for ${one} ${at + 1}, or remove it.`;
    if (from.kind === "variable" && !/^[A-Za-z_]\w*$/.test(from.name))
      return `Enter the variable of the server that has the value of ${name}: letters, digits and _.`;
    if (from.kind === "file" && from.path.trim() === "")
      return `Enter the path of the file that has the value of ${name}.`;
  }
  return null;
}

function emptySource(kind: ValueSource["kind"]): ValueSource {
  if (kind === "variable") return { kind, name: "" };
  return kind === "file" ? { kind, path: "" } : { kind, text: "" };
}

function sourceText(from: ValueSource): string {
  if (from.kind === "variable") return from.name;
  return from.kind === "file" ? from.path : (from.text ?? "");
}

function withText(from: ValueSource, text: string): ValueSource {
  if (from.kind === "variable") return { kind: "variable", name: text };
  return from.kind === "file" ? { kind: "file", path: text } : { kind: "text", text };
}

function placeholderOf(from: ValueSource): string {
  if (from.kind === "variable") return "ATLAS_TOKEN";
  if (from.kind === "file") return "~/.secrets/atlas";
  return from.text === undefined ? "stored, not shown" : "";
}

/** The result of a test, or why it failed. */
export function TestResult({ result }: { result: Tested | "running" | null }) {
  return (
    <div role="status">
      {result === "running" ? (
        <p class="hint">Testing…</p>
      ) : (
        result !== null && (
          <div class="notice" data-severity={result.ok ? "ok" : "error"}>
            <Icon name={result.ok ? "check" : "fail"} />
            <div class="body">
              <p class="told">{result.message}</p>
              {result.details.map((detail) => (
                <p key={detail} class="test-detail">
                  {detail}
                </p>
              ))}
            </div>
          </div>
        )
      )}
    </div>
  );
}

interface FormFootProps {
  /** None: nothing can be tried before it is saved. */
  readonly onTest: (() => void) | undefined;
  /** None: there is nothing yet that could be removed. */
  readonly onRemove?: (() => void) | undefined;
  readonly onCancel: () => void;
}

/** The foot of a form of settings: test and remove on the left, cancel and save on the right. */
export function FormFoot({ onTest, onRemove, onCancel }: FormFootProps) {
  return (
    <div class="actions">
      {onTest !== undefined && (
        <button type="button" class="button" onClick={onTest}>
          Test
        </button>
      )}
      {onRemove !== undefined && (
        <button type="button" class="button ghost danger" onClick={onRemove}>
          Remove
        </button>
      )}
      <span class="spacer" />
      <button type="button" class="button ghost" onClick={onCancel}>
        Cancel
      </button>
      <button type="submit" class="button primary">
        Save
      </button>
    </div>
  );
}
