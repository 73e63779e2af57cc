import { signal } from "@preact/signals";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { REASON_CHARS_MAX } from "../../protocol/limits.ts";
import { KeyHint } from "../controls/key-hint.tsx";
import { Icon } from "../icons/icon.tsx";
import { keyWhileTyping, keyWords } from "../keys/key-bindings.ts";

/** The request whose reason field is open; a key opens it, too. */
export const reasonFor = signal<string | null>(null);

interface DenyReasonProps {
  readonly requestKey: string;
  readonly isReady: boolean;
  readonly deny: (reason: string) => void;
  /** The request was closed while the field is open: handles the focus and the unsent text. */
  readonly leave: (unsent: string) => void;
}

/** Denies with a reason that is sent to the agent. */
export function DenyReason({ requestKey, isReady, deny, leave }: DenyReasonProps) {
  const isOpen = reasonFor.value === requestKey;
  const [reason, setReason] = useState("");
  const [sent, setSent] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (isOpen) field.current?.focus();
  }, [isOpen]);
  const left = useRef<() => void>(() => undefined);
  left.current = () => {
    if (!isOpen) return;
    reasonFor.value = null;
    leave(reason === sent ? "" : reason);
  };
  // What is typed next must not reach the request that appears in this place. A layout effect: its cleanup runs before
  // the field is removed, that of an effect only after the next paint, and a letter typed in between would be lost.
  useLayoutEffect(() => () => left.current(), []);
  const close = () => {
    reasonFor.value = null;
    button.current?.focus();
  };
  const send = () => {
    if (reason.trim() === "") return;
    setSent(reason);
    deny(reason);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "Escape") close();
    else if (event.key === "Enter") send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="ask-rule">
      <button
        ref={button}
        type="button"
        class="button small ghost"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => {
          reasonFor.value = isOpen ? null : requestKey;
        }}
      >
        <Icon name={isOpen ? "down" : "chevron"} class="icon-sm" />
        Deny with a reason…
        <KeyHint name={keyWords("deny-with-reason")} whileTyping={keyWhileTyping("deny-with-reason")} />
      </button>
      <div class="ask-reason" id={id} hidden={!isOpen}>
        <input
          ref={field}
          type="text"
          aria-label="Reason for the agent"
          placeholder="Tell the agent why, or what to do instead"
          autocomplete="off"
          maxLength={REASON_CHARS_MAX}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          class="button small"
          aria-disabled={!isReady || reason.trim() === ""}
          aria-busy={sent !== "" && sent === reason}
          onClick={send}
        >
          Deny and send
        </button>
      </div>
    </div>
  );
}
