/** Makes an image zoomable: reachable by keyboard, with the role of a button. */
export function markZoomable(image: HTMLImageElement): void {
  image.tabIndex = 0;
  image.setAttribute("role", "button");
  image.setAttribute("aria-label", image.alt === "" ? "Enlarge image" : `Enlarge image: ${image.alt}`);
}
