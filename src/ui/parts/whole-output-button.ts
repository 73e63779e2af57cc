import type { Truncated } from "../../protocol/entry.ts";
import { createElement } from "../create-element.ts";
import { createIcon } from "../icons/create-icon.ts";

const KILO = 1_000;

/** Asks for all of a text that is shown in part; the frame hears the click by the button's mark. */
export function createWholeButton({ totalChars }: Truncated, part: number | null): HTMLButtonElement {
  const button = createElement(
    "button",
    "button small whole-output",
    createIcon("open", "icon-sm"),
    `Show all (${sizeWords(totalChars)})`,
  );
  button.type = "button";
  button.dataset["wholeOutput"] = part === null ? "" : String(part);
  return button;
}

/** "3.2 MB": characters are mostly bytes, and nobody counts either. */
export function sizeWords(chars: number): string {
  if (chars < KILO * KILO) return `${Math.max(1, Math.round(chars / KILO))} kB`;
  return `${(chars / KILO / KILO).toFixed(1)} MB`;
}
