import { useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import type { PreviewItem } from "../../protocol/permission-policy.ts";
import { SCOPE_WORDS } from "../../protocol/rule-words.ts";
import type { Shell } from "../shell/state/shell.ts";
import { Choice } from "./choice.tsx";
import { DURATION_WORDS, draftOf, EMPTY_RULE, type RuleFields, SUBJECTS } from "./rule-draft.ts";
import { RulePreview } from "./rule-preview.tsx";
import type { Policies } from "./use-policies.ts";

const EFFECTS = { allow: "Allow", deny: "Deny" } as const;
const PREVIEWED = 50;

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
  const draft = draftOf(fields, shell.nowMs.value);
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
      <RuleInputs fields={fields} change={change} />
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
}

function RuleInputs({ fields, change }: RuleInputsProps) {
  const { effect, subject, text, scope, duration } = fields;
  const isCommand = subject === "command";
  return (
    <>
      <Choice label="Effect" words={EFFECTS} value={effect} onChoose={(chosen) => change({ effect: chosen })} />
      <Choice label="About" words={SUBJECTS} value={subject} onChoose={(chosen) => change({ subject: chosen })} />
      {subject !== "fetch" && (
        <div class="field">
          <input
            aria-label={isCommand ? "Command" : "Path"}
            placeholder={isCommand ? "npm test" : "docs/**"}
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
