import { visiblePieces } from "../../lib/visible-text.ts";
import { lineRuns } from "../../presentation/coloured-lines.ts";
import type { DiffFold, DiffLine, LineDiff } from "../../presentation/line-diff.ts";
import { createElement } from "../create-element.ts";
import { createIcon } from "../icons/create-icon.ts";

/** Rows created at once: as many as fit into a frame. */
const ROWS_AT_ONCE = 300;
/** Rows that one click adds, a few in each frame. */
const ROWS_PER_CLICK = 3_000;
const CLASS_OF: Readonly<Record<DiffLine["kind"], string>> = { same: "ctx", added: "add", removed: "del" };
const SIGN_OF: Readonly<Record<DiffLine["kind"], string>> = { same: " ", added: "+", removed: "-" };

/** More of a line is shown on request: laying it out would take longer than a frame. */
const LINE_CHARS_SHOWN = 2_000;
/** What one click adds. */
const LINE_CHARS_PER_CLICK = 20_000;

/** Text without invisible characters. */
const PLAIN = /^[\t\u0020-\u007e]*$/;

type Row = DiffLine | DiffFold | SplitRow;
type Side = "old" | "new";

/**
 * A change as one table: numbers and signs are generated content, so that copying gives code only. If the position in
 * the file is unknown there are no numbers.
 */
export function createDiffTable(diff: LineDiff, shape: "unified" | "split"): HTMLTableElement {
  const rows = diff.isPlaced ? diff.rows : diff.rows.map(withoutNumbers);
  const all: readonly Row[] = shape === "split" ? splitRows(rows) : rows;
  const body = createElement("tbody", "", ...all.slice(0, ROWS_AT_ONCE).map(createRow));
  if (all.length > ROWS_AT_ONCE) body.append(createMore(all, ROWS_AT_ONCE));
  const table = createElement("table", diff.isPlaced ? "" : "unnumbered", body);
  if (shape === "split") table.addEventListener("pointerdown", (event) => selectOneSide(table, event));
  return table;
}

function withoutNumbers(row: DiffLine | DiffFold): DiffLine | DiffFold {
  const plain = (line: DiffLine): DiffLine => ({ ...line, oldNumber: null, newNumber: null });
  return row.kind === "fold" ? { ...row, lines: row.lines.map(plain) } : plain(row);
}

/** Side by side, a selection stays in its half: the copied text is one version, not both interleaved. */
function selectOneSide(table: HTMLElement, { target }: Event): void {
  const cell = target instanceof Element ? target.closest("td.c") : null;
  if (cell) table.dataset["selects"] = cell.classList.contains("old") ? "old" : "new";
}

/** A row of a table: a line, two of them side by side, or unchanged lines that are folded away. */
export function createRow(row: Row): HTMLElement {
  if (row.kind === "fold") return createFold(row);
  return row.kind === "pair" ? createPair(row) : createLine(row);
}

function createLine(line: DiffLine): HTMLElement {
  const sign = createElement("td", "sign");
  sign.dataset["s"] = SIGN_OF[line.kind];
  const text = createElement("td", "c", ...contentOf(line));
  return createElement(
    "tr",
    CLASS_OF[line.kind],
    createNumber("old", line.oldNumber),
    createNumber("new", line.newNumber),
    sign,
    text,
  );
}

function createPair({ before, after }: SplitRow): HTMLElement {
  return createElement("tr", "", ...createHalf("old", before), ...createHalf("new", after));
}

function createHalf(side: Side, line: DiffLine | null): HTMLElement[] {
  if (line === null) return [createElement("td", `n ${side} void`), createElement("td", `c ${side} void`)];
  const number = createNumber(side, side === "old" ? line.oldNumber : line.newNumber);
  const cell = createElement("td", `c ${side}`, ...contentOf(line));
  if (line.kind !== "same") {
    number.classList.add(`is-${CLASS_OF[line.kind]}`);
    cell.classList.add(`is-${CLASS_OF[line.kind]}`);
    cell.dataset["s"] = SIGN_OF[line.kind];
  }
  return [number, cell];
}

function contentOf(line: DiffLine): (Node | string)[] {
  if (line.text.length > LINE_CHARS_SHOWN) return longLine(line.text, 0, LINE_CHARS_SHOWN);
  if (line.words === undefined && line.tokens === undefined) return visibleNodes(line.text);
  return lineRuns(line).flatMap(({ text, className, isChanged }) => {
    const run = className === "" ? visibleNodes(text) : [createElement("span", className, ...visibleNodes(text))];
    return isChanged ? [createElement("mark", "", ...run)] : run;
  });
}

/** A piece of a long line, and a button for the next one. */
function longLine(text: string, from: number, chars: number): (Node | string)[] {
  // Do not split a surrogate pair.
  const to = /[\ud800-\udbff]/.test(text[from + chars - 1] ?? "") ? from + chars + 1 : from + chars;
  const piece = visibleNodes(text.slice(from, to));
  if (to >= text.length) return piece;
  const more = Math.min(LINE_CHARS_PER_CLICK, text.length - to);
  const words = `Show ${more.toLocaleString("en")} more of ${text.length.toLocaleString("en")} characters`;
  const button = createElement("button", "line-rest", words);
  button.type = "button";
  const showMore = () => {
    const hadFocus = document.activeElement === button;
    const around = button.closest<HTMLElement>("[tabindex]");
    const rest = longLine(text, to, LINE_CHARS_PER_CLICK);
    button.replaceWith(...rest);
    // Focuses the next piece, or the element that contains the line.
    const next = rest.find((node) => node instanceof HTMLElement && node.matches(".line-rest"));
    if (hadFocus) (next instanceof HTMLElement ? next : around)?.focus({ preventScroll: true });
  };
  button.addEventListener("click", showMore, { once: true });
  return [...piece, button];
}

/** Invisible characters are shown as signs, because a change is judged by its content. Tabs are plain in code. */
function visibleNodes(text: string): (Node | string)[] {
  if (PLAIN.test(text)) return [text];
  return text
    .split("\t")
    .flatMap((piece, index) => [
      ...(index === 0 ? [] : ["\t"]),
      ...visiblePieces(piece).map(({ kind, text: shown }) =>
        kind === "text" ? shown : createElement("span", "unseen", shown),
      ),
    ]);
}

function createNumber(side: Side, number: number | null): HTMLElement {
  const cell = createElement("td", `n ${side}`);
  cell.dataset["n"] = number === null ? "" : String(number);
  return cell;
}

/** Collapsed unchanged lines are inserted in place, in the table's layout. */
function createFold({ lines }: DiffFold): HTMLElement {
  const words = `${lines.length.toLocaleString("en")} unchanged ${lines.length === 1 ? "line" : "lines"}`;
  return createNote(words, (row) => {
    const isSplit = row.closest(".split") !== null;
    const all: readonly Row[] = isSplit ? splitRows(lines) : lines;
    const rest = all.length > ROWS_AT_ONCE ? [createMore(all, ROWS_AT_ONCE)] : [];
    row.replaceWith(...all.slice(0, ROWS_AT_ONCE).map(createRow), ...rest);
  });
}

function createMore(rows: readonly Row[], from: number): HTMLElement {
  const left = rows.length - from;
  return createNote(`Show ${Math.min(left, ROWS_PER_CLICK).toLocaleString("en")} more lines`, (row) =>
    addRows(row, rows, from, Math.min(rows.length, from + ROWS_PER_CLICK)),
  );
}

/** A few in each frame, before the row of the button. */
function addRows(note: HTMLElement, rows: readonly Row[], from: number, to: number): void {
  const end = Math.min(to, from + ROWS_AT_ONCE);
  note.before(...rows.slice(from, end).map(createRow));
  if (end < to) requestAnimationFrame(() => addRows(note, rows, end, to));
  else if (to < rows.length) note.replaceWith(createMore(rows, to));
  else note.remove();
}

function createNote(words: string, onClick: (row: HTMLElement) => void): HTMLElement {
  const button = createElement("button", "", createIcon("updown", "icon-sm"), words);
  button.type = "button";
  const cell = createElement("td", "", button);
  cell.colSpan = 4;
  const row = createElement("tr", "fold", cell);
  button.addEventListener("click", () => onClick(row), { once: true });
  return row;
}

/** One row of a diff side by side: an old line, a new one, or both. */
export interface SplitRow {
  readonly kind: "pair";
  readonly before: DiffLine | null;
  readonly after: DiffLine | null;
}

/** A side-by-side diff: added lines are beside the removed lines they replace. */
export function splitRows(rows: readonly (DiffLine | DiffFold)[]): (SplitRow | DiffFold)[] {
  const split: (SplitRow | DiffFold)[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      split.push({ kind: "pair", before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === "added") added.push(row);
    else if (row.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(row);
    } else {
      flush();
      split.push(row.kind === "fold" ? row : { kind: "pair", before: row, after: row });
    }
  }
  flush();
  return split;
}
