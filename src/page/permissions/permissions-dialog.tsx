import { useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import {
  PermissionMode,
  type PolicyRule,
  type PolicyScope,
  type PreviewItem,
} from "../../protocol/permission-policy.ts";
import { MODE_WORDS, ruleWords, SCOPE_WORDS } from "../../protocol/rule-words.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { ageWords, exactTime } from "../../ui/words/time-words.ts";
import { Choice } from "../controls/choice.tsx";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import { DURATION_WORDS, EMPTY_RULE, type RuleFields, readRule, SUBJECTS, type Subject } from "./rule-draft.ts";
import { type Policies, SCOPES, usePolicies } from "./use-policies.ts";

interface PermissionsDialogProps {
  readonly shell: Shell;
  readonly sessionId: SessionId;
}

/** What agents may do without asking: the mode, the rules as text, and their past answers. */
export function PermissionsDialog({ shell, sessionId }: PermissionsDialogProps) {
  const policies = usePolicies(shell, sessionId);
  return (
    <Dialog title="Permissions" wide onClose={() => shell.closeDialog()}>
      <div class="dialog-body permissions">
        <section aria-labelledby="permission-modes">
          <h3 id="permission-modes">When the agent asks</h3>
          <ModeSelect scope="session" policies={policies} isFirst />
          <ModeSelect scope="project" policies={policies} />
          <p class="hint">Rules are applied before the mode. Deny rules always win.</p>
        </section>
        <section aria-labelledby="permission-rules">
          <h3 id="permission-rules">Rules</h3>
          <RuleList policies={policies} />
          <RuleForm shell={shell} sessionId={sessionId} policies={policies} />
        </section>
        <section aria-labelledby="permission-audit">
          <h3 id="permission-audit">Answered without asking, in this project</h3>
          <AuditList policies={policies} now={shell.nowMs.value} />
        </section>
        {policies.problem !== null && (
          <p class="error-text" role="alert">
            <Icon name="alert" class="icon-sm" />
            {policies.problem}
          </p>
        )}
      </div>
    </Dialog>
  );
}

interface ModeSelectProps {
  readonly scope: PolicyScope;
  readonly policies: Policies;
  readonly isFirst?: boolean;
}

function ModeSelect({ scope, policies, isFirst = false }: ModeSelectProps) {
  const state = policies.states.get(scope);
  return (
    <label class="permission-mode">
      <span>In {SCOPE_WORDS[scope]}</span>
      <select
        class="native-select"
        disabled={state === undefined}
        data-first-focus={isFirst || undefined}
        value={state?.mode ?? ""}
        onChange={(event) => {
          const { data = null } = PermissionMode.safeParse(event.currentTarget.value);
          void policies.change(scope, { mode: data });
        }}
      >
        <option value="">{state === undefined ? "…" : `Not set: ${MODE_WORDS[state.inherited].toLowerCase()}`}</option>
        {PermissionMode.options.map((mode) => (
          <option key={mode} value={mode}>
            {MODE_WORDS[mode]}
          </option>
        ))}
      </select>
    </label>
  );
}

function AuditList({ policies: { audit }, now }: { readonly policies: Policies; readonly now: number }) {
  if (audit.length === 0) return <p class="hint">Nothing yet.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ul class="permission-list" tabIndex={0} aria-labelledby="permission-audit">
      {audit.map(({ permissionId, answer, what, why, at }) => (
        <li key={permissionId}>
          <span class={answer === "allowed" ? "tag" : "tag warn"}>{answer}</span>
          <span class="permission-what">
            <span class="mono">{what}</span>
            <span class="hint">{why}</span>
          </span>
          <time class="hint" dateTime={at} title={exactTime(at)}>
            {ageWords(at, now)}
          </time>
        </li>
      ))}
    </ul>
  );
}

/** Every rule that applies, as text, with its scope and expiry. */
function RuleList({ policies }: { readonly policies: Policies }) {
  const rules = SCOPES.flatMap((scope) =>
    (policies.states.get(scope)?.rules ?? []).map((rule): [PolicyScope, PolicyRule] => [scope, rule]),
  );
  if (rules.length === 0) return <p class="hint">No rules yet. You'll be asked unless the mode above allows it.</p>;
  return (
    <ul class="permission-list">
      {rules.map(([scope, rule]) => (
        <li key={rule.id}>
          <span class="permission-what">
            <span>{ruleWords(rule)}</span>
            {rule.expiresAt !== undefined && <span class="hint">until {exactTime(rule.expiresAt)}</span>}
          </span>
          <span class="tag">{SCOPE_WORDS[scope]}</span>
          <button
            type="button"
            class="icon-button"
            aria-label={`Delete rule: ${ruleWords(rule)}`}
            title="Delete rule"
            onClick={() => void policies.change(scope, { remove: [rule.id] })}
          >
            <Icon name="trash" class="icon-sm" />
          </button>
        </li>
      ))}
    </ul>
  );
}

const EFFECTS = { allow: "Allow", deny: "Deny" } as const;
const PREVIEWED = 50;
const PROBLEM_ID = "rule-problem";
/** The input for each subject, with an example. */
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

/** A form for a new rule; before it is added, it can be previewed against past requests. */
function RuleForm({ shell, sessionId, policies }: RuleFormProps) {
  const [fields, setFields] = useState<RuleFields>(EMPTY_RULE);
  const [preview, setPreview] = useState<{ readonly of: RuleFields; readonly items: readonly PreviewItem[] } | null>(
    null,
  );
  // Not from the fields of this render: the answer arrives later, and the user may have edited them.
  const change = (more: Partial<RuleFields>) => setFields((known) => ({ ...known, ...more }));
  const { draft, problem } = readRule(fields, shell.nowMs.value);
  const look = async () => {
    if (draft === null) return;
    const about = { type: "policy:preview" as const, scope: fields.scope, sessionId };
    const answer = await shell.attempt({ ...about, rules: [draft], limit: PREVIEWED });
    if (answer?.type === "policy:previewed") setPreview({ of: fields, items: answer.items });
  };
  const add = async () => {
    if (draft === null || !(await policies.change(fields.scope, { add: [draft] }))) return;
    setFields((known) => (known.text === fields.text ? { ...known, text: "" } : known));
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
      {preview?.of === fields && <RulePreview items={preview.items} />}
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

/** What the rule would have changed; unaffected requests are only counted. */
function RulePreview({ items }: { readonly items: readonly PreviewItem[] }) {
  const answered = items.filter(({ differs }) => differs);
  return (
    <div class="rule-preview" role="status">
      <p class="hint">
        {items.length === 0
          ? "No requests yet."
          : `This rule would have answered ${answered.length} of the last ${items.length} requests.`}
      </p>
      {answered.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ul class="permission-list" tabIndex={0} aria-label="Requests this rule would have answered">
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
