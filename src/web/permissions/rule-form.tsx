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
    const { scope } = fields;
    const answer = await shell.attempt({
      type: "policy:preview",
      scope,
      sessionId,
      rules: [draft],
      limit: PREVIEWED,
    });
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
      <Choice label="Effect" words={EFFECTS} value={fields.effect} onChoose={(effect) => change({ effect })} />
      <Choice label="About" words={SUBJECTS} value={fields.subject} onChoose={(subject) => change({ subject })} />
      {fields.subject !== "fetch" && (
        <div class="field">
          <input
            aria-label={fields.subject === "command" ? "Command" : "Path"}
            placeholder={fields.subject === "command" ? "npm test" : "docs/**"}
            autocomplete="off"
            spellcheck={false}
            value={fields.text}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        </div>
      )}
      <Choice label="Where" words={SCOPE_WORDS} value={fields.scope} onChoose={(scope) => change({ scope })} />
      <Choice
        label="How long"
        words={DURATION_WORDS}
        value={fields.duration}
        onChoose={(duration) => change({ duration })}
      />
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
