import type { PolicyRule, PolicyScope } from "../../protocol/permission-policy.ts";
import { ruleWords, SCOPE_WORDS } from "../../protocol/rule-words.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { exactTime } from "../../ui/words/time-words.ts";
import { type Policies, SCOPES } from "./use-policies.ts";

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
