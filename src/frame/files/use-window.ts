import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows kept ready above and below the view. */
const MARGIN_ROWS = 12;
/** Browsers place nothing below some 30 million pixels. */
const ROWS_MAX = 1_200_000;

interface ShownRows<Scroller> {
  readonly scroller: RefObject<Scroller | null>;
  readonly from: number;
  /** Not included. */
  readonly to: number;
  /** The first row in view. */
  readonly top: number;
  readonly look: () => void;
  /** Scrolls a row into view: to the nearest edge, or some way down for one that is far away. */
  readonly reveal: (row: number) => void;
}

/** Which of many rows of one height are rendered. The height grows with the reader's font size. */
export function useWindow<Scroller extends HTMLElement>(count: number, rowRem: number): ShownRows<Scroller> {
  const scroller = useRef<Scroller>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  const look = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = scroller.current ?? {};
    setView((before) => (before.top === top && before.height === height ? before : { top, height }));
  };
  useLayoutEffect(look, [count]);
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    const observer = new ResizeObserver(look);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const rowPx = rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const top = Math.floor(view.top / rowPx);
  const reveal = (row: number) => {
    const { current } = scroller;
    if (current === null) return;
    const [above, below] = [row * rowPx, (row + 1) * rowPx - current.clientHeight];
    if (current.scrollTop <= above && current.scrollTop >= below) return;
    const isNear = Math.abs(current.scrollTop - above) < current.clientHeight + rowPx;
    if (!isNear) current.scrollTop = above - current.clientHeight / 4;
    else current.scrollTop = current.scrollTop > above ? above : below;
  };
  return {
    scroller,
    from: Math.max(0, top - MARGIN_ROWS),
    to: Math.min(count, ROWS_MAX, Math.ceil((view.top + view.height) / rowPx) + MARGIN_ROWS),
    top,
    look,
    reveal,
  };
}
