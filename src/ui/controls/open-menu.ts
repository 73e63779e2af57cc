import { createElement } from "../create-element.ts";
import { createIcon } from "../icons/create-icon.ts";
import type { IconName } from "../icons/icon-shapes.ts";
import { moveFocus } from "./move-focus.ts";
import { placeBeside } from "./place-beside.ts";

export interface MenuItem {
  readonly words: string;
  readonly icon: IconName;
  /** At the end of the line: a key, or where it leads. */
  readonly end?: string;
  readonly act: () => void;
}

/** Opens a menu beside its button. Uses the platform's popover: a click elsewhere and Esc close it. */
export function openMenu(button: HTMLElement, label: string, items: readonly MenuItem[]): void {
  const menu = createElement("div", "menu row-menu");
  menu.popover = "auto";
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", label);
  const close = () => {
    button.focus();
    menu.hidePopover();
  };
  menu.append(...items.map((item) => createItem(item, close)));
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (!moveFocus(menu, event.key)) return;
    // These keys must not stop the turn behind it or move the focus.
    event.preventDefault();
    event.stopPropagation();
  });
  const place = () => placeBeside(menu, button, "left");
  addEventListener("resize", place);
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    removeEventListener("resize", place);
    button.setAttribute("aria-expanded", "false");
    menu.remove();
  });
  document.body.append(menu);
  button.setAttribute("aria-expanded", "true");
  menu.showPopover();
  place();
  moveFocus(menu, "Home");
}

function createItem({ words, icon, end, act }: MenuItem, close: () => void): HTMLElement {
  const item = createElement(
    "button",
    "menu-item",
    createIcon(icon, "icon-sm"),
    createElement("span", "truncate", words),
  );
  if (end !== undefined) item.append(createElement("span", "end", end));
  item.type = "button";
  item.tabIndex = -1;
  item.setAttribute("role", "menuitem");
  item.addEventListener("click", () => {
    close();
    act();
  });
  return item;
}
