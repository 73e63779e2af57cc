import { createElement } from "../create-element.ts";

/** The frame of code, diffs and output: a head, a hairline, a sunken body that scrolls inside itself. */
export function createBlock(head: readonly (Node | string)[], body: Node): HTMLElement {
  const block = createElement("div", "block");
  if (head.length > 0) block.append(createElement("div", "block-head", ...head));
  block.append(body);
  return block;
}

/** Whatever scrolls must be reachable by keyboard, and then it needs a name. */
export function markScrollable<Scroller extends HTMLElement>(element: Scroller, label: string): Scroller {
  element.tabIndex = 0;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", label);
  return element;
}
