import { splitPath } from "../../presentation/tool-line.ts";
import { placeBeside } from "../../ui/controls/place-beside.ts";
import { createElement, setText } from "../../ui/create-element.ts";
import { createIcon } from "../../ui/icons/create-icon.ts";
import { copyText } from "../../ui/markdown/copy-text.ts";

/** "src/main.ts:12:4" without its line. */
const LINE_PART = /:\d+(?::\d+)?(?:-\d+)?$/;

/** What can be done with the path of a file: it is copied, whole or in part. Nothing of the machine's is started from here. */
export function openPathMenu(opener: HTMLElement, path: string): void {
  const bare = path.replace(LINE_PART, "");
  const { file } = splitPath(bare);
  const menu = createElement("div", "menu path-menu");
  menu.popover = "auto";
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", `File ${file}`);
  const choices: readonly (readonly [string, string])[] = [
    ["Copy path", bare],
    ...(bare === path ? [] : ([["Copy path and line", path]] as const)),
    ["Copy file name", file],
  ];
  const items = choices.map(([words, text]) => createItem(words, text, menu));
  menu.append(createElement("p", "path-menu-path", path), ...items);
  menu.addEventListener("keydown", (event) => pressKey(event, items));
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    if (menu.contains(document.activeElement) || document.activeElement === document.body) opener.focus();
    menu.remove();
  });
  document.body.append(menu);
  menu.showPopover();
  placeBeside(menu, opener);
  items[0]?.focus();
}

function createItem(words: string, text: string, menu: HTMLElement): HTMLButtonElement {
  const label = createElement("span", "", words);
  const item = createElement("button", "menu-item", createIcon("copy", "icon-sm"), label);
  item.type = "button";
  item.tabIndex = -1;
  item.setAttribute("role", "menuitem");
  item.addEventListener("click", () => {
    copyText(text).then(
      () => menu.hidePopover(),
      () => setText(label, "Could not copy: select the path above"),
    );
  });
  return item;
}

function pressKey(event: KeyboardEvent, items: readonly HTMLElement[]): void {
  // Esc closes the menu and nothing behind it.
  if (event.key === "Escape") event.stopPropagation();
  const at = items.findIndex((item) => item.matches(":focus"));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items.at(next % items.length)?.focus();
}
