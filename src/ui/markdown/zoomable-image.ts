/** A picture that opens at large: reached by keyboard, and said to do something. */
export function markZoomable(image: HTMLImageElement): void {
  image.tabIndex = 0;
  image.setAttribute("role", "button");
  image.setAttribute("aria-label", image.alt === "" ? "Enlarge image" : `Enlarge image: ${image.alt}`);
}
