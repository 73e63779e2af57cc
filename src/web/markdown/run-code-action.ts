import { createIcon } from "../icons/create-icon.ts";
import { codeOf } from "./patch-code.ts";

/** Does what the button of a code block that was clicked says. Returns false when the click was somewhere else. */
export function runCodeAction(target: Element): boolean {
  const button = target.closest<HTMLElement>(".block-head [data-action]");
  const code = codeOf(button?.closest(".block") ?? target);
  if (button === null || code === null) return false;
  if (button.dataset["action"] === "wrap") toggleWrap(button, code);
  else copyCode(button, code);
  return true;
}

function toggleWrap(button: HTMLElement, code: HTMLElement): void {
  const isOn = code.parentElement?.classList.toggle("wrap") ?? false;
  button.setAttribute("aria-pressed", String(isOn));
}

function copyCode(button: HTMLElement, code: HTMLElement): void {
  copyText(code).then(
    () => showResult(button, "check", "Copied"),
    () => showResult(button, "copy", "Could not copy: press Ctrl+C"), // the code is selected, so that works
  );
}

/** Without the clipboard interface (plain http in a LAN) or its permission, the old command does it from a selection. */
async function copyText(code: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
  } catch (error) {
    getSelection()?.selectAllChildren(code);
    if (!document.execCommand("copy")) throw error;
  }
}

/** The answer stays until the pointer or the focus leaves the button, which needs no clock. */
function showResult(button: HTMLElement, icon: "check" | "copy", label: string): void {
  setLook(button, icon, label);
  const reset = (): void => {
    button.removeEventListener("pointerleave", reset);
    button.removeEventListener("blur", reset);
    setLook(button, "copy", "Copy code");
  };
  button.addEventListener("pointerleave", reset);
  button.addEventListener("blur", reset);
}

function setLook(button: HTMLElement, icon: "check" | "copy", label: string): void {
  button.replaceChildren(createIcon(icon, "icon-sm"));
  button.setAttribute("aria-label", label);
  button.title = label;
}
