/** Where the browser does not tell, this long without a scroll counts as its end. */
const SCROLL_PAUSE_MS = 150;

/** Hears that the reader has stopped scrolling, also in browsers that have no event for it. */
export function listenForScrollEnd(scroller: HTMLElement, onEnd: () => void): void {
  if ("onscrollend" in window) {
    scroller.addEventListener("scrollend", onEnd);
    return;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  scroller.addEventListener(
    "scroll",
    () => {
      clearTimeout(timer);
      timer = setTimeout(onEnd, SCROLL_PAUSE_MS);
    },
    { passive: true },
  );
}
