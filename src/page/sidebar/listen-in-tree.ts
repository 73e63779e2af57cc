import { shellShortcut } from "../../ui/keys/shell-shortcut.ts";
import { type TreeItem, TypeAhead, treeStep } from "./tree-keys.ts";

const ITEMS = "button.project-toggle, button.row-link";

/** Walks the sidebar by arrow keys, Home, End and letters; Tab reaches the current row alone. */
export function listenInTree(): (event: KeyboardEvent) => void {
  const typed = new TypeAhead();
  return (event) => {
    const { currentTarget: tree, target, key, timeStamp } = event;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey && !event.isComposing;
    if (!isPlain || !(tree instanceof Element) || !(target instanceof Element) || target.matches("input")) return;
    const buttons = [...tree.querySelectorAll<HTMLElement>(ITEMS)];
    const at = buttons.indexOf(itemOf(target));
    const items = buttons.map((button) => describe(button, tree));
    const isLetter = key.length === 1 && key !== " " && (typed.isTyping(timeStamp) || !isShortcut(key));
    const found = isLetter ? typed.find(items, at, key, timeStamp) : null;
    const step = found === null ? treeStep(items, at, key) : { go: found };
    if (step === null) return;
    event.preventDefault();
    event.stopPropagation(); // inside a word, a letter is no shortcut
    if (step === "fold") buttons[at]?.click();
    else buttons[step.go]?.focus();
  };
}

function isShortcut(key: string): boolean {
  const modifiers = { ctrl: false, meta: false, shift: false, alt: false };
  return shellShortcut({ key, modifiers, typing: false }) !== null;
}

/** The button that stands for a row, from any of the row's buttons. */
function itemOf(target: Element): HTMLElement {
  const row = target.closest(".session-row, .project-head");
  const item = row?.querySelector<HTMLElement>(ITEMS);
  return item ?? document.body;
}

function describe(button: HTMLElement, tree: Element): TreeItem {
  let level = 0;
  for (let list = button.closest("ul"); list !== null && tree.contains(list); level += 1)
    list = list.parentElement?.closest("ul") ?? null;
  const expanded = button.getAttribute("aria-expanded");
  return { level, text: button.textContent ?? "", isOpen: expanded === null ? undefined : expanded === "true" };
}
