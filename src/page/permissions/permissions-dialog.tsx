import type { SessionId } from "../../protocol/ids.ts";
import { PermissionMode, type PolicyRule, type PolicyScope } from "../../protocol/permission-policy.ts";
import { MODE_WORDS, ruleWords, SCOPE_WORDS } from "../../protocol/rule-words.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { ageWords, exactTime } from "../../ui/words/time-words.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import { RuleForm } from "./rule-form.tsx";
import { type Policies, SCOPES, usePolicies } from "./use-policies.ts";

export interface PermissionsDialogProps {
  readonly shell: Shell;
  readonly sessionId: SessionId;
}

/** Who may do what without asking: the mode, the rules in words, what they would have answered and what they have. */
export function PermissionsDialog({ shell, sessionId }: PermissionsDialogProps) {
  const policies = usePolicies(shell, sessionId);
  return (
    <Dialog title="Permissions" wide onClose={() => shell.closeDialog()}>
      <div class="dialog-body permissions">
        <section aria-labelledby="permission-modes">
          <h3 id="permission-modes">When the agent asks</h3>
          <ModeSelect scope="session" policies={policies} isFirst />
          <ModeSelect scope="project" policies={policies} />
          <p class="hint">Rules come first. What a rule denies is denied, whatever else allows it.</p>
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

/** Every rule that holds, in words, with how far it reaches and until when. */
export function RuleList({ policies }: { readonly policies: Policies }) {
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
