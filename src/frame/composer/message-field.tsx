import { useLayoutEffect } from "preact/hooks";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { type PortletModel, usePiece } from "../portlet-model.ts";
import type { PortletStore } from "../portlet-store.ts";
import { canSteer } from "./can-send.ts";

/** What browsers report for a key that an input method handles. */
const TAKEN_KEY_CODE = 229;

interface MessageFieldProps {
  readonly model: PortletModel;
  readonly field: { current: HTMLTextAreaElement | null };
  readonly submit: (steers: boolean) => void;
}

/** The text of the message. The completion popup handles keys first. */
export function MessageField({ model, field, submit }: MessageFieldProps) {
  const { store } = model;
  const placeholder = usePlaceholder(model);
  model.composer.value; // rendered again with every change, whether or not it affects the text
  useLayoutEffect(() => {
    if (field.current) showText(field.current, store);
  });
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }) => {
    if (event.defaultPrevented) return;
    const { key, shiftKey, ctrlKey, altKey, metaKey, currentTarget } = event;
    const { value, selectionStart } = currentTarget;
    const { session } = store.state;
    const isComposing = event.isComposing || event.keyCode === TAKEN_KEY_CODE;
    const intent = composerIntent(
      { key, shift: shiftKey, ctrl: ctrlKey, alt: altKey, meta: metaKey, isComposing },
      {
        text: value,
        queuedCount: session.queue.filter(({ steering }) => !steering).length,
        isRecalled: store.composer.recalled !== null && selectionStart === value.length,
        canSteer: canSteer(session),
      },
    );
    if (intent === null) return;
    event.preventDefault();
    if (intent === "edit-queued") store.editQueued();
    else if (intent === "recall-older") store.recall(1);
    else if (intent === "recall-newer") store.recall(-1);
    else submit(intent === "steer");
  };
  return (
    <textarea
      id="message"
      ref={field}
      rows={1}
      aria-label="Message"
      placeholder={placeholder}
      spellcheck={true}
      onInput={(event) => store.type(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

/** Shows text that was not typed: a draft, a refused message, the empty text after sending. */
function showText(field: HTMLTextAreaElement, { composer: { text } }: PortletStore): void {
  if (field.value === text) return;
  field.value = text;
  field.setSelectionRange(text.length, text.length);
}

/**
 * Focuses the message field. It gets the store's text first, not with the next frame: a letter typed
 * before that frame would otherwise replace the text.
 */
export function focusMessageField(document: Document, store: PortletStore): void {
  const field = document.querySelector<HTMLTextAreaElement>("textarea#message");
  if (field === null) return;
  showText(field, store);
  field.focus();
}

function usePlaceholder(model: PortletModel): string {
  const agentName = usePiece(model, (state) => state.agentName);
  const isActive = usePiece(model, (state) => isTurnActive(state.session.turn));
  const isPaused = usePiece(model, (state) => state.session.pause !== null);
  const isAway = usePiece(model, ({ status }) => status === "disconnected" || status === "reconnecting");
  const isUnstarted = usePiece(model, (state) => state.startFailure !== null);
  const isWritable = usePiece(model, (state) => state.isWritable);
  const looks = usePiece(model, (state) => state.person?.looks === true);
  if (looks) return "You may look here. To write, ask an owner for the role member";
  if (!isWritable) return "Keep typing. You can send once the disk is writable again";
  if (isUnstarted) return `Keep typing. You can send once ${agentName} has started`;
  if (isAway) return `Keep typing. You can send once ${agentName} is back`;
  if (isPaused) return "Held until the session resumes";
  return isActive ? "Queue a message" : `Message ${agentName}`;
}

/** A key press in the composer. */
export interface ComposerKey {
  readonly key: string;
  readonly shift: boolean;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly meta: boolean;
  /** An input method is active and handles its own keys. */
  readonly isComposing: boolean;
}

/** The state of the composer when the key is pressed. */
export interface ComposerScene {
  readonly text: string;
  readonly queuedCount: number;
  /** The text is an unchanged earlier message, with the cursor at its end. */
  readonly isRecalled: boolean;
  /** The running turn accepts messages. */
  readonly canSteer: boolean;
}

type ComposerIntent = "send" | "steer" | "edit-queued" | "recall-older" | "recall-newer";

/** The meaning of a key; null leaves it to the text field. The frame handles Esc. */
export function composerIntent(press: ComposerKey, scene: ComposerScene): ComposerIntent | null {
  const { key, shift, ctrl, alt, meta, isComposing } = press;
  if (isComposing) return null;
  if (key === "Enter" && !shift && !alt) return (ctrl || meta) && scene.canSteer ? "steer" : "send";
  if (shift || ctrl || alt || meta) return null;
  if (key === "ArrowUp" && scene.text === "") return scene.queuedCount > 0 ? "edit-queued" : "recall-older";
  if (!scene.isRecalled) return null;
  if (key === "ArrowUp") return "recall-older";
  return key === "ArrowDown" ? "recall-newer" : null;
}
