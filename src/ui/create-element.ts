/** A node with its class and children; text is added as text, so agent output can never become markup. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== "") element.className = className;
  element.append(...children);
  return element;
}

/** Writes a text only if it differs, so that a selection inside it survives. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
