import { useEffect, useRef } from "preact/hooks";
import type { ArmedWait } from "../../protocol/delegation.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { KeyHint } from "../../ui/controls/key-hint.tsx";
import { Icon } from "../../ui/icons/icon.tsx";
import { chordWords } from "../../ui/keys/chords.ts";
import { keyWords } from "../../ui/keys/key-bindings.ts";
import { type PortletModel, usePiece } from "../portlet-model.ts";
import { AgentMenu } from "./agent-menu.tsx";
import { canSend, canSteer } from "./can-send.ts";
import type { ComposerState } from "./composer-state.ts";
import { AttachButton, ComposerTools } from "./composer-tools.tsx";
import { ConfigControls } from "./config-controls.tsx";
import { MessageField } from "./message-field.tsx";
import { QueuedMessages } from "./queued-messages.tsx";

/** The message editor. The text stays editable whatever the agent does; only sending may be disabled. */
export function Composer({ model }: { model: PortletModel }) {
  const { store } = model;
  const field = useRef<HTMLTextAreaElement>(null);
  const isOff = usePiece(model, (state) => !canSend(state));
  const isActive = usePiece(model, (state) => isTurnActive(state.session.turn));
  const isWaiting = usePiece(model, ({ session }) => session.waits.length > 0);
  const hasQueue = usePiece(model, (state) => state.session.queue.length > 0);
  const isSteerable = usePiece(model, (state) => canSteer(state.session));
  const canEverSteer = usePiece(model, (state) => state.session.config.abilities?.steering === true);
  const composer = model.composer.value;
  const isEmpty = isComposerEmpty(composer);
  const submit = useSubmit(model);
  return (
    <>
      <ComposerError error={composer.error} onDismiss={() => store.change({ type: "error-dismissed" })} />
      <form
        class={isOff ? "composer off" : "composer"}
        onSubmit={(event) => {
          event.preventDefault();
          submit(false);
        }}
      >
        {isWaiting && <ArmedWaits model={model} />}
        {(hasQueue || composer.editing !== null || composer.outgoing.some(({ place }) => place === "queue")) && (
          <QueuedMessages model={model} />
        )}
        <MessageField model={model} field={field} submit={submit} />
        <ComposerTools model={model} field={field} />
        <div class={canEverSteer ? "composer-foot steers" : "composer-foot"}>
          <AttachButton model={model} />
          <AgentMenu model={model} />
          <ConfigControls model={model} />
          <span class="end">
            <UsageMeter model={model} />
            {isActive && <CancelButton isArmed={composer.isCancelArmed} onCancel={() => store.cancelTurn()} />}
            {isSteerable && <SteerButton isOff={isOff || isEmpty} steer={() => submit(true)} />}
            <button
              class="send"
              type="submit"
              aria-label="Send"
              title={isActive ? "Queue: sent when this turn ends (Enter)" : "Send (Enter)"}
              disabled={isOff || isEmpty}
            >
              <Icon name={isActive ? "queue" : "send"} />
            </button>
          </span>
        </div>
      </form>
    </>
  );
}

/** Sends the text; Enter before the session's history has arrived sends it then, unless the text was changed since. */
function useSubmit(model: PortletModel): (steers: boolean) => void {
  const { store } = model;
  const isOpened = usePiece(model, (state) => state.isOpened);
  const early = useRef<string | null>(null);
  const submit = (steers: boolean) => {
    // Read from the store, not from the last rendering: Enter may come in the same frame as the last letter.
    if (isComposerEmpty(store.composer)) return;
    if (canSend(store.state)) store.submit(undefined, steers);
    else if (!store.state.isOpened) early.current = store.composer.text;
  };
  useEffect(() => {
    if (!isOpened) return;
    if (early.current === store.composer.text) submit(false);
    early.current = null;
  }, [isOpened]);
  return submit;
}

function isComposerEmpty({ text, attachments }: ComposerState): boolean {
  return text.trim() === "" && attachments.length === 0;
}

function CancelButton({ isArmed, onCancel }: { isArmed: boolean; onCancel: () => void }) {
  return (
    <>
      <span class="cancel-hint" role="status">
        {isArmed ? `Press ${keyWords("stop")} again to cancel` : ""}
      </span>
      <button
        class="cancel"
        type="button"
        title={`Cancel this turn (${keyWords("stop")}, ${keyWords("stop")})`}
        onClick={onCancel}
      >
        <Icon name="stop" class="icon-sm" />
        <span class="label">Cancel</span>
        <KeyHint name={keyWords("stop")} />
      </button>
    </>
  );
}

/** What will wake this session, and the button that prevents it. */
function ArmedWaits({ model }: { model: PortletModel }) {
  const waits = usePiece(model, (state) => state.session.waits);
  return (
    <>
      {waits?.map((wait) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; this groups a text with its button
        <div class="queued" role="group" aria-label="Waiting for agents" key={wait.waitId}>
          <Icon name="clock" class="icon-sm" />
          <span class="truncate">{waitWords(wait)}</span>
          <span class="end">
            <button
              class="button ghost"
              type="button"
              onClick={() => model.store.ask({ type: "session:wait-cancel", waitId: wait.waitId })}
            >
              Stop waiting
            </button>
          </span>
        </div>
      ))}
    </>
  );
}

function waitWords({ agentIds, until }: ArmedWait): string {
  if (agentIds.length === 1) return "Waiting for 1 agent; resumes when it finishes.";
  const when = until === "any" ? "the first finishes" : "they finish";
  return `Waiting for ${agentIds.length} agents; resumes when ${when}.`;
}

/** Why a message was refused; its text is back in the composer. */
function ComposerError({ error, onDismiss }: { error: string | null; onDismiss: () => void }) {
  if (error === null) return null;
  return (
    <div class="notice composer-error" role="alert" data-severity="error">
      <Icon name="fail" />
      <div class="body">
        <p class="notice-words">{error}</p>
      </div>
      <button class="icon-button small" type="button" aria-label="Dismiss" onClick={onDismiss}>
        <Icon name="close" class="icon-sm" />
      </button>
    </div>
  );
}

/** Beside Send while the running turn accepts messages: Send queues, this does not wait. */
function SteerButton({ isOff, steer }: { isOff: boolean; steer: () => void }) {
  return (
    <button
      class="button"
      type="button"
      title={`Steer: send to the agent now, without stopping it (${chordWords("Mod+Enter")})`}
      disabled={isOff}
      onClick={steer}
    >
      Steer
    </button>
  );
}

/** How much of the model's context is used: a ring and a number, the exact counts on hover. */
function UsageMeter({ model }: { model: PortletModel }) {
  const usage = usePiece(model, (state) => state.session.config.usage);
  if (usage === null || usage.size <= 0) return null;
  const percent = Math.min(100, Math.round((usage.used / usage.size) * 100));
  const words = `${usage.used.toLocaleString("en")} of ${usage.size.toLocaleString("en")} tokens`;
  return (
    <span class="meter" title={words} style={{ "--value": percent }}>
      <span class="ring" role="img" aria-label={`Context used: ${words}`} />
      <span class="label">{percent}%</span>
    </span>
  );
}
