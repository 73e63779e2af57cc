import { useState } from "preact/hooks";
import type { OtherWriter, SessionAway } from "../protocol/conversations.ts";
import { closeWords, writerWords } from "../protocol/errors.ts";
import { Icon } from "../ui/icons/icon.tsx";
import { canSend } from "./composer/can-send.ts";
import { type PortletModel, usePiece } from "./portlet-model.ts";

/** The conversation is continued in a terminal: which program has it open there, and the actions here. */
export function AwayCard({ model }: { model: PortletModel }) {
  const away = usePiece(model, (state) => state.session.away);
  if (away?.writer) return <OpenElsewhere model={model} away={away} writer={away.writer} />;
  if (away?.command !== undefined) return <HandedBack command={away.command} />;
  return null;
}

const DOING: Readonly<Record<NonNullable<OtherWriter["doing"]>, string>> = {
  working: "It is working there.",
  idle: "It is idle there.",
  asking: "It waits for an answer there.",
};

/** Sending is disabled: two writers would damage each other's conversation. */
function OpenElsewhere({ model, away, writer }: { model: PortletModel; away: SessionAway; writer: OtherWriter }) {
  const { store } = model;
  const isOff = usePiece(model, (state) => !canSend(state));
  const { text, attachments } = model.composer.value;
  const isEmpty = text.trim() === "" && attachments.length === 0;
  const hasQueue = usePiece(model, (state) => state.session.queue.length > 0);
  const branch = async () => {
    try {
      await store.branch(isEmpty ? {} : { content: text }, attachments);
      if (!isEmpty) store.change({ type: "typed", text: "" });
    } catch (error) {
      store.receive({ type: "session:error", message: error instanceof Error ? error.message : String(error) });
    }
  };
  const wait = () => (isEmpty ? store.ask({ type: "session:elsewhere", wait: true }) : store.submitWhenFree());
  return (
    <section class="notice away" data-severity="warning" aria-label="Open in another program">
      <Icon name="terminal" />
      <div class="body">
        <div>
          <strong>Open in another program</strong>
          <p class="notice-words">
            {writerWords(writer)} has this conversation open. {writer.doing !== undefined && DOING[writer.doing]}{" "}
            {closeWords(writer)}
          </p>
          <p class="notice-words" role="status">
            {away.waits && "Your message is sent as soon as it is closed there. "}
            {away.follows && "What is said there appears here after each turn, or when it is closed there."}
          </p>
        </div>
        <div class="actions">
          {away.waits ? (
            <button class="button" type="button" onClick={() => store.ask({ type: "session:elsewhere", wait: false })}>
              Stop waiting
            </button>
          ) : (
            <button
              class="button primary"
              type="button"
              disabled={isOff || (isEmpty && !hasQueue)}
              title={isEmpty && !hasQueue ? "Write a message first" : "Send the message when it is closed there"}
              onClick={wait}
            >
              <Icon name="clock" class="icon-sm" />
              Send when closed
            </button>
          )}
          <button
            class="button"
            type="button"
            aria-pressed={away.follows === true}
            title="Show what is said there"
            onClick={() => store.ask({ type: "session:elsewhere", follow: away.follows !== true })}
          >
            <Icon name="read" class="icon-sm" />
            Follow
          </button>
          <button
            class="button"
            type="button"
            title="Go on in a new session that begins with this conversation. The one in the terminal stays as it is"
            onClick={() => void branch()}
          >
            <Icon name="fork" class="icon-sm" />
            Branch here
          </button>
        </div>
      </div>
    </section>
  );
}

type Copied = "not-yet" | "done" | "failed";
const COPY_WORDS: Readonly<Record<Copied, string>> = { "not-yet": "Copy", done: "Copied", failed: "Could not copy" };

function HandedBack({ command }: { command: string }) {
  const [copied, setCopied] = useState<Copied>("not-yet");
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => setCopied("done"),
      () => setCopied("failed"),
    );
  return (
    <section class="notice away" data-severity="info" aria-label="Continues in a terminal">
      <Icon name="terminal" />
      <div class="body">
        <div>
          <strong>Continues in a terminal</strong>
          <p class="notice-words">The agent here has let go of it. Send a message to continue here.</p>
          <code class="away-command">{command}</code>
        </div>
        <div class="actions">
          <button class="button" type="button" onClick={() => void copy()} onBlur={() => setCopied("not-yet")}>
            <Icon name={copied === "done" ? "check" : "copy"} class="icon-sm" />
            {COPY_WORDS[copied]}
          </button>
        </div>
      </div>
    </section>
  );
}
