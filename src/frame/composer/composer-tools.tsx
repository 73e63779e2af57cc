import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Part } from "../../protocol/entry.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { attachmentName } from "../../ui/words/attachment-name.ts";
import { type PortletModel, usePiece } from "../portlet-model.ts";
import { CompletionPopup, type CompletionToken, isSameToken, tokenAt } from "./completion-popup.tsx";
import { isMentioned } from "./composer-state.ts";
import { filesOf, takeFiles } from "./read-attachments.ts";

/** Longer pasted text is attached: in the message it could not be read or edited. */
const PASTED_CHARS_MAX = 50_000;

function sizeWords(text: string): string {
  return `${Math.round(new Blob([text]).size / 1_000).toLocaleString("en")} KB`;
}

interface ToolsProps {
  readonly model: PortletModel;
  readonly field: { readonly current: HTMLTextAreaElement | null };
}

/** Optional help for writing: completions, hints, and attachments. */
export function ComposerTools({ model, field }: ToolsProps) {
  useGivenFiles(model, field);
  return (
    <>
      <Completions model={model} field={field} />
      <ComposerHint model={model} />
      <AttachmentStrip model={model} />
    </>
  );
}

/** Follows the cursor: a word that can be completed opens the list, Escape closes it until another word starts. */
function Completions({ model, field }: ToolsProps) {
  const [token, setToken] = useState<CompletionToken | null>(null);
  const dismissed = useRef<number | null>(null);
  const { current } = field;
  const look = () => {
    if (current === null) return;
    const isHere = document.activeElement === current;
    const found = isHere ? tokenAt(current.value, current.selectionEnd) : null;
    if (found?.from !== dismissed.current) dismissed.current = null;
    const next = dismissed.current === null ? found : null;
    setToken((before) => (isSameToken(before, next) ? before : next));
  };
  model.composer.value; // text may also be set or cleared
  useLayoutEffect(look);
  useLayoutEffect(() => {
    const moments = ["input", "keyup", "click", "focus", "blur"];
    for (const moment of moments) current?.addEventListener(moment, look);
    return () => {
      for (const moment of moments) current?.removeEventListener(moment, look);
    };
  }, [current]);
  if (token === null || current === null) return null;
  const close = () => {
    dismissed.current = token.from;
    setToken(null);
  };
  return <CompletionPopup model={model} field={current} token={token} close={close} />;
}

/** Pasted into the field, or dropped anywhere on the session: the browser would otherwise navigate to them. */
function useGivenFiles({ store }: PortletModel, field: ToolsProps["field"]): void {
  useLayoutEffect(() => {
    const { current } = field;
    const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (isFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      takeFiles(store, filesOf(event.dataTransfer));
    };
    const paste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text.length > PASTED_CHARS_MAX && store.state.session.config.abilities?.embeddedContext !== false) {
        event.preventDefault();
        takeFiles(store, [new File([text], `Pasted text, ${sizeWords(text)}.txt`, { type: "text/plain" })]);
        return;
      }
      const files = filesOf(event.clipboardData);
      // Programs that copy an image beside its text mean the text.
      if (files.length === 0 || event.clipboardData?.types.includes("text/plain")) return;
      event.preventDefault();
      takeFiles(store, files);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    current?.addEventListener("paste", paste);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
      current?.removeEventListener("paste", paste);
    };
  }, []);
}

/** Files from the system's dialog. */
export function AttachButton({ model }: { model: PortletModel }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        class="icon-button"
        type="button"
        aria-label="Attach files"
        title="Attach images or text files. You can also paste or drop them. Type @ to mention project files"
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" />
      </button>
      <input
        ref={input}
        type="file"
        multiple={true}
        hidden={true}
        onChange={(event) => {
          takeFiles(model.store, [...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

/** One line below the text: the expected argument of a command, or what resending means. */
function ComposerHint({ model }: { model: PortletModel }) {
  const agentName = usePiece(model, (state) => state.agentName);
  const commands = usePiece(model, (state) => state.session.config.commands);
  const { text, isRepeat } = model.composer.value;
  const typed = /^\/(\S+)\s*$/.exec(text)?.[1];
  const hint = typed === undefined ? undefined : commands.find(({ name }) => name === typed)?.hint;
  const words = hint === undefined ? null : `/${typed} ${hint}`;
  if (words === null && !isRepeat) return null;
  return (
    <p class="composer-hint" role="note">
      {words ?? `This is sent as a new message. ${agentName} still remembers the earlier one.`}
    </p>
  );
}

/** The attachments of the message, each with its name and a remove button; mentions are in the text itself. */
function AttachmentStrip({ model }: { model: PortletModel }) {
  const { text, attachments } = model.composer.value;
  const shown = attachments.filter((part) => !isMentioned(text, part));
  if (shown.length === 0) return null;
  return (
    <ul class="attached" aria-label="Attachments">
      {shown.map((part, index) => (
        <Attached
          key={`${index} ${attachmentName(part)}`}
          part={part}
          remove={() => model.store.change({ type: "detached", part })}
        />
      ))}
    </ul>
  );
}

function Attached({ part, remove }: { part: Part; remove: () => void }) {
  const name = attachmentName(part);
  return (
    <li class="attached-item">
      {part.type === "image" ? (
        <img src={`data:${part.mimeType};base64,${part.data}`} alt={name} />
      ) : (
        <span class="attached-file">
          <Icon name="file" class="icon-sm" />
          <span class="truncate">{name}</span>
        </span>
      )}
      <button
        class="icon-button small"
        type="button"
        aria-label={`Remove ${name}`}
        title={`Remove ${name}`}
        onClick={remove}
      >
        <Icon name="close" class="icon-sm" />
      </button>
    </li>
  );
}
