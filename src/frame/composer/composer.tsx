import { useEffect, useRef } from "preact/hooks";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { KeyHint } from "../../ui/controls/key-hint.tsx";
import { Icon } from "../../ui/icons/icon.tsx";
import { keyWords } from "../../ui/keys/key-bindings.ts";
import { type PortletModel, usePiece } from "../portlet-model.ts";
import { ArmedWaits } from "./armed-waits.tsx";
import { canSend, canSteer } from "./can-send.ts";
import { ComposerError } from "./composer-error.tsx";
import type { ComposerState } from "./composer-state.ts";
import { AttachButton, ComposerTools } from "./composer-tools.tsx";
import { ConfigControls } from "./config-controls.tsx";
import { MessageField } from "./message-field.tsx";
import { QueuedMessages } from "./queue/queued-messages.tsx";
import { SteerButton } from "./steer-button.tsx";
import { UsageMeter } from "./usage-meter.tsx";

/** Where the user writes. The text stays editable whatever the agent does; only sending may have to wait. */
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
          <ConfigControls model={model} />
          <span class="end">
            <UsageMeter model={model} />
            {isActive && <CancelButton isArmed={composer.isCancelArmed} onCancel={() => store.cancelTurn()} />}
            {isSteerable && <SteerButton isOff={isOff || isEmpty} steer={() => submit(true)} />}
            <button
              class="send"
              type="submit"
              aria-label="Send"
              title={isActive ? "Queue: goes when this turn has ended (Enter)" : "Send (Enter)"}
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

/** Sends what is written; Enter before the session's history does so once that is there, unless the text was changed since. */
function useSubmit(model: PortletModel): (steers: boolean) => void {
  const { store } = model;
  const isOpened = usePiece(model, (state) => state.isOpened);
  const early = useRef<string | null>(null);
  const submit = (steers: boolean) => {
    // Asked of the store, not of what was last drawn: Enter may come in the same frame as the last letter.
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
