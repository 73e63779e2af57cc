import { createIcon } from "../icons/create-icon.ts";
import type { IconName } from "../icons/icon-shapes.ts";

/** A small button with an icon and a name. */
export function createBlockButton(icon: IconName, label: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon-button";
  button.append(createIcon(icon, "icon-sm"));
  setLabel(button, label);
  return button;
}

/** Shows the result of copying until the pointer or the focus leaves the button, which needs no timer. */
export function showCopied(button: HTMLElement, isDone: boolean): void {
  const label = button.dataset["label"] ?? button.getAttribute("aria-label") ?? "";
  button.dataset["label"] = label;
  setLook(button, isDone ? "check" : "copy", isDone ? "Copied" : "Could not copy: select the text and copy it");
  const reset = (): void => {
    button.removeEventListener("pointerleave", reset);
    button.removeEventListener("blur", reset);
    setLook(button, "copy", label);
  };
  button.addEventListener("pointerleave", reset);
  button.addEventListener("blur", reset);
}

function setLook(button: HTMLElement, icon: IconName, label: string): void {
  button.querySelector("svg")?.replaceWith(createIcon(icon, "icon-sm"));
  setLabel(button, label);
}

function setLabel(button: HTMLElement, label: string): void {
  button.setAttribute("aria-label", label);
  button.title = label;
}
