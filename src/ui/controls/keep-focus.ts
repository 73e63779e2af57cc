/**
 * The focus is lost when the element that has it is removed, disabled or hidden: the browser gives it to the body,
 * where most keys do nothing. This detects it before the next key and calls `giveOn` with the nearest element around
 * the lost one that still exists. The returned check is for browsers that remove a focused element without an event.
 */
export function keepFocus(document: Document, giveOn: (around: Element | null) => void): () => void {
  let last: HTMLElement | null = null;
  let around: readonly Element[] = [];
  const check = () => {
    if (last === null || document.activeElement !== document.body || !document.hasFocus()) return;
    const lost = last;
    last = null;
    // A user who clicks beside everything wants no focus.
    if (!canHaveFocus(lost)) giveOn(around.find((one) => one.isConnected) ?? null);
  };
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof HTMLElement ? target : null;
    around = last === null ? [] : ancestorsOf(last);
  });
  document.addEventListener("focusout", ({ relatedTarget }) => {
    // The element is still in its place now, also when it is about to be removed.
    if (relatedTarget === null) queueMicrotask(check);
  });
  // Behind a dialog of the page, a frame loses the focused element in it; the browser restores the focus only to the
  // frame.
  document.defaultView?.addEventListener("focus", () => {
    const isLost = last !== null && document.activeElement === document.body && canHaveFocus(last);
    if (isLost && !matchMedia("(pointer: coarse)").matches) last?.focus({ preventScroll: true });
  });
  return check;
}

/**
 * Whether keys that are pressed now reach this document. Chromium lets a script in any frame take the focus, in a
 * hidden or inert one, too. Every focus change without a key or a click has to check this first: otherwise the next
 * keys act in a session that the user is not looking at.
 */
export function hasKeyboard(document: Document): boolean {
  if (document.hasFocus()) return true;
  const { frameElement = null, parent } = document.defaultView ?? {};
  // With the window in the background no document has it; the frame that had it last gets it back with the window.
  return (
    frameElement !== null && parent?.document.hasFocus() === false && parent.document.activeElement === frameElement
  );
}

export function canHaveFocus(element: HTMLElement): boolean {
  return element.isConnected && element.checkVisibility() && !element.matches(":disabled, [inert], [inert] *");
}

function ancestorsOf(element: Element): readonly Element[] {
  const found: Element[] = [];
  for (let one = element.parentElement; one !== null; one = one.parentElement) found.push(one);
  return found;
}
