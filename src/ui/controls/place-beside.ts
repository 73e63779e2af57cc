const GAP_PX = 4;

/**
 * Positions a floating element below its button, or above it without room, and always inside the window. `edge`: which
 * of their edges are in line.
 */
export function placeBeside(floating: HTMLElement, button: Element, edge: "left" | "right" = "right"): void {
  const at = button.getBoundingClientRect();
  const { width, height } = floating.getBoundingClientRect();
  const below = at.bottom + GAP_PX;
  const top = below + height <= innerHeight ? below : Math.max(GAP_PX, at.top - GAP_PX - height);
  const wanted = edge === "left" ? at.left : at.right - width;
  const left = Math.max(GAP_PX, Math.min(wanted, innerWidth - width - GAP_PX));
  floating.style.top = `${top}px`;
  floating.style.left = `${left}px`;
}
