/** How far outside the view elements are drawn ahead. */
const AHEAD = "600px 0px";
/** Lines that are drawn in one frame: style, layout and paint of more would take longer than a frame has. */
const LINES_PER_FRAME_MAX = 40;

/** The height is included: measuring it would cause another layout. */
type NearListener = (isNear: boolean, heightPx: number) => void;

interface Drawing {
  readonly lines: number;
  readonly draw: () => void;
}

/**
 * Notifies elements of one scroller when they come near the view, and when they leave it. Their rendering is spread
 * over frames, visible elements first.
 */
export class NearObserver {
  readonly #listeners = new Map<Element, NearListener>();
  readonly #distancesPx = new WeakMap<Element, number>();
  readonly #drawings = new Map<Element, Drawing>();
  #frame = 0;
  #observer: IntersectionObserver | null = null;

  /** Elements that were registered earlier are observed from now on. */
  start(scroller: Element): void {
    this.#observer = new IntersectionObserver(
      (entries) => {
        const { top, bottom } = scroller.getBoundingClientRect();
        for (const { target, isIntersecting, boundingClientRect: box } of entries) {
          this.#distancesPx.set(target, Math.max(0, top - box.bottom, box.top - bottom));
          this.#listeners.get(target)?.(isIntersecting, box.height);
        }
      },
      { root: scroller, rootMargin: AHEAD },
    );
    for (const element of this.#listeners.keys()) this.#observer.observe(element);
  }

  observe(element: Element, listener: NearListener): () => void {
    this.#listeners.set(element, listener);
    this.#observer?.observe(element);
    return () => {
      this.#listeners.delete(element);
      this.#observer?.unobserve(element);
    };
  }

  /** Renders in one of the next frames. An element renders once: the newest request counts. */
  draw(element: Element, drawing: Drawing): void {
    this.#drawings.set(element, drawing);
    this.#frame ||= requestAnimationFrame(() => this.#drawSome());
  }

  /** An element that has left the view renders nothing. */
  forget(element: Element): void {
    this.#drawings.delete(element);
  }

  stop(): void {
    this.#observer?.disconnect();
    this.#observer = null;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#drawings.clear();
  }

  #drawSome(): void {
    this.#frame = 0;
    const distance = (element: Element) => this.#distancesPx.get(element) ?? 0;
    const nearest = [...this.#drawings].toSorted(([a], [b]) => distance(a) - distance(b));
    let total = 0;
    for (const [element, { lines, draw }] of nearest) {
      if (total > 0 && total + lines > LINES_PER_FRAME_MAX) break;
      total += lines;
      this.#drawings.delete(element);
      draw();
    }
    if (this.#drawings.size > 0) this.#frame = requestAnimationFrame(() => this.#drawSome());
  }
}
