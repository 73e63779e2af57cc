import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { Json } from "../../protocol/json.ts";
import type { PendingQuestion, QuestionAction } from "../../protocol/question.ts";
import { hasKeyboard } from "../controls/keep-focus.ts";
import { Icon } from "../icons/icon.tsx";
import { useSettled } from "../permissions/settled-request.ts";
import { ageWords } from "../words/time-words.ts";
import type { Refused } from "./answer-draft.ts";
import { QuestionForm } from "./question-form.tsx";

interface QuestionCardProps {
  /** Its id among all requests of this page. */
  readonly requestKey: string;
  readonly question: PendingQuestion;
  /** How many requests are open, this one included. */
  readonly count: number;
  readonly agentName: string;
  readonly now: ReadonlySignal<number>;
  readonly refused: Refused | null;
  readonly respond: (action: QuestionAction, content?: Record<string, Json>) => void;
  /** If the form was opened to answer, Esc only closes it; otherwise it dismisses the question. */
  readonly onLeave?: () => void;
}

/** A question of the agent, or a page to visit. Removed once anyone has answered. */
export function QuestionCard({
  requestKey,
  question,
  count,
  agentName,
  now,
  refused,
  respond,
  onLeave,
}: QuestionCardProps) {
  const {
    element: card,
    isReady,
    guard,
  } = useSettled<HTMLElement>(requestKey, [question.message, question.fields, question.url]);
  const [isSent, setSent] = useState(false);
  useFocus(card);
  useLayoutEffect(() => setSent(false), [refused]);
  const send = (action: QuestionAction, content?: Record<string, Json>) => {
    if (isSent) return; // one answer at a time: a second Enter would only be refused
    setSent(true);
    respond(action, content);
  };
  const { title, message, url, elicitationId } = question;
  const asker = question.subAgent === undefined ? agentName : `${question.subAgent} · sub-agent of ${agentName}`;
  const heading = title ?? (url === undefined ? `${agentName} asks` : `${agentName} asks you to open a page`);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; this is a question with its answers
    <section class="ask" role="group" aria-label="Question" data-question={elicitationId} ref={card} {...guard}>
      <header class="ask-head">
        <Icon name={url === undefined ? "question" : "globe"} />
        <h2>{heading}</h2>
        <span class="from">
          {count > 1 && <span class="tag">1 of {count}</span>}
          {asker} · {ageWords(question.askedAt, now.value)}
        </span>
      </header>
      <div class="ask-static question-body">
        {message !== "" && <p class="question-message">{message}</p>}
        {url === undefined ? (
          <QuestionForm
            question={question}
            refused={refused}
            isBusy={isSent}
            isReady={isReady}
            onAnswer={(content) => send("accept", content)}
            onDecline={() => send("decline")}
            onDismiss={() => send("cancel")}
            onLeave={onLeave}
          />
        ) : (
          <PageConsent url={url} isBusy={isSent} isReady={isReady} respond={send} onLeave={onLeave} />
        )}
      </div>
    </section>
  );
}

/** Takes the focus if it is free, and moves it on when the card is removed. */
function useFocus(card: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const element = card.current;
    if (element === null) return;
    const { ownerDocument } = element;
    if (mayTakeFocus(ownerDocument)) focusQuestion(ownerDocument);
    return () => {
      if (!element.contains(ownerDocument.activeElement)) return;
      requestAnimationFrame(() => {
        const isFree = ownerDocument.activeElement === ownerDocument.body;
        if (!isFree || !hasKeyboard(ownerDocument)) return;
        if (!focusQuestion(ownerDocument)) ownerDocument.querySelector<HTMLElement>("#message")?.focus();
      });
    };
  }, []);
}

interface PageConsentProps {
  readonly url: string;
  readonly isBusy: boolean;
  readonly isReady: boolean;
  readonly respond: (action: QuestionAction) => void;
  readonly onLeave: (() => void) | undefined;
}

function PageConsent({ url, isBusy, isReady, respond, onLeave }: PageConsentProps) {
  return (
    <form
      class="question-form"
      onSubmit={(event) => {
        event.preventDefault();
        openPage(url);
        respond("accept");
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        if (onLeave) onLeave();
        else respond("cancel");
      }}
    >
      <PageAddress url={url} />
      <div class="question-actions">
        <button class="button primary" type="submit" aria-busy={isBusy} aria-disabled={!isReady}>
          <Icon name="open" class="icon-sm" />
          Open page
        </button>
        <button class="button ghost" type="button" aria-disabled={!isReady} onClick={() => respond("cancel")}>
          Dismiss
        </button>
        <button class="button" type="button" aria-disabled={!isReady} onClick={() => respond("decline")}>
          Decline
        </button>
      </div>
    </form>
  );
}

interface VisitProps {
  readonly visit: PendingQuestion;
  readonly agentName: string;
  readonly onDismiss: () => void;
}

/** A page that the user agreed to open: shown until the agent is done with it. */
export function VisitNote({ visit, agentName, onDismiss }: VisitProps): ComponentChildren {
  const { url = "", elicitationId } = visit;
  if (!URL.canParse(url)) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fields here, a note with two buttons
    <section class="question-visit" role="group" aria-label="Opened page" data-visit={elicitationId}>
      <Icon name="globe" class="icon-sm" />
      <p>
        Opened <strong>{new URL(url).host}</strong>. Waiting for {agentName} to finish.
      </p>
      <button class="button ghost" type="button" onClick={() => openPage(url)}>
        Open again
      </button>
      <button class="button ghost" type="button" onClick={onDismiss}>
        Dismiss
      </button>
    </section>
  );
}

/** Where a page leads: the host first, then the whole address. */
export function PageAddress({ url }: { url: string }) {
  const { host } = new URL(url);
  return (
    <>
      <p>
        Opens <strong class="question-host">{host}</strong>:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long address scrolls, and what scrolls must be reachable by keyboard */}
      <p class="mono question-address" tabIndex={0}>
        {url}
      </p>
      {host.includes("xn--") && (
        <p role="alert">This site's name uses characters that look like others. Open it only if you trust it.</p>
      )}
    </>
  );
}

/** Only on the user's own click; the page does not learn where it was opened. */
export function openPage(url: string): void {
  window.open(url, "_blank", "noopener,noreferrer");
}

/** Never a button: an earlier key must not answer. */
const FIRST_FIELD = "[data-question] :is(input, select, textarea, [tabindex])";

/** Focuses the open question; false if there is none. */
export function focusQuestion(document: Document): boolean {
  const field = document.querySelector<HTMLElement>(FIRST_FIELD);
  field?.focus();
  return field !== null;
}

/** A question may take the focus from an empty composer only. */
function mayTakeFocus(document: Document): boolean {
  if (!document.hasFocus() || matchMedia("(pointer: coarse)").matches) return false;
  const active = document.activeElement;
  if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) return active.value === "";
  return !(active instanceof HTMLSelectElement);
}
