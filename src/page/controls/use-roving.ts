import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

const CONTROLS = "button, a[href]";

/**
 * Makes a list one Tab stop: only the controls of its current row can be reached by Tab. The current row is the one
 * that last had the focus or became `aria-current`. Arrow keys, Home and End move between rows; `hasOwnKeys` leaves
 * them to the list.
 */
export function useRoving<List extends HTMLElement>(row: string, { hasOwnKeys = false } = {}) {
  const list = useRef<List>(null);
  const bound = useRef<{ readonly element: List; readonly stop: () => void } | null>(null);
  // After every render, because the list may appear and disappear; before the next key.
  useLayoutEffect(() => {
    if (bound.current?.element === (list.current ?? undefined)) return;
    bound.current?.stop();
    bound.current = list.current && { element: list.current, stop: rove(list.current, row, hasOwnKeys) };
  });
  useEffect(() => () => bound.current?.stop(), []);
  return list;
}

/** Updates the Tab stops of the list until the returned function is called. */
function rove(list: HTMLElement, rowSelector: string, hasOwnKeys: boolean): () => void {
  let current: Element | null = null;
  const rowOf = (inside: Element): Element | null => {
    const row = inside.closest(rowSelector);
    return row && list.contains(row) ? row : null;
  };
  // Rows can be nested.
  const controlsOf = (row: Element) =>
    [...row.querySelectorAll<HTMLElement>(CONTROLS)].filter((control) => rowOf(control) === row);
  const choose = (row: Element | null) => {
    if (row === current || row === null) return;
    if (current) for (const control of controlsOf(current)) control.tabIndex = -1;
    current = row;
    for (const control of controlsOf(row)) control.tabIndex = 0;
  };
  const chooseAny = () => {
    if (current && list.contains(current)) return;
    const marked = list.querySelector("[aria-current=true]");
    choose((marked && rowOf(marked)) ?? list.querySelector(rowSelector));
  };
  const added = (node: Node) => {
    if (!(node instanceof HTMLElement)) return;
    for (const control of [node, ...node.querySelectorAll<HTMLElement>(CONTROLS)]) {
      const row = control.matches(CONTROLS) ? rowOf(control) : null;
      if (row) control.tabIndex = row === current ? 0 : -1;
    }
  };
  const watch = new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      for (const node of addedNodes) added(node);
      if (type === "attributes" && target instanceof Element && target.getAttribute("aria-current") === "true")
        choose(rowOf(target));
    }
    chooseAny();
  });
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof Element) choose(rowOf(target));
  };
  const onKey = (event: KeyboardEvent) => {
    const next = rowByKey(event, list, rowSelector);
    if (next === null) return;
    event.preventDefault();
    // Some rows are focusable themselves.
    (next.hasAttribute("tabindex") ? next : next.querySelector<HTMLElement>(CONTROLS))?.focus();
  };
  for (const child of list.children) added(child);
  chooseAny();
  watch.observe(list, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-current"] });
  list.addEventListener("focusin", onFocus);
  if (!hasOwnKeys) list.addEventListener("keydown", onKey);
  return () => {
    watch.disconnect();
    list.removeEventListener("focusin", onFocus);
    list.removeEventListener("keydown", onKey);
  };
}

/** The target of an arrow key, Home or End; null for other keys. */
function rowByKey(event: KeyboardEvent, list: HTMLElement, rowSelector: string): HTMLElement | null {
  const { key, target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null;
  if (!(target instanceof Element) || !target.matches(`${CONTROLS}, ${rowSelector}`)) return null;
  const rows = [...list.querySelectorAll<HTMLElement>(rowSelector)];
  const at = rows.findIndex((row) => row.contains(target));
  const steps: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
  const to = steps[key];
  return at === -1 || to === undefined || to === at ? null : (rows[to] ?? null);
}
