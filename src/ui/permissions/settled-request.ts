import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/**
 * A request can be answered once it has been drawn in its place for this long: an earlier click or key was not meant
 * for it.
 */
export const ANSWER_GUARD_MS = 300;
const LOOK_EVERY_MS = 100;

/** How long a request has been drawn, unchanged and in one place. */
class Settling {
  readonly #element: () => Element | null;
  #place = "";
  #since = Number.POSITIVE_INFINITY;

  constructor(element: () => Element | null) {
    this.#element = element;
  }

  startAnew(): void {
    this.#place = this.#look();
    this.#since = performance.now();
  }

  /** Checks its position: moving since the last check restarts the time. */
  get isSettled(): boolean {
    if (this.#look() !== this.#place) this.startAnew();
    return performance.now() - this.#since >= ANSWER_GUARD_MS;
  }

  #look(): string {
    const { left = 0, top = 0, width = 0, height = 0 } = this.#element()?.getBoundingClientRect() ?? {};
    return [left, top, width, height].map(Math.round).join(" ");
  }
}

const drawn = new Map<string, Settling>();

/** Whether a key may answer the request: not before it is drawn. */
export function isSettled(requestKey: string): boolean {
  return drawn.get(requestKey)?.isSettled ?? false;
}

/** A user who returns to the page needs a moment, too. */
export function startAllAnew(): void {
  for (const settling of drawn.values()) settling.startAnew();
}

/** Expanding a request answers nothing. */
function opensMore(button: Element): boolean {
  return button.matches("[aria-expanded], .ask-more, summary");
}

/** Calls at once when the element may have moved, so that its buttons never look ready when they are not. */
function watchMoves(element: Element | null, call: () => void): () => void {
  const sizes = new ResizeObserver(call);
  for (let at = element; at !== null; at = at.parentElement) sizes.observe(at);
  document.addEventListener("scroll", call, { capture: true, passive: true });
  return () => {
    sizes.disconnect();
    document.removeEventListener("scroll", call, { capture: true });
  };
}

/**
 * Guards everything inside an element that answers a request: until it has been drawn in its place for a while, no
 * click, touch or key has an effect. `content` is the request: another one restarts the time.
 */
export function useSettled<Holder extends HTMLElement>(requestKey: string, content: unknown) {
  const element = useRef<Holder>(null);
  const [isReady, setReady] = useState(false);
  const pressedEarly = useRef(false);
  const settling = useMemo(() => new Settling(() => element.current), [requestKey]);
  const asked = JSON.stringify(content);
  useLayoutEffect(() => {
    settling.startAnew();
    setReady(false);
  }, [settling, asked]);
  useEffect(() => {
    drawn.set(requestKey, settling);
    const look = () => setReady(settling.isSettled);
    const timer = setInterval(look, LOOK_EVERY_MS);
    const stopWatching = watchMoves(element.current, look);
    return () => {
      clearInterval(timer);
      stopWatching();
      if (drawn.get(requestKey) === settling) drawn.delete(requestKey);
    };
  }, [settling]);
  const stop = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    element,
    isReady,
    startAnew: () => settling.startAnew(),
    guard: {
      onPointerDownCapture: () => {
        pressedEarly.current = !settling.isSettled;
      },
      onClickCapture: (event: MouseEvent) => {
        const button = event.target instanceof Element ? event.target.closest("button, [type=submit], a") : null;
        // A key press on a button makes a click without a count.
        if (
          button !== null &&
          !opensMore(button) &&
          (!settling.isSettled || (event.detail > 0 && pressedEarly.current))
        )
          stop(event);
      },
      onKeyDownCapture: (event: KeyboardEvent) => {
        const isOpening = event.target instanceof Element && opensMore(event.target);
        // Esc allows nothing: it dismisses, and asks first if something was filled in.
        if (event.key === "Enter" && !isOpening && !settling.isSettled) stop(event);
      },
    },
  };
}
