const GAP_PX = 4;

/** Puts something that floats under its button, or over it where there is no room, and inside the window in any case. */
export function placeBeside(floating: HTMLElement, button: Element): void {
  const at = button.getBoundingClientRect();
  const { width, height } = floating.getBoundingClientRect();
  const below = at.bottom + GAP_PX;
  const top = below + height <= innerHeight ? below : Math.max(GAP_PX, at.top - GAP_PX - height);
  const left = Math.max(GAP_PX, Math.min(at.right - width, innerWidth - width - GAP_PX));
  floating.style.top = `${top}px`;
  floating.style.left = `${left}px`;
}
