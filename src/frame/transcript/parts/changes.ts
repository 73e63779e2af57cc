import { visiblePieces } from "../../../lib/visible-text.ts";
import {
  changesMarks,
  filesWords,
  leftOutWords,
  lineSides,
  STATUS_LETTERS,
  spokenCounts,
} from "../../../presentation/changes-words.ts";
import type { ChangedFile } from "../../../protocol/changes.ts";
import type { ChangesEntry } from "../../../protocol/entry.ts";
import { createElement } from "../../../ui/create-element.ts";
import { createIcon } from "../../../ui/icons/create-icon.ts";
import type { RowContext, RowNode } from "../row-node.ts";
import type { EntryRow } from "../rows.ts";
import { createArticle, markArticle } from "./article.ts";

/**
 * The line at the end of a turn: how many files it changed, and the buttons to review them and to restore them. It
 * expands to the list of files. The frame handles the clicks by the buttons' data attributes.
 */
export class ChangesNode implements RowNode<EntryRow> {
  readonly element = createArticle("changes", "entry-changes");
  readonly #context: RowContext;
  readonly #line = createElement("div", "turn-changes");
  readonly #toggle = createElement("button", "changes-toggle");
  #body: HTMLElement | null = null;
  #shown: ChangesEntry | null = null;
  #key = "";

  constructor(row: EntryRow, context: RowContext) {
    this.#context = context;
    this.#line.setAttribute("role", "group");
    this.#line.setAttribute("aria-label", "Changes of this turn");
    this.#toggle.type = "button";
    this.#toggle.addEventListener("click", () => {
      const isOpen = this.#toggle.getAttribute("aria-expanded") !== "true";
      context.toggle(this.#key, isOpen, this.#line, () => this.#show(isOpen));
    });
    this.element.append(this.#line);
    this.update(row);
  }

  update(row: EntryRow): void {
    markArticle(this.element, row);
    const { entry, key } = row;
    if (entry.type !== "changes") return;
    this.#key = key;
    if (entry !== this.#shown) {
      this.#shown = entry;
      this.#fill(entry);
      this.#body?.remove();
      this.#body = null;
    }
    this.#show(this.#context.isOpened(key) ?? false);
  }

  #fill(entry: ChangesEntry): void {
    const { total: files, added, removed } = entry;
    this.#toggle.replaceChildren(
      createElement("span", "lead", createIcon("diff", "icon-sm"), createIcon("chevron", "icon-sm")),
      createElement("span", "files", filesWords(files)),
      ...lineCounts(entry),
    );
    this.#toggle.title = spokenCounts({ files, added, removed });
    const marks = changesMarks(entry).map(({ name, words }) => {
      const mark = createElement("span", "changes-mark", name);
      mark.title = words;
      return mark;
    });
    const actions = [
      createAction("review", "Review", "Review the changes of this turn"),
      createAction("restore", "Restore", "Restore files to before this turn"),
    ];
    // Without a file there is nothing to review or to restore: the line only lists what was left out.
    const parts = files === 0 ? marks : [...actions, ...marks];
    this.#line.replaceChildren(this.#toggle, ...parts.flatMap((part) => [createDot(), part]));
  }

  #show(isOpen: boolean): void {
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) {
      this.#body?.remove();
      this.#body = null;
    } else if (this.#body === null && this.#shown !== null) {
      this.#body = createBody(this.#shown);
      this.#line.after(this.#body);
    }
  }
}

/** Visible between the buttons, and hidden from screen readers. */
function createDot(): HTMLElement {
  const dot = createElement("span", "dot", "·");
  dot.setAttribute("aria-hidden", "true");
  return dot;
}

function createAction(act: "review" | "restore", words: string, name: string): HTMLElement {
  const button = createElement("button", "changes-act", words);
  button.type = "button";
  button.dataset["changes"] = act;
  button.setAttribute("aria-label", name);
  button.title = name;
  return button;
}

function lineCounts(lines: Pick<ChangedFile, "added" | "removed">): (Node | string)[] {
  return lineSides(lines).flatMap(({ kind, words }) => [" ", createElement("span", `stat-${kind}`, words)]);
}

function createBody(entry: ChangesEntry): HTMLElement {
  const { files, total, leftOut = [] } = entry;
  const rows = files.map((file) => createElement("li", "", createFileButton(file)));
  const more = total - files.length;
  const notes = changesMarks(entry).map(({ words }) => createElement("p", "", words));
  const missing = leftOut.map(({ path, reason }) =>
    createElement("li", "", createFilePath(path), createElement("span", "why", leftOutWords(reason))),
  );
  return createElement(
    "div",
    "changes-list",
    createElement("ul", "changes-files", ...rows),
    ...(more > 0 ? [createMore(more)] : []),
    ...(notes.length > 0 || missing.length > 0
      ? [createElement("div", "changes-told", ...notes, createElement("ul", "changes-left-out", ...missing))]
      : []),
  );
}

function createFileButton(file: ChangedFile): HTMLElement {
  const { path, status, added, removed } = file;
  const letter = createElement("span", "status-letter", STATUS_LETTERS[status]);
  letter.dataset["status"] = STATUS_LETTERS[status];
  letter.setAttribute("aria-hidden", "true");
  const isText = added !== null && removed !== null;
  // Read aloud as one word: screen readers would read the parts of the path as separate words.
  const shown = createFilePath(path);
  shown.setAttribute("aria-hidden", "true");
  const button = createElement(
    "button",
    "changes-file",
    letter,
    createElement("span", "visually-hidden", `${status} ${path} `),
    shown,
    createElement("span", "stats", ...(isText ? lineCounts(file) : ["binary"])),
  );
  button.type = "button";
  button.dataset["changes"] = "file";
  button.dataset["path"] = path;
  return button;
}

function createMore(count: number): HTMLElement {
  const button = createElement("button", "changes-more", `and ${count.toLocaleString("en")} more`);
  button.type = "button";
  button.dataset["changes"] = "review";
  button.setAttribute("aria-label", `and ${count.toLocaleString("en")} more: review all files`);
  return button;
}

/** The directory is shortened before the name, and invisible characters are shown as signs. */
function createFilePath(path: string): HTMLElement {
  const at = path.lastIndexOf("/") + 1;
  const element = createElement("span", "file-path");
  if (at > 0) element.append(createElement("span", "dir", ...signs(path.slice(0, at))));
  element.append(createElement("span", "base", ...signs(path.slice(at))));
  element.title = path;
  return element;
}

function signs(text: string): (Node | string)[] {
  return visiblePieces(text).map((piece) =>
    piece.kind === "text" ? piece.text : createElement("span", "unseen", piece.text),
  );
}
