import { splitPath } from "../../presentation/tool-line.ts";
import { createElement } from "../create-element.ts";
import { shortenPath } from "../words/shorten-path.ts";

/** The path of a file, short, and whole on hover. */
export function createPath(path: string): HTMLElement {
  const { folder, file } = splitPath(shortenPath(path));
  const shown = createElement("span", "path", createElement("span", "folder", folder), createElement("b", "", file));
  shown.title = path;
  return shown;
}

/** The path of a file: short, whole on hover, with a menu behind it. The frame hears the click by the button's mark. */
export function createPathButton(path: string, line?: number): HTMLButtonElement {
  const whole = line === undefined ? path : `${path}:${line}`;
  const { folder, file } = splitPath(shortenPath(whole));
  const button = createElement("button", "path", createElement("span", "folder", folder), createElement("b", "", file));
  button.type = "button";
  button.title = whole;
  button.dataset["file"] = whole;
  button.setAttribute("aria-haspopup", "menu");
  return button;
}
