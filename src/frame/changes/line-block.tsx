import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { fileLanguageId } from "../../presentation/code-languages.ts";
import { tokenLines } from "../../presentation/coloured-lines.ts";
import type { HunkLine } from "../../presentation/hunk-lines.ts";
import { wordDiff } from "../../presentation/line-diff.ts";
import type { CodeToken } from "../../presentation/tokenize-code.ts";
import type { PatchHunk } from "../../protocol/changes.ts";
import { hasKeyboard } from "../../ui/controls/keep-focus.ts";
import { createElement } from "../../ui/create-element.ts";
import { askWorker } from "../../ui/diff/compare-texts.ts";
import { createRow, type SplitRow } from "../../ui/diff/diff-table.ts";
import type { NearObserver } from "./near-observer.ts";

/** Longer hunks stay plain, as longer code blocks do. */
const COLOURED_CHARS_MAX = 50_000;
/** Word by word, so many characters are compared in one block: the rest of a very long one is read as a whole. */
const WORDS_CHARS_MAX = 12_000;
/** The height of a line before it is drawn. */
const LINE_PX = 20;

type Words = NonNullable<ReturnType<typeof wordDiff>>;
/** The lines of one side in the colours of their language. */
interface Colours {
  readonly before: readonly (readonly CodeToken[])[];
  readonly after: readonly (readonly CodeToken[])[];
}

/** Computed data of a hunk. */
interface HunkInk {
  readonly colours: ReadonlySignal<Colours | null>;
  readonly words: Map<number, Words | null>;
}

/** Hunks whose colours are kept: a file that is fetched again must not flicker. */
const INKS_MAX = 200;
const inks = new Map<string, HunkInk>();

function inkOf(hunk: PatchHunk, path: string): HunkInk {
  const { before: above, oldLines, newLines, after: below } = hunk;
  const name = [[path], above, oldLines, newLines, below].map((lines) => lines.join("\n")).join("\0");
  const known = inks.get(name);
  if (known) return known;
  const colours = signal<Colours | null>(null);
  const ink = { colours, words: new Map() };
  inks.set(name, ink);
  const [oldest] = inks.keys();
  if (inks.size > INKS_MAX && oldest !== undefined) inks.delete(oldest);
  const language = fileLanguageId(path);
  const textOf = (lines: readonly string[]) => [...hunk.before, ...lines, ...hunk.after].join("\n");
  const [before, after] = [textOf(hunk.oldLines), textOf(hunk.newLines)];
  if (language === null || Math.max(before.length, after.length) > COLOURED_CHARS_MAX) return ink;
  readTokens(before, language, (old) =>
    readTokens(after, language, (now) => {
      colours.value = { before: tokenLines(old), after: tokenLines(now) };
    }),
  );
  return ink;
}

function readTokens(code: string, language: string, show: (tokens: readonly CodeToken[]) => void): void {
  askWorker(
    (id) => ({ id, code, language }),
    (reply) => {
      if (reply && "tokens" in reply) show(reply.tokens);
    },
  );
}

/** A row of a block: a line, or two of them side by side, and where they are in the hunk. */
export type BlockRow = HunkLine | SplitRow;

export interface LineBlockProps {
  readonly path: string;
  readonly hunk: PatchHunk;
  /** All lines of the hunk. */
  readonly lines: readonly HunkLine[];
  readonly rows: readonly BlockRow[];
  readonly near: NearObserver;
  /** Lines that are chosen for a remark, by their place in the hunk. */
  readonly chosen: ReadonlySignal<{ readonly from: number; readonly to: number } | null>;
}

/** Some lines of a hunk. They are rendered only while they are near the view. */
export function LineBlock({ path, hunk, lines, rows, near, chosen }: LineBlockProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    let stop: (() => void) | null = null;
    const empty = (heightPx: number) => {
      if (stop === null) return;
      stop();
      stop = null;
      current.style.minHeight = `${heightPx}px`;
      replaceLines(current);
    };
    const fill = () => {
      if (stop !== null) return;
      const ink = inkOf(hunk, path);
      const draw = () => {
        const colours = ink.colours.peek();
        // The selection would lose its ends.
        if (colours !== null && current.childElementCount > 0 && isSelected(current)) return;
        replaceLines(current, createBlock(rows, lines, hunk, ink.words, colours));
        current.style.minHeight = "";
        markChosen(current, chosen.peek());
      };
      const stopDrawing = effect(() => {
        void ink.colours.value; // drawn again in them
        near.draw(current, { lines: rows.length, draw });
      });
      const stopMarking = effect(() => markChosen(current, chosen.value));
      stop = () => {
        stopDrawing();
        stopMarking();
        near.forget(current);
      };
    };
    const stopWatching = near.observe(current, (isNear, heightPx) => (isNear ? fill() : empty(heightPx)));
    // Rendered again in place: the scroll position must not jump.
    if (current.childElementCount > 0) fill();
    return () => {
      stopWatching();
      stop?.();
    };
  }, [hunk, lines, rows]);
  return <div class="line-block" ref={place} style={{ minHeight: `${rows.length * LINE_PX}px` }} />;
}

/** A button in a line may have the focus: when the button is removed, the container of the lines gets it. */
function replaceLines(block: HTMLElement, ...lines: readonly HTMLElement[]): void {
  const hadFocus = block.contains(document.activeElement) && hasKeyboard(document);
  block.replaceChildren(...lines);
  if (hadFocus) block.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
}

function isSelected(element: Element): boolean {
  const selection = getSelection();
  return selection?.isCollapsed === false && selection.containsNode(element, true);
}

function createBlock(
  rows: readonly BlockRow[],
  lines: readonly HunkLine[],
  hunk: PatchHunk,
  words: Map<number, Words | null>,
  colours: Colours | null,
): HTMLTableElement {
  const places = new Map(lines.map((line, at) => [line, at]));
  let chars = 0;
  const inked = (line: HunkLine): HunkLine => {
    const at = places.get(line) ?? 0;
    const changed = at - hunk.before.length;
    const isOld = line.kind === "removed";
    const pair = isOld ? changed : changed - hunk.oldLines.length;
    const [before, after] = [hunk.oldLines[pair], hunk.newLines[pair]];
    if (line.kind !== "same" && before !== undefined && after !== undefined && !words.has(pair)) {
      chars += before.length + after.length;
      if (chars <= WORDS_CHARS_MAX) words.set(pair, wordDiff(before, after));
    }
    const found = line.kind === "same" ? null : words.get(pair);
    const tokens = isOld
      ? colours?.before[at]
      : colours?.after[at - (at < hunk.before.length ? 0 : hunk.oldLines.length)];
    return {
      ...line,
      ...(found && { words: isOld ? found.before : found.after }),
      // Lines whose text differs stay plain.
      ...(tokens?.map(({ text }) => text).join("") === line.text && { tokens }),
    };
  };
  const body = createElement("tbody", "", ...rows.map((row) => createMarkedRow(row, inked, places)));
  return createElement("table", "", body);
}

function createMarkedRow(
  row: BlockRow,
  inked: (line: HunkLine) => HunkLine,
  places: ReadonlyMap<HunkLine, number>,
): HTMLElement {
  if (row.kind !== "pair") {
    const element = createRow(inked(row));
    element.dataset["line"] = String(places.get(row));
    if (row.hasNoEnd) element.lastElementChild?.append(createNoEnd());
    return element;
  }
  const { before, after } = row;
  const half = (line: HunkLine | null) => (line === null ? null : inked(line));
  const element = createRow({ kind: "pair", before: half(before), after: half(after) });
  const cells = element.querySelectorAll<HTMLElement>("td.n");
  for (const [at, line] of [before, after].entries()) {
    const cell = cells[at];
    if (line === null || cell === undefined) continue;
    cell.dataset["line"] = String(places.get(line));
    if ("hasNoEnd" in line) cell.nextElementSibling?.append(createNoEnd());
  }
  return element;
}

function createNoEnd(): HTMLElement {
  return createElement("span", "no-end", "No newline at end of file");
}

function markChosen(block: Element, chosen: { readonly from: number; readonly to: number } | null): void {
  for (const row of block.querySelectorAll("tr")) {
    const marked = [row, ...row.querySelectorAll<HTMLElement>("td[data-line]")];
    const isChosen = marked.some(({ dataset: { line } }) => {
      const at = Number(line ?? Number.NaN);
      return chosen !== null && at >= chosen.from && at <= chosen.to;
    });
    row.classList.toggle("chosen", isChosen);
  }
}
