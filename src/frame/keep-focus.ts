/**
 * A button may take itself away by what it does, and the keyboard with it: the returned check, called now and then, has
 * it given on when what had it is gone and nothing else has taken it.
 */
export function keepFocus(document: Document, giveOn: () => void): () => void {
  let last: Element | null = null;
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
  });
  return () => {
    if (last === null || last.isConnected) return;
    last = null;
    const isFree = document.activeElement === document.body && document.hasFocus();
    // With a finger, the on-screen keyboard would cover what is read.
    if (isFree && !matchMedia("(pointer: coarse)").matches) giveOn();
  };
}
