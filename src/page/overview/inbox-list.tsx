import type { ReadonlySignal } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import type { Json } from "../../protocol/json.ts";
import { isPermission } from "../../protocol/pending-request.ts";
import type { PendingQuestion, QuestionAction } from "../../protocol/question.ts";
import type { PendingPermission } from "../../protocol/session-parts.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { pressedKey } from "../../ui/keys/chords.ts";
import { keyWords } from "../../ui/keys/key-bindings.ts";
import { findShortcut } from "../../ui/keys/shell-shortcut.ts";
import { IN_INBOX, type InboxWish } from "../../ui/keys/shortcut-table.ts";
import { PermissionCard } from "../../ui/permissions/permission-card.tsx";
import { firstOption } from "../../ui/permissions/permission-words.ts";
import { ANSWER_GUARD_MS, isSettled } from "../../ui/permissions/settled-request.ts";
import type { Refused } from "../../ui/questions/answer-draft.ts";
import { QuestionCard } from "../../ui/questions/question-card.tsx";
import { ageWords } from "../../ui/words/time-words.ts";
import { useRoving } from "../controls/use-roving.ts";
import { leavePage } from "../pages/page-frame.tsx";
import type { Shell } from "../state/shell.ts";
import { agentOf, directoryOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import type { InboxEntry } from "./fold-inbox.ts";

interface InboxListProps {
  readonly shell: Shell;
  readonly entries: readonly InboxEntry[];
  readonly now: ReadonlySignal<number>;
}

/** All open requests with one selected: keys move the selection and answer the selected one. */
export function InboxList({ shell, entries, now }: InboxListProps) {
  const list = useRoving<HTMLUListElement>(".inbox-item");
  const [mark, setMark] = useState({ id: "", at: 0 });
  const [answering, setAnswering] = useState("");
  const found = entries.findIndex(({ id }) => id === mark.id);
  const at = found === -1 ? Math.max(0, Math.min(mark.at, entries.length - 1)) : found;
  const current = entries[at];
  const shownForMs = useShownFor(current?.id);
  const step = (steps: number) => {
    const to = (at + steps + entries.length) % entries.length;
    setMark({ id: entries[to]?.id ?? "", at: to });
    focusItem(list.current, to);
  };
  useWishes(shell, (wish, event) => {
    if (wish === "leave") {
      leavePage(shell);
      return true;
    }
    if (current === undefined) return false;
    if (wish === "next" || wish === "previous") {
      step(wish === "next" ? 1 : -1);
      return true;
    }
    if (wish === "answer") {
      const isOnControl = event.target instanceof Element && event.target.closest("button, a, [tabindex='0']") !== null;
      if (isOnControl || isPermission(current.request)) return false;
      setAnswering(current.id);
      return true;
    }
    if (shownForMs() < ANSWER_GUARD_MS || !isSettled(current.id)) return false;
    return answerPermission(shell, current, wish);
  });
  const closeForm = (index: number) => {
    focusItem(list.current, index);
    setAnswering("");
  };
  useFocusKept(list, entries.length, at);
  useForgotten(entries);
  return (
    <section class="inbox" aria-label="Inbox">
      <InboxHead count={entries.length} />
      {entries.length === 0 && <p class="inbox-empty">Nothing is waiting for you.</p>}
      <ul ref={list}>
        {entries.map((entry, index) => (
          <InboxCard
            key={entry.id}
            shell={shell}
            entry={entry}
            now={now}
            isMarked={index === at}
            isAnswering={entry.id === answering}
            onAnswer={() => setAnswering(entry.id)}
            onLeave={() => closeForm(index)}
            onMark={() => setMark({ id: entry.id, at: index })}
          />
        ))}
      </ul>
    </section>
  );
}

function InboxHead({ count }: { count: number }) {
  return (
    <div class="section-head">
      <h2>Inbox</h2>
      <span class="n">{count > 0 && count}</span>
      <span class="end wide-only" aria-hidden="true">
        <kbd>{keyWords("inbox-next")}</kbd>
        <kbd>{keyWords("inbox-previous")}</kbd> move
      </span>
    </div>
  );
}

function answerPermission(shell: Shell, entry: InboxEntry, wish: "allow" | "deny"): boolean {
  if (!isPermission(entry.request)) return false;
  const option = firstOption(entry.request.options, wish === "allow" ? "allow" : "reject");
  if (option === undefined) return false;
  void respondTo(shell, entry, entry.request, option.optionId);
  return true;
}

function focusItem(list: HTMLElement | null, at: number): void {
  const item = list?.children[at];
  if (item instanceof HTMLElement) item.focus();
}

/** How long the marked request has been marked: a key already on its way must not answer a request that has just appeared. */
function useShownFor(id: string | undefined): () => number {
  const since = useRef(0);
  useLayoutEffect(() => {
    since.current = performance.now();
  }, [id]);
  return () => performance.now() - since.current;
}

/** When the focused request is answered and removed, the next one gets the focus. */
function useFocusKept(list: { readonly current: HTMLElement | null }, count: number, at: number): void {
  const before = useRef(count);
  useLayoutEffect(() => {
    const isFree = document.activeElement === document.body || document.activeElement === null;
    if (count < before.current && isFree) focusItem(list.current, at);
    before.current = count;
  }, [count]);
}

/** The keys of the inbox, wherever in the overview the focus is; not while a dialog is open or text is typed. */
function useWishes(shell: Shell, act: (wish: InboxWish, event: KeyboardEvent) => boolean): void {
  const latest = useRef(act);
  latest.current = act;
  // In a layout effect: a key pressed after the paint would be lost.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || shell.dialog.peek().kind !== "none") return;
      if (shell.drawerOpen.peek()) return;
      const { code, ctrlKey: ctrl, metaKey: meta, shiftKey: shift, altKey: alt, target } = event;
      if (target instanceof Element && target.closest("input, textarea, select, nav, [role=tablist]") !== null) return;
      const wish = findShortcut(IN_INBOX, {
        key: pressedKey(event),
        code,
        modifiers: { ctrl, meta, shift, alt },
        typing: false,
      });
      if (wish !== null && latest.current(wish, event)) event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [shell]);
}

interface InboxCardProps {
  readonly shell: Shell;
  readonly entry: InboxEntry;
  readonly now: ReadonlySignal<number>;
  readonly isMarked: boolean;
  /** The question's form is open. */
  readonly isAnswering: boolean;
  readonly onAnswer: () => void;
  /** Closes the form, and leaves the question open. */
  readonly onLeave: () => void;
  readonly onMark: () => void;
}

/** One request, with its session and the same card as in that session. */
function InboxCard(props: InboxCardProps) {
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
      directory={directoryOf(shell.server.value, entry.session)}
      now={now}
      respond={(optionId) => void respondTo(shell, entry, permission, optionId)}
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

/** Requests with an answer on its way, by entry: a second key on a slow line would only be refused. */
const responding = new Set<string>();

async function respondTo(shell: Shell, { id, session }: InboxEntry, asked: PendingPermission, optionId: string) {
  if (responding.has(id)) return;
  responding.add(id);
  const { permissionId } = asked;
  const answer = await shell.attempt({ type: "permission:respond", sessionId: session.id, permissionId, optionId });
  if (answer === null) responding.delete(id);
}

/** A request that is closed and reopened can be answered again. */
function useForgotten(entries: readonly InboxEntry[]): void {
  useLayoutEffect(() => {
    for (const id of responding) if (!entries.some((entry) => entry.id === id)) responding.delete(id);
  }, [entries]);
}

interface QuestionReply {
  readonly action: QuestionAction;
  readonly content?: Record<string, Json> | undefined;
}

/** `onRefused` receives the errors of the answer. */
function replyTo(
  shell: Shell,
  sessionId: SessionId,
  { elicitationId }: PendingQuestion,
  { action, content }: QuestionReply,
  onRefused: (trouble: Trouble) => void,
): void {
  const reply = { type: "elicitation:respond", sessionId, elicitationId, action } as const;
  void shell.attempt(content === undefined ? reply : { ...reply, content }, (_words, trouble) => onRefused(trouble));
}
