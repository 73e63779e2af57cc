import type { ReadonlySignal } from "@preact/signals";
import { useId, useState } from "preact/hooks";
import type { PolicyScope, RuleDraft } from "../../protocol/permission-policy.ts";
import { ruleWords } from "../../protocol/rule-words.ts";
import type { PendingPermission, PermissionOption } from "../../protocol/session-parts.ts";
import { KeyHint } from "../controls/key-hint.tsx";
import { Icon } from "../icons/icon.tsx";
import { keyWhileTyping, keyWords } from "../keys/key-bindings.ts";
import { ageWords } from "../words/time-words.ts";
import { DenyReason } from "./deny-reason.tsx";
import { PermissionSubject, VisibleLine, VisibleText } from "./permission-subject.tsx";
import { firstOption, permissionQuestion, wholeWords } from "./permission-words.ts";
import { useSettled } from "./settled-request.ts";

interface PermissionCardProps {
  /** Its id among all requests of this page. */
  readonly requestKey: string;
  readonly permission: PendingPermission;
  /** How many requests are open, this one included. */
  readonly count: number;
  readonly agentName: string;
  /** Where the session works. */
  readonly directory: string;
  readonly now: ReadonlySignal<number>;
  readonly respond: (optionId: string, reason?: string) => void;
  /** Handles the focus and an unsent reason when the request is closed. Without it, no reason can be given here. */
  readonly leaveReason?: (unsent: string) => void;
  readonly addRules: (scope: PolicyScope, rules: readonly RuleDraft[]) => void;
  readonly showRules: () => void;
}

/** A permission request: what the agent wants to do, and its options in its order. Removed once answered anywhere. */
export function PermissionCard(props: PermissionCardProps) {
  const { permission, respond, leaveReason, addRules, showRules } = props;
  const { toolCall, options, note, offers } = permission;
  const { element, isReady, startAnew, guard } = useSettled<HTMLDivElement>(props.requestKey, [
    toolCall,
    options,
    note,
  ]);
  const reject = firstOption(options, "reject");
  return (
    <div class="ask" ref={element} {...guard}>
      <Question {...props} isReady={isReady} onAnswered={startAnew} />
      {(offers || (reject && leaveReason)) && (
        <div class="ask-ours">
          {offers && <RuleOffer offers={offers} addRules={addRules} showRules={showRules} />}
          {reject && leaveReason && (
            <DenyReason
              requestKey={props.requestKey}
              isReady={isReady}
              deny={(reason) => {
                startAnew();
                respond(reject.optionId, reason);
              }}
              leave={leaveReason}
            />
          )}
        </div>
      )}
    </div>
  );
}

interface QuestionProps extends PermissionCardProps {
  readonly isReady: boolean;
  readonly onAnswered: () => void;
}

function Question({ permission, count, agentName, directory, now, respond, isReady, onAnswered }: QuestionProps) {
  const [answered, setAnswered] = useState<string | null>(null);
  const [scrolls, setScrolls] = useState(false);
  const allow = firstOption(permission.options, "allow");
  const reject = firstOption(permission.options, "reject");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; this is a question with its answers
    <section role="group" aria-label="Permission request" data-permission-id={permission.permissionId}>
      <header class="ask-head">
        <Icon name="shield" />
        <h2>{permissionQuestion(permission.toolCall)}</h2>
        <span class="from">
          {count > 1 && <span class="tag">1 of {count}</span>}
          {permission.subAgent === undefined ? agentName : `${permission.subAgent} · sub-agent of ${agentName}`} ·{" "}
          {ageWords(permission.askedAt, now.value)}
        </span>
      </header>
      <PermissionSubject
        toolCall={permission.toolCall}
        note={permission.note}
        directory={directory}
        onScrolls={setScrolls}
      />
      <div class="ask-actions">
        {permission.options.map((option) => (
          <OptionButton
            key={option.optionId}
            option={option}
            all={scrolls && option.kind.startsWith("allow") ? wholeWords(permission.toolCall) : null}
            look={option === allow ? "primary" : option.kind.startsWith("reject") ? "ghost" : ""}
            hint={option === allow ? "allow" : option === reject ? "deny" : null}
            isReady={isReady}
            isBusy={answered === option.optionId}
            onClick={() => {
              onAnswered();
              setAnswered(option.optionId);
              respond(option.optionId);
            }}
          />
        ))}
      </div>
    </section>
  );
}

interface OptionButtonProps {
  readonly option: PermissionOption;
  /** Everything the answer covers, if not all of it is in view. */
  readonly all: string | null;
  readonly look: string;
  readonly hint: "allow" | "deny" | null;
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly onClick: () => void;
}

function OptionButton({ option, all, look, hint, isReady, isBusy, onClick }: OptionButtonProps) {
  return (
    <button
      class={`button ${look}`}
      type="button"
      data-kind={option.kind}
      aria-busy={isBusy}
      aria-disabled={!isReady}
      onClick={onClick}
    >
      <span class="option-name">
        <VisibleLine text={option.name} />
        {all !== null && ` (${all})`}
      </span>
      {hint !== null && <KeyHint name={keyWords(hint)} whileTyping={keyWhileTyping(hint)} />}
    </button>
  );
}

interface RuleOfferProps {
  readonly offers: readonly RuleDraft[];
  readonly addRules: (scope: PolicyScope, rules: readonly RuleDraft[]) => void;
  readonly showRules: () => void;
}

/** Ours, separate from the agent's own answers: a rule as text, so that similar requests are not asked again. */
function RuleOffer({ offers, addRules, showRules }: RuleOfferProps) {
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
          aria-label="Rule scope"
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
