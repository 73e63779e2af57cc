import { useId, useState } from "preact/hooks";
import type { PolicyScope, RuleDraft } from "../../protocol/permission-policy.ts";
import { ruleWords } from "../../protocol/rule-words.ts";
import { Icon } from "../icons/icon.tsx";
import { VisibleText } from "./visible-text.tsx";

interface RuleOfferProps {
  readonly offers: readonly RuleDraft[];
  readonly addRules: (scope: PolicyScope, rules: readonly RuleDraft[]) => void;
  readonly showRules: () => void;
}

/** Ours, and apart from the agent's own answers: a rule in words, so that requests like this one are not asked again. */
export function RuleOffer({ offers, addRules, showRules }: RuleOfferProps) {
  const [isOpen, setOpen] = useState(false);
  const [scope, setScope] = useState<PolicyScope>("session");
  const id = useId();
  return (
    <div class="ask-rule">
      <button
        type="button"
        class="button small ghost"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "down" : "chevron"} class="icon-sm" />
        Always allow this…
      </button>
      <div class="ask-rule-choice" id={id} hidden={!isOpen}>
        <ul>
          {offers.map((rule) => (
            <li key={ruleWords(rule)}>
              <VisibleText text={ruleWords(rule)} />
            </li>
          ))}
        </ul>
        <select
          class="native-select"
          aria-label="Where the rule holds"
          value={scope}
          onChange={(event) => setScope(event.currentTarget.value === "project" ? "project" : "session")}
        >
          <option value="session">in this session</option>
          <option value="project">in this project</option>
        </select>
        <button type="button" class="button small" onClick={() => addRules(scope, offers)}>
          Add rule
        </button>
        <button type="button" class="button small ghost" onClick={showRules}>
          All rules
        </button>
      </div>
    </div>
  );
}
