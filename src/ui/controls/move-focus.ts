/** As in the ARIA menu pattern; false for other keys. */
export function moveFocus(menu: Element, key: string): boolean {
  const items = [...menu.querySelectorAll("[role=menuitem]")].filter((item) => item instanceof HTMLElement);
  const at = items.findIndex((item) => item.matches(":focus"));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key];
  if (next === undefined) return false;
  items.at(next % items.length)?.focus();
  return true;
}
