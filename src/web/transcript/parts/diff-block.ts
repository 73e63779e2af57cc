import { createIcon } from "../../icons/create-icon.ts";
import { createElement } from "../create-element.ts";
import { type DiffFold, type DiffLine, diffLines } from "../line-diff.ts";
import { splitPath } from "../tool-words.ts";
import { createBlock, markScrollable } from "./block.ts";

export interface DiffTexts {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
  readonly firstLine?: number | undefined;
}

/** Longer diffs are cut with a word about it: a table of a hundred thousand rows helps nobody. */
const DIFF_ROWS_MAX = 2_000;
const CLASS_OF: Readonly<Record<DiffLine["kind"], string>> = { same: "ctx", added: "add", removed: "del" };
const SIGN_OF: Readonly<Record<DiffLine["kind"], string>> = { same: " ", added: "+", removed: "-" };

/** A change as one table: numbers and signs are generated content, so copying gives code only. */
export function createDiffBlock(texts: DiffTexts): HTMLElement {
  const { rows, added, removed } = diffLines(texts.oldText, texts.newText, texts.firstLine);
  const table = createElement("table", "", ...rows.slice(0, DIFF_ROWS_MAX).map(createRow));
  if (rows.length > DIFF_ROWS_MAX)
    table.append(createNote(`${(rows.length - DIFF_ROWS_MAX).toLocaleString()} more lines`));
  const { folder, file } = splitPath(texts.path);
  const path = createElement("span", "path", folder, createElement("b", "", file));
  path.title = texts.path;
  const stats = [createElement("span", "stat-add", `+${added}`), createElement("span", "stat-del", `−${removed}`)];
  const change = changeWord(texts);
  const tag = change === "" ? [] : [createElement("span", "tag", change)];
  return createBlock(
    [path, ...tag, ...stats],
    markScrollable(createElement("div", "diff", table), `Changes in ${file}`),
  );
}

/** A file that comes or goes is more than its lines. */
function changeWord({ oldText, newText, firstLine }: DiffTexts): string {
  if (oldText === null || (oldText === "" && firstLine === undefined)) return "new file";
  return newText === "" && firstLine === undefined ? "deleted" : "";
}

function createRow(row: DiffLine | DiffFold): HTMLElement {
  return row.kind === "fold" ? createFold(row) : createLine(row);
}

function createLine({ kind, text, oldNumber, newNumber }: DiffLine): HTMLElement {
  const sign = createElement("td", "sign");
  sign.dataset["s"] = SIGN_OF[kind];
  return createElement(
    "tr",
    CLASS_OF[kind],
    createNumber("old", oldNumber),
    createNumber("new", newNumber),
    sign,
    createElement("td", "c", text),
  );
}

function createNumber(side: "old" | "new", number: number | null): HTMLElement {
  const cell = createElement("td", `n ${side}`);
  cell.dataset["n"] = number === null ? "" : String(number);
  return cell;
}

function createFold({ lines }: DiffFold): HTMLElement {
  const words = `${lines.length.toLocaleString()} unchanged ${lines.length === 1 ? "line" : "lines"}`;
  const button = createElement("button", "", createIcon("updown", "icon-sm"), words);
  button.type = "button";
  const row = createNote(button);
  button.addEventListener("click", () => row.replaceWith(...lines.map(createLine)));
  return row;
}

function createNote(content: Node | string): HTMLElement {
  const cell = createElement("td", "", content);
  cell.colSpan = 4;
  return createElement("tr", "fold", cell);
}
