import { showCopied } from "./block-button.ts";
import { copyText } from "./copy-text.ts";
import { codeOf } from "./patch-code.ts";

/** Does what the button of a code block that was clicked says. Returns false when the click was somewhere else. */
export function runCodeAction(target: Element): boolean {
  const button = target.closest<HTMLElement>(".block-head [data-action]");
  const code = codeOf(button?.closest(".block") ?? target);
  if (button === null || code === null) return false;
  if (button.dataset["action"] === "wrap") toggleWrap(button, code.parentElement);
  else copyCode(button, code);
  return true;
}

/** Long lines of a block go on below instead of to the right, or no longer do. */
export function toggleWrap(button: HTMLElement, body: Element | null): void {
  const isOn = body?.classList.toggle("wrap") ?? false;
  button.setAttribute("aria-pressed", String(isOn));
}

function copyCode(button: HTMLElement, code: HTMLElement): void {
  copyText(code.textContent ?? "").then(
    () => showCopied(button, true),
    () => {
      getSelection()?.selectAllChildren(code); // so that Ctrl+C works
      showCopied(button, false);
    },
  );
}
