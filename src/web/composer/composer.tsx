import { useLayoutEffect, useRef } from "preact/hooks";
import { isTurnActive } from "../../protocol/session-state.ts";
import { Icon } from "../icons/icon.tsx";
import { KeyHint } from "../portlet/key-hint.tsx";
import { type PortletModel, usePiece } from "../portlet/portlet-model.ts";
import { canSend } from "./can-send.ts";
import { ComposerError } from "./composer-error.tsx";
import { composerIntent } from "./composer-key.ts";
import type { ComposerState } from "./composer-state.ts";
import { ConfigControls } from "./config-controls.tsx";
import { QueuedMessages } from "./queued-messages.tsx";
import { UsageMeter } from "./usage-meter.tsx";

/** Where the user writes. The text stays editable whatever the agent does; only sending may have to wait. */
export function Composer({ model }: { model: PortletModel }) {
  const { store } = model;
  const isOff = usePiece(model, (state) => !canSend(state));
  const isActive = usePiece(model, (state) => isTurnActive(state.session.turn));
  const composer = model.composer.value;
  const isEmpty = isComposerEmpty(composer);
  const submit = () => {
    // Asked of the store, not of what was last drawn: Enter may come in the same frame as the last letter.
    if (canSend(store.state) && !isComposerEmpty(store.composer)) store.submit();
  };
  return (
    <>
      <ComposerError error={composer.error} onDismiss={() => store.dismissError()} />
      <form
        class={isOff ? "composer off" : "composer"}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <QueuedMessages model={model} />
        <MessageField model={model} submit={submit} />
        <div class="composer-foot">
          <ConfigControls model={model} />
          {composer.attachments.length > 0 && <span class="tag">{attachmentWords(composer.attachments.length)}</span>}
          <span class="end">
            <UsageMeter model={model} />
            {isActive && <CancelButton isArmed={composer.isCancelArmed} onCancel={() => store.cancelTurn()} />}
            <button class="send" type="submit" aria-label="Send" title="Send (Enter)" disabled={isOff || isEmpty}>
              <Icon name="send" />
            </button>
          </span>
        </div>
      </form>
    </>
  );
}

function isComposerEmpty({ text, attachments }: ComposerState): boolean {
  return text.trim() === "" && attachments.length === 0;
}

function MessageField({ model, submit }: { model: PortletModel; submit: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const placeholder = usePlaceholder(model);
  model.composer.value; // drawn again with every change, whether or not it touched the text
  useLayoutEffect(() => {
    // Text that was put here or taken away, not typed: a draft, a message that came back, one that was sent.
    const { current } = field;
    const { text } = model.store.composer;
    if (current && current.value !== text) {
      current.value = text;
      current.setSelectionRange(text.length, text.length);
    }
  });
  return (
    <textarea
      id="message"
      ref={field}
      rows={1}
      aria-label="Message"
      placeholder={placeholder}
      spellcheck={true}
      onInput={(event) => model.store.type(event.currentTarget.value)}
      onKeyDown={(event) => {
        const { key, shiftKey, ctrlKey, altKey, metaKey, isComposing } = event;
        const press = { key, shift: shiftKey, ctrl: ctrlKey, alt: altKey, meta: metaKey, isComposing };
        const queued = model.store.state.session.queue.length;
        const intent = composerIntent(press, event.currentTarget.value, queued);
        if (intent === null) return;
        event.preventDefault();
        if (intent === "send") submit();
        else model.store.editQueued();
      }}
    />
  );
}

function usePlaceholder(model: PortletModel): string {
  const agentName = usePiece(model, (state) => state.agentName);
  const isActive = usePiece(model, (state) => isTurnActive(state.session.turn));
  const isAway = usePiece(model, ({ status }) => status === "disconnected" || status === "reconnecting");
  if (isAway) return `Write on; it can be sent when ${agentName} is back`;
  return isActive ? "Queue a message" : `Message ${agentName}`;
}

function CancelButton({ isArmed, onCancel }: { isArmed: boolean; onCancel: () => void }) {
  return (
    <>
      <span class="cancel-hint" role="status">
        {isArmed ? "Press Esc again to cancel" : ""}
      </span>
      <button class="cancel" type="button" title="Cancel this turn (Esc, Esc)" onClick={onCancel}>
        <Icon name="stop" class="icon-sm" />
        <span class="label">Cancel</span>
        <KeyHint name="Esc" />
      </button>
    </>
  );
}

function attachmentWords(count: number): string {
  return count === 1 ? "1 attachment" : `${count} attachments`;
}
