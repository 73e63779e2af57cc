import { relativePaths, splitPath } from "../../presentation/tool-line.ts";
import type { Truncated } from "../../protocol/entry.ts";
import { createElement } from "../create-element.ts";
import { createIcon } from "../icons/create-icon.ts";

/** The frame of code, diffs and output: a head, a line, and a body that scrolls. */
export function createBlock(head: readonly (Node | string)[], body: Node): HTMLElement {
  const block = createElement("div", "block");
  if (head.length > 0) block.append(createElement("div", "block-head", ...head));
  block.append(body);
  return block;
}

/** Scrollable content must be reachable by keyboard, and then it needs a name. */
export function markScrollable<Scroller extends HTMLElement>(element: Scroller, label: string): Scroller {
  element.tabIndex = 0;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", label);
  return element;
}

/** A file path, shortened, complete on hover. Inside `directory`, the session's own, it is relative to it. */
export function createPath(path: string, directory = ""): HTMLElement {
  const { folder, file } = splitPath(shortenPath(relativePaths(path, directory)));
  const shown = createElement("span", "path", createElement("span", "folder", folder), createElement("b", "", file));
  shown.title = path;
  return shown;
}

/** The same with a menu. The frame handles the click by the button's data attribute. */
export function createPathButton(path: string, directory = "", line?: number): HTMLButtonElement {
  const whole = line === undefined ? path : `${path}:${line}`;
  const { folder, file } = splitPath(shortenPath(relativePaths(whole, directory)));
  const button = createElement("button", "path", createElement("span", "folder", folder), createElement("b", "", file));
  button.type = "button";
  button.title = whole;
  button.dataset["file"] = whole;
  button.setAttribute("aria-haspopup", "menu");
  return button;
}

const KILO = 1_000;

/** Requests all of a text that is shown in part; the frame handles the click by the button's data attribute. */
export function createWholeButton({ totalChars }: Truncated, part: number | null): HTMLButtonElement {
  const button = createElement(
    "button",
    "button small whole-output",
    createIcon("open", "icon-sm"),
    `Show all (${sizeWords(totalChars)})`,
  );
  button.type = "button";
  button.dataset["wholeOutput"] = part === null ? "" : String(part);
  return button;
}

/** "3.2 MB": characters are mostly bytes. */
export function sizeWords(chars: number): string {
  if (chars < KILO * KILO) return `${Math.max(1, Math.round(chars / KILO))} kB`;
  return `${(chars / KILO / KILO).toFixed(1)} MB`;
}

const GAP = "…";
/** About what fits into the head of a block beside its numbers. */
const PATH_CHARS_MAX = 56;

/** A long path without its middle: its beginning and its file name identify it. */
export function shortenPath(path: string, charsMax = PATH_CHARS_MAX): string {
  if (path.length <= charsMax) return path;
  const parts = path.split("/");
  const file = parts.at(-1) ?? "";
  const start = parts[0] === "" ? `/${parts[1] ?? ""}` : (parts[0] ?? "");
  let end = file;
  for (let at = parts.length - 2; at > 1; at -= 1) {
    const longer = `${parts[at]}/${end}`;
    if (start.length + longer.length + GAP.length + 2 > charsMax) break;
    end = longer;
  }
  const short = `${start}/${GAP}/${end}`;
  if (short.length <= charsMax) return short;
  const half = Math.floor((charsMax - GAP.length) / 2);
  return `${path.slice(0, charsMax - GAP.length - half)}${GAP}${path.slice(path.length - half)}`;
}
