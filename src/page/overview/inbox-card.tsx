import type { ReadonlySignal } from "@preact/signals";
import { useState } from "preact/hooks";
import { isPermission } from "../../protocol/pending-request.ts";
import type { PendingQuestion } from "../../protocol/question.ts";
import type { PendingPermission } from "../../protocol/session-parts.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { PermissionCard } from "../../ui/permissions/permission-card.tsx";
import { QuestionCard } from "../../ui/questions/question-card.tsx";
import questionStyles from "../../ui/questions/questions.css" with { type: "text" };
import type { Refused } from "../../ui/questions/use-answer.ts";
import { adoptStyles } from "../../ui/styles/adopt-styles.ts";
import askStyles from "../../ui/styles/permission.css" with { type: "text" };
import blockStyles from "../../ui/styles/prose/code.css" with { type: "text" };
import diffStyles from "../../ui/styles/transcript/diff.css" with { type: "text" };
import partStyles from "../../ui/styles/transcript/parts.css" with { type: "text" };
import { ageWords } from "../../ui/words/time-words.ts";
import type { Shell } from "../state/shell.ts";
import { agentOf } from "../state/shell-state.ts";
import type { InboxEntry } from "./fold-inbox.ts";
import { replyTo, respondTo } from "./respond.ts";

interface InboxCardProps {
  readonly shell: Shell;
  readonly entry: InboxEntry;
  readonly now: ReadonlySignal<number>;
  readonly isMarked: boolean;
  /** The question's form is open. */
  readonly isAnswering: boolean;
  readonly onAnswer: () => void;
  /** Closes the form, and leaves the question as it is. */
  readonly onLeave: () => void;
  readonly onMark: () => void;
}

/** One request, with the session it comes from and the same card that stands in that session. */
export function InboxCard(props: InboxCardProps) {
  for (const styles of [askStyles, blockStyles, diffStyles, partStyles, questionStyles]) adoptStyles(styles);
  const { shell, entry, isMarked, onMark } = props;
  const { session, request } = entry;
  const project = shell.server.value.projects.find(({ id }) => id === session.projectId)?.name;
  return (
    <li class="inbox-item" tabIndex={-1} data-marked={isMarked ? "" : undefined} onFocusIn={onMark}>
      <button type="button" class="where" onClick={() => shell.open(session.id, { focus: true })}>
        <Icon name={agentIconName(session.cliType)} class="icon-sm agent" />
        <span class="truncate">{session.title}</span>
        {project !== undefined && <span class="faint truncate">{project}</span>}
      </button>
      {isPermission(request) ? (
        <Permission {...props} permission={request} />
      ) : (
        <Question {...props} question={request} />
      )}
    </li>
  );
}

function agentNameOf({ shell, entry: { session } }: InboxCardProps): string {
  return agentOf(shell.server.value, session.cliType)?.name ?? session.cliType;
}

function Permission({ permission, ...props }: InboxCardProps & { readonly permission: PendingPermission }) {
  const { shell, entry, now } = props;
  const sessionId = entry.session.id;
  return (
    <PermissionCard
      requestKey={entry.id}
      permission={permission}
      count={1}
      agentName={agentNameOf(props)}
      now={now}
      respond={(optionId) => respondTo(shell, sessionId, permission, optionId)}
      addRules={(scope, rules) => void shell.attempt({ type: "policy:set", scope, sessionId, add: [...rules] })}
      showRules={() => {
        shell.dialog.value = { kind: "permissions", sessionId };
      }}
    />
  );
}

function Question({ question, ...props }: InboxCardProps & { readonly question: PendingQuestion }) {
  const { shell, entry, now, isAnswering, onAnswer, onLeave } = props;
  const [refused, setRefused] = useState<Refused | null>(null);
  const agentName = agentNameOf(props);
  if (isAnswering)
    return (
      <QuestionCard
        requestKey={entry.id}
        question={question}
        count={1}
        agentName={agentName}
        now={now}
        refused={refused}
        onLeave={onLeave}
        respond={(action, content) =>
          replyTo(shell, entry.session.id, question, { action, content }, ({ message, fields = {} }) =>
            setRefused({ message, fields }),
          )
        }
      />
    );
  return (
    <div class="ask">
      <header class="ask-head">
        <Icon name={question.url === undefined ? "question" : "globe"} />
        <h2>{question.title ?? `${agentName} asks`}</h2>
        <span class="from">{ageWords(question.askedAt, now.value)}</span>
      </header>
      <div class="ask-static">
        <p class="ask-what">{question.message}</p>
      </div>
      <div class="ask-actions">
        <button type="button" class="button primary" onClick={onAnswer}>
          Answer…
        </button>
      </div>
    </div>
  );
}
