import { useRef, useState } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";

type Copied = "not-yet" | "done" | "failed";
const WORDS: Readonly<Record<Copied, string>> = { "not-yet": "Copy", done: "Copied", failed: "Could not copy" };

/** Copies text to the clipboard; the confirmation stays until the pointer or the focus leaves the button. */
export function CopyButton({ text }: { text: () => string }) {
  const [copied, setCopied] = useState<Copied>("not-yet");
  const button = useRef<HTMLButtonElement>(null);
  const copy = () => {
    copyText(text(), button.current).then(
      () => setCopied("done"),
      () => setCopied("failed"),
    );
  };
  const reset = () => setCopied("not-yet");
  return (
    <>
      <button type="button" class="button" ref={button} onClick={copy} onPointerLeave={reset} onBlur={reset}>
        <Icon name={copied === "done" ? "check" : "copy"} class="icon-sm" />
        {WORDS[copied]}
      </button>
      <span class="visually-hidden" role="status">
        {copied !== "not-yet" && WORDS[copied]}
      </span>
    </>
  );
}

/** Without the clipboard API (plain http in a LAN) or its permission, it falls back to `execCommand` on a text field. */
async function copyText(text: string, beside: HTMLElement | null): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    const field = document.createElement("textarea");
    field.className = "visually-hidden";
    field.value = text;
    beside?.after(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    beside?.focus();
    if (!isCopied) throw error;
  }
}
