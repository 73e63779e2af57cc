import { followsAfterScroll, isAtEnd, type ScrollPlace } from "./follow-end.ts";

interface Held {
  readonly element: Element;
  /** Distance from the top of the view, as it was when the reader last moved. */
  readonly offset: number;
}

/** Smaller differences than this are rounding, not movement. */
const STILL_PX = 0.5;

/**
 * Keeps the reader's place. At the end the view follows the newest content; anywhere else the element under the top edge
 * stays where it is, whatever grows, shrinks or comes in above it.
 */
export class ScrollAnchor {
  readonly #scroller: HTMLElement;
  readonly #findAtTop: () => readonly Element[];
  readonly #onFollowing: (isFollowing: boolean) => void;
  #isFollowing = true;
  #top = 0;
  #held: readonly Held[] = [];

  /** `findAtTop` answers with the elements under the top edge, outermost first. */
  constructor(scroller: HTMLElement, findAtTop: () => readonly Element[], onFollowing: (isFollowing: boolean) => void) {
    this.#scroller = scroller;
    this.#findAtTop = findAtTop;
    this.#onFollowing = onFollowing;
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Takes note of a scroll of the reader's; our own writes come back here too and mean nothing. */
  noteScroll(): void {
    const place = this.#place();
    if (Math.abs(place.top - this.#top) < STILL_PX) return;
    this.#setFollowing(followsAfterScroll(this.#isFollowing, this.#top, place));
    this.#top = place.top;
    this.#hold(this.#isFollowing ? [] : this.#findAtTop());
  }

  /** Call after anything may have changed its height; reads and writes layout once. */
  restore(): void {
    const scroller = this.#scroller;
    if (this.#isFollowing) {
      const end = scroller.scrollHeight - scroller.clientHeight;
      if (Math.abs(end - scroller.scrollTop) >= STILL_PX) scroller.scrollTop = end;
    } else {
      // The innermost element that is still there knows the place best.
      const held = this.#held.findLast(({ element }) => element.isConnected);
      const moved = held ? this.#offsetOf(held.element) - held.offset : 0;
      if (Math.abs(moved) >= STILL_PX) scroller.scrollTop += moved;
    }
    this.#top = scroller.scrollTop;
  }

  /** Does a change the reader asked for at `element`, which stays where it is on screen. */
  changeAround(element: Element, change: () => void): void {
    this.#isFollowing = false;
    this.#hold([element]);
    change();
    this.restore();
    this.#setFollowing(isAtEnd(this.#place()));
  }

  /** Goes to the newest content and stays with it. */
  follow(): void {
    this.#setFollowing(true);
    this.restore();
  }

  /** Whether the reader's place is inside this element. */
  isInside(element: Element): boolean {
    const innermost = this.#held.at(-1)?.element;
    return !this.#isFollowing && innermost !== undefined && element.contains(innermost);
  }

  #hold(elements: readonly Element[]): void {
    this.#held = elements.map((element) => ({ element, offset: this.#offsetOf(element) }));
  }

  #offsetOf(element: Element): number {
    return element.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top;
  }

  #setFollowing(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
    this.#onFollowing(isFollowing);
  }

  #place(): ScrollPlace {
    const { scrollTop, clientHeight, scrollHeight } = this.#scroller;
    return { top: scrollTop, viewHeight: clientHeight, contentHeight: scrollHeight };
  }
}
