import { createElement } from "../../ui/create-element.ts";
import { createBlockButton } from "../../ui/markdown/block-button.ts";

/** A picture over the whole session: as large as fits, or in its own size. Escape, or a click beside it, closes it. */
export function zoomImage({ src, alt }: HTMLImageElement): void {
  const dialog = createElement("dialog", "image-zoom");
  dialog.setAttribute("aria-label", alt === "" ? "Image" : alt);
  const image = createElement("img");
  image.src = src;
  image.alt = alt;
  const size = createBlockButton("search", "Actual size");
  size.setAttribute("aria-pressed", "false");
  const close = createBlockButton("close", "Close image");
  const scroll = createElement("div", "image-zoom-scroll", image);
  const toggle = (): void => size.setAttribute("aria-pressed", String(dialog.toggleAttribute("data-actual")));
  size.addEventListener("click", toggle);
  image.addEventListener("click", toggle);
  close.addEventListener("click", () => dialog.close());
  dialog.append(scroll, createElement("div", "image-zoom-actions", size, close));
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || target === scroll) dialog.close();
  });
  // The keys of a picture mean nothing to the session behind it.
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}
