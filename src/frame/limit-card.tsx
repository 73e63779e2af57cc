import { useRef } from "preact/hooks";
import type { SessionPause } from "../protocol/conversations.ts";
import { pauseWords } from "../protocol/limit-words.ts";
import { KeyHint } from "../ui/controls/key-hint.tsx";
import { Icon } from "../ui/icons/icon.tsx";
import { ariaKeys, keyWhileTyping, keyWords } from "../ui/keys/key-bindings.ts";
import { exactTime } from "../ui/words/time-words.ts";
import { type PortletModel, usePiece } from "./portlet-model.ts";

/** A session at a usage limit: until when, and what happens then. */
export function LimitCard({ model }: { model: PortletModel }) {
  const pause = usePiece(model, (state) => state.session.pause);
  const held = usePiece(model, (state) => state.session.queue.length);
  const agentName = usePiece(model, (state) => state.agentName);
  const account = usePiece(model, (state) => state.account);
  const tryButton = useRef<HTMLButtonElement>(null);
  if (pause === null) return null;
  const { store } = model;
  const canResume = pause.dueAt !== null && pause.resumesAt === null;
  const end = pause.resumesAt ?? pause.limit.resetsAt;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; this is a question with its answers
    <section class="ask limit-card" role="group" aria-label="Usage limit">
      <header class="ask-head">
        <Icon name="clock" />
        <h2 title={end === undefined ? undefined : exactTime(end)}>{pauseWords(pause, model.now.value)}</h2>
        <span class="from">
          <span class="truncate">{account ?? agentName}</span>
        </span>
      </header>
      <p class="limit-words">{[nextWords(pause, agentName), queueWords(held)].filter(Boolean).join(" ")}</p>
      <div class="ask-actions">
        {canResume && (
          <button
            class="button primary"
            type="button"
            aria-keyshortcuts={ariaKeys("resume-limit")}
            onClick={() => {
              // The button is removed with the answer: the focus must not be lost.
              tryButton.current?.focus();
              store.ask({ type: "session:resume-limit", when: "then" });
            }}
          >
            Resume then
            <KeyHint name={keyWords("resume-limit")} whileTyping={keyWhileTyping("resume-limit")} />
          </button>
        )}
        <button
          class="button"
          type="button"
          ref={tryButton}
          onClick={() => store.ask({ type: "session:resume-limit", when: "now" })}
        >
          Try now
        </button>
        <button
          class="button"
          type="button"
          aria-keyshortcuts={ariaKeys("continue-with")}
          title="Let another agent or account go on with this conversation"
          onClick={() => store.show("continue")}
        >
          Continue with…
        </button>
        <button
          class="button ghost"
          type="button"
          data-kind="reject"
          title="Do not continue this turn. Queued messages stay"
          onClick={() => store.ask({ type: "session:dismiss-limit" })}
        >
          Dismiss
        </button>
      </div>
    </section>
  );
}

/** What happens, and what the agent is sent. */
function nextWords({ dueAt, resumesAt, tries, isUntouched, limit }: SessionPause, agentName: string): string {
  const told = isUntouched ? "your message is sent again" : `${agentName} is told to go on where it stopped`;
  if (tries > 0 && dueAt === null)
    return `It was tried again ${tries} times and refused each time. Try it yourself when the account can be used.`;
  if (resumesAt !== null) {
    const again = tries > 0 ? `Refused again, try ${tries + 1} follows. ` : "";
    return `${again}Then ${told}, also when this page is closed.`;
  }
  if (limit.kind === "quota") return `${agentName} does not say when it ends. When you try again, ${told}.`;
  return `Nothing is sent until then. On resuming, ${told}.`;
}

function queueWords(count: number): string {
  if (count === 0) return "";
  return count === 1 ? "1 queued message follows." : `${count} queued messages follow.`;
}
