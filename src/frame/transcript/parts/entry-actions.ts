import { createElement } from "../../../ui/create-element.ts";
import { createBlockButton } from "../../../ui/markdown/block-button.ts";

const WORDS = { message: "Copy message", turn: "Copy turn" } as const;

/** What can be copied at an entry: seen on hover and with the keyboard. The frame hears the click by the button's mark. */
export function createEntryActions(...kinds: readonly (keyof typeof WORDS)[]): HTMLElement {
  const buttons = kinds.map((kind) => {
    const button = createBlockButton("copy", WORDS[kind]);
    button.classList.add("small");
    button.dataset["copy"] = kind;
    if (kind === "turn") button.append(createElement("span", "", "Copy turn"));
    return button;
  });
  return createElement("div", "entry-actions", ...buttons);
}
