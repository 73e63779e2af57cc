import { useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import type { PreviewItem } from "../../protocol/permission-policy.ts";
import { SCOPE_WORDS } from "../../protocol/rule-words.ts";
import type { Shell } from "../state/shell.ts";
import { Choice } from "./choice.tsx";
import { DURATION_WORDS, EMPTY_RULE, type RuleFields, readRule, SUBJECTS, type Subject } from "./rule-draft.ts";
import type { Policies } from "./use-policies.ts";

const EFFECTS = { allow: "Allow", deny: "Deny" } as const;
const PREVIEWED = 50;
const PROBLEM_ID = "rule-problem";
/** What is typed, and an example of it. */
const INPUTS: Readonly<Record<Exclude<Subject, "fetch">, { readonly label: string; readonly example: string }>> = {
  command: { label: "Command", example: "npm test" },
  edit: { label: "Path", example: "docs/**" },
  read: { label: "Path", example: "docs/**" },
  path: { label: "Path", example: "docs/**" },
  tool: { label: "MCP tool", example: "server/tool or server/*" },
};

interface RuleFormProps {
  readonly shell: Shell;
  readonly sessionId: SessionId;
  readonly policies: Policies;
}

/** A rule put together from words; before it is added it can be held against what was asked in the past. */
export function RuleForm({ shell, sessionId, policies }: RuleFormProps) {
  const [fields, setFields] = useState<RuleFields>(EMPTY_RULE);
  const [preview, setPreview] = useState<readonly PreviewItem[] | null>(null);
  const change = (more: Partial<RuleFields>) => {
    setFields({ ...fields, ...more });
    setPreview(null);
  };
  const { draft, problem } = readRule(fields, shell.nowMs.value);
  const look = async () => {
    if (draft === null) return;
    const about = { type: "policy:preview" as const, scope: fields.scope, sessionId };
    const answer = await shell.attempt({ ...about, rules: [draft], limit: PREVIEWED });
    if (answer?.type === "policy:previewed") setPreview(answer.items);
  };
  const add = async () => {
    if (draft !== null && (await policies.change(fields.scope, { add: [draft] }))) change({ text: "" });
  };
  return (
    <form
      class="rule-form"
      aria-label="New rule"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <RuleInputs fields={fields} change={change} isInvalid={problem !== null} />
      {problem !== null && (
        <p class="hint" id={PROBLEM_ID}>
          {problem}
        </p>
      )}
      <span class="spacer" />
      <button type="button" class="button ghost" disabled={draft === null} onClick={() => void look()}>
        Preview
      </button>
      <button type="submit" class="button" disabled={draft === null}>
        Add rule
      </button>
      {preview !== null && <RulePreview items={preview} />}
    </form>
  );
}

interface RuleInputsProps {
  readonly fields: RuleFields;
  readonly change: (more: Partial<RuleFields>) => void;
  readonly isInvalid: boolean;
}

function RuleInputs({ fields, change, isInvalid }: RuleInputsProps) {
  const { effect, subject, text, scope, duration } = fields;
  return (
    <>
      <Choice label="Effect" words={EFFECTS} value={effect} onChoose={(chosen) => change({ effect: chosen })} />
      <Choice label="About" words={SUBJECTS} value={subject} onChoose={(chosen) => change({ subject: chosen })} />
      {subject !== "fetch" && (
        <div class="field">
          <input
            aria-label={INPUTS[subject].label}
            aria-describedby={isInvalid ? PROBLEM_ID : undefined}
            placeholder={INPUTS[subject].example}
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        </div>
      )}
      <Choice label="Where" words={SCOPE_WORDS} value={scope} onChoose={(chosen) => change({ scope: chosen })} />
      <Choice
        label="How long"
        words={DURATION_WORDS}
        value={duration}
        onChoose={(chosen) => change({ duration: chosen })}
      />
    </>
  );
}

const WOULD_WORDS: Readonly<Record<PreviewItem["would"], string>> = { allow: "allowed", deny: "denied", ask: "asked" };

/** What the rule would have changed; requests it leaves as they are, are only counted. */
function RulePreview({ items }: { readonly items: readonly PreviewItem[] }) {
  const answered = items.filter(({ differs }) => differs);
  return (
    <div class="rule-preview" role="status">
      <p class="hint">
        {items.length === 0
          ? "Nothing was asked here yet."
          : `${answered.length} of the last ${items.length} requests would have been answered by it.`}
      </p>
      {answered.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ul class="permission-list" tabIndex={0} aria-label="Requests the rule would have answered">
          {answered.map(({ permissionId, what, would, why }) => (
            <li key={permissionId}>
              <span class={would === "allow" ? "tag" : "tag warn"}>{WOULD_WORDS[would]}</span>
              <span class="permission-what">
                <span class="mono">{what}</span>
                <span class="hint">{why}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
