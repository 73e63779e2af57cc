interface Held {
  readonly element: Element;
  /** Distance from the top of the view when the reader last moved. */
  readonly offset: number;
}

interface ScrollAnchorOptions {
  readonly scroller: HTMLElement;
  /** The only child of the scroller, which contains everything. */
  readonly content: HTMLElement;
  /** The elements under the top edge, outermost first. */
  readonly findAtTop: () => readonly Element[];
  readonly onFollowing: (isFollowing: boolean) => void;
}

/** Smaller differences than this are rounding, not movement. */
const STILL_PX = 0.5;
/** With less than this above the view, the shifted content is made reachable at once. */
const REACH_NEAR_PX = 200;
/** Above the first line of an answer, where following stops. */
const STOP_MARGIN_PX = 12;
/** Where a searched entry is placed, as a share of the view's height. */
const REVEAL_AT = 0.2;

/**
 * Keeps the reader's position. At the end the view follows the newest content, until the beginning of the newest answer
 * would leave it; anywhere else the element under the top edge stays in place, whatever grows, shrinks or is added
 * above it.
 */
export class ScrollAnchor {
  readonly #options: ScrollAnchorOptions;
  #isFollowing = true;
  #isScrolling = false;
  #top = 0;
  #held: readonly Held[] = [];
  /** Following stops before this leaves the view at the top. */
  #stop: Element | null = null;
  /** The reader scrolled past this one: it stops nothing any more. */
  #passed: Element | null = null;
  /** How far the content is moved up instead of the scroll position; see `restore`. */
  #shift = 0;

  constructor(options: ScrollAnchorOptions) {
    this.#options = options;
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Keeps the beginning of this element in view while following; null follows without limit. */
  stopAt(element: Element | null): void {
    this.#stop = element;
  }

  /** The height of the content above the view. */
  get above(): number {
    return this.#options.scroller.scrollTop + this.#shift;
  }

  /** Handles a scroll event; our own writes arrive here, too, and are ignored. */
  noteScroll(): void {
    const place = this.#place();
    if (Math.abs(place.top - this.#top) < STILL_PX) return;
    this.#isScrolling = true;
    this.#setFollowing(followsAfterScroll(this.#isFollowing, this.#top, place));
    if (this.#isFollowing) this.#passed = this.#stop;
    this.#top = place.top;
    this.#hold(this.#isFollowing ? [] : this.#options.findAtTop());
  }

  noteScrollEnd(): void {
    this.#isScrolling = false;
    const isAtTop = this.#options.scroller.scrollTop < STILL_PX;
    this.#applyShift(isAtTop ? 0 : this.#shift);
  }

  /**
   * Call after anything may have changed its height. While the reader scrolls, the content is moved instead of the
   * scroll
   * position: writing the position would abort the browser's smooth scrolling.
   */
  restore(): void {
    const { scroller } = this.#options;
    if (this.#isFollowing) {
      this.#applyShift(0);
      const end = scroller.scrollHeight - scroller.clientHeight;
      const top = Math.min(end, this.#stopTop());
      if (Math.abs(top - scroller.scrollTop) >= STILL_PX) scroller.scrollTop = top;
      if (this.#stop && end - top > END_NEAR_PX) {
        this.#setFollowing(false);
        this.#hold([this.#stop]);
      }
    } else {
      // The innermost element that still exists is the most precise.
      const held = this.#held.findLast(({ element }) => element.isConnected);
      const moved = held ? this.#offsetOf(held.element) - held.offset : 0;
      if (Math.abs(moved) < STILL_PX) return;
      this.#moveContent(this.#shift + moved);
      if (!this.#isScrolling || scroller.scrollTop < REACH_NEAR_PX) this.#applyShift(this.#shift);
    }
    this.#top = scroller.scrollTop;
  }

  /**
   * Runs a change the reader requested at `element`, which stays in place on screen; if it is out of view, the reader's
   * position stays.
   */
  changeAround(element: Element, change: () => void): void {
    if (!this.#isFollowing && !this.#isInView(element)) {
      change();
      this.restore();
      return;
    }
    this.#isFollowing = false;
    this.#isScrolling = false;
    this.#hold([element]);
    change();
    this.restore();
    this.#setFollowing(isAtEnd(this.#place()));
    // From here on the reader's position counts again, not the card.
    if (!this.#isFollowing) this.#hold(this.#options.findAtTop());
  }

  /** Scrolls to the newest content and follows it. */
  follow(): void {
    this.#passed = this.#stop;
    this.#setFollowing(true);
    this.restore();
  }

  /** Scrolls to the oldest content. */
  goToTop(): void {
    this.#moveContent(0);
    this.#options.scroller.scrollTop = 0;
    this.noteScroll();
    this.#isScrolling = false;
  }

  /**
   * Scrolls to an element and holds it: a little below the top edge, so that the content before it is visible, too.
   * `place` is
   * where in a long element to look.
   */
  goTo(element: Element, place: Element | Range = element): void {
    const { scroller } = this.#options;
    this.#isScrolling = false;
    this.#moveContent(0);
    scroller.scrollTop += this.#offsetOf(place) - scroller.clientHeight * REVEAL_AT;
    this.#top = scroller.scrollTop;
    this.#setFollowing(false);
    this.#hold([element]);
  }

  /** The line on screen at which `goTo` places its target. */
  get revealLine(): number {
    const { top, height } = this.#options.scroller.getBoundingClientRect();
    return top + height * REVEAL_AT;
  }

  /** Whether a place is completely in view; the top `coveredPx` are covered by something else. */
  shows(place: Element | Range, coveredPx = 0): boolean {
    const { top, bottom } = place.getBoundingClientRect();
    const view = this.#options.scroller.getBoundingClientRect();
    return top >= view.top + coveredPx && bottom <= view.bottom;
  }

  /** Whether the reader's position is inside this element. */
  isInside(element: Element): boolean {
    const innermost = this.#held.at(-1)?.element;
    return !this.#isFollowing && innermost !== undefined && element.contains(innermost);
  }

  /** How far following may scroll. */
  #stopTop(): number {
    const stop = this.#stop;
    if (stop === null || stop === this.#passed || !stop.isConnected) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#options.scroller.scrollTop + this.#offsetOf(stop) - STOP_MARGIN_PX);
  }

  /** Turns a shift of the content into a scroll position; nothing moves on screen. */
  #applyShift(pixels: number): void {
    if (this.#shift === 0) return;
    const { scroller } = this.#options;
    this.#moveContent(0);
    scroller.scrollTop += pixels;
    this.#top = scroller.scrollTop;
  }

  #moveContent(shift: number): void {
    this.#shift = shift;
    this.#options.content.style.marginTop = shift === 0 ? "" : `${-shift}px`;
  }

  #hold(elements: readonly Element[]): void {
    this.#held = elements.map((element) => ({ element, offset: this.#offsetOf(element) }));
  }

  #isInView(element: Element): boolean {
    const { top, bottom } = element.getBoundingClientRect();
    const view = this.#options.scroller.getBoundingClientRect();
    return bottom > view.top && top < view.bottom;
  }

  #offsetOf(element: Element | Range): number {
    return element.getBoundingClientRect().top - this.#options.scroller.getBoundingClientRect().top;
  }

  #setFollowing(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
    this.#options.onFollowing(isFollowing);
  }

  #place(): ScrollPlace {
    const { scrollTop, clientHeight, scrollHeight } = this.#options.scroller;
    return { top: scrollTop, viewHeight: clientHeight, contentHeight: scrollHeight };
  }
}

/** Within this distance of the end the reader counts as being there. */
const END_NEAR_PX = 50;

interface ScrollPlace {
  readonly top: number;
  readonly viewHeight: number;
  readonly contentHeight: number;
}

function distanceToEnd({ top, viewHeight, contentHeight }: ScrollPlace): number {
  return Math.max(0, contentHeight - viewHeight - top);
}

export function isAtEnd(place: ScrollPlace): boolean {
  return distanceToEnd(place) <= END_NEAR_PX;
}

/** Whether the view follows the newest content after a scroll: only moving up ends it, only reaching the end starts it. */
export function followsAfterScroll(following: boolean, topBefore: number, place: ScrollPlace): boolean {
  if (isAtEnd(place)) return true;
  return following && place.top >= topBefore;
}
