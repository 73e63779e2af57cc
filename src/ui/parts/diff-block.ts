import { fileLanguageId } from "../../presentation/code-languages.ts";
import { colourLines, tokenLines } from "../../presentation/coloured-lines.ts";
import type { LineDiff } from "../../presentation/line-diff.ts";
import type { CodeToken } from "../../presentation/tokenize-code.ts";
import { splitPath } from "../../presentation/tool-line.ts";
import type { Truncated } from "../../protocol/entry.ts";
import { createElement } from "../create-element.ts";
import { askWorker, type ComparedTexts, compareTexts } from "../diff/compare-texts.ts";
import { createDiffTable } from "../diff/diff-table.ts";
import { createBlockButton } from "../markdown/block-button.ts";
import { createBlock, createPath, createPathButton, markScrollable } from "./block.ts";

export interface DiffLook {
  /** The session's own: paths inside are shown relative to it. */
  readonly directory?: string;
  /** Without its own buttons. */
  readonly isPlain?: boolean;
}

interface DiffTexts {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
  readonly firstLine?: number | undefined;
  readonly truncated?: Truncated | undefined;
}

/** A file change: its path at once, and the diff as soon as it is computed. */
export function createDiffBlock(texts: DiffTexts, { directory, isPlain = false }: DiffLook = {}): HTMLElement {
  const { file } = splitPath(texts.path);
  const change = changeWord(texts);
  const tag = change === "" ? [] : [createElement("span", "tag", change)];
  const stats = createElement("span", "diff-stats");
  const end = createElement("span", "end");
  const body = markScrollable(createElement("div", "diff"), `Changes in ${file}`);
  const block = createBlock(
    [isPlain ? createPath(texts.path, directory) : createPathButton(texts.path, directory), ...tag, stats, end],
    body,
  );
  block.classList.add("diff-block");
  const frame = { block, body, stats, end, isPlain };
  const placed = change === "new file" ? { ...texts, firstLine: 1 } : texts;
  showDiff(frame, placed);
  return block;
}

/** A new or deleted file is more than its lines. */
function changeWord({ oldText, newText, firstLine, truncated }: DiffTexts): string {
  const isPart = firstLine !== undefined || truncated !== undefined;
  if (oldText === null || (oldText === "" && !isPart)) return "new file";
  return newText === "" && !isPart ? "deleted" : "";
}

/** The elements of a diff that wait for its computation. */
interface DiffFrame {
  readonly block: HTMLElement;
  readonly body: HTMLElement;
  readonly stats: HTMLElement;
  readonly end: HTMLElement;
  /** It is inside a request, whose buttons are the only ones. */
  readonly isPlain: boolean;
}

type DiffShape = "unified" | "split";

/** Both halves need about this much room. */
const SPLIT_WIDTH_MIN_PX = 900;
const CHOICE_KEY = "liminal:diff";

/** Shows a change, unified or side by side as the reader last chose; side by side only if it is wide enough. */
function showDiff(frame: DiffFrame, texts: ComparedTexts): void {
  compareTexts(texts, (diff) => {
    frame.stats.replaceChildren(
      createElement("span", "stat-add", `+${diff.added.toLocaleString("en")}`),
      createElement("span", "stat-del", `−${diff.removed.toLocaleString("en")}`),
    );
    // A new or deleted file has one side only.
    const hasBoth = diff.added > 0 && diff.removed > 0;
    const redraw = hasBoth && !frame.isPlain ? offerShapes(frame, diff) : drawUnified(frame, diff);
    colourDiff(diff, texts, (coloured) => {
      // A selection would lose its ends, and expanded lines would collapse: then it stays plain.
      if (!isInUse(frame.body)) redraw(coloured);
    });
  });
}

function isInUse(body: HTMLElement): boolean {
  const selection = getSelection();
  return (
    body.contains(document.activeElement) || (selection?.isCollapsed === false && selection.containsNode(body, true))
  );
}

function drawUnified(frame: DiffFrame, diff: LineDiff): (next: LineDiff) => void {
  draw(frame, diff, "unified");
  return (next) => draw(frame, next, "unified");
}

/** Returns a function that draws it again. */
function offerShapes(frame: DiffFrame, first: LineDiff): (next: LineDiff) => void {
  let diff = first;
  const toggle = createBlockButton("sidebar", "Side by side");
  toggle.classList.add("diff-shape");
  frame.end.append(toggle);
  let choice = readChoice();
  let drawn: DiffShape | null = null;
  const update = () => {
    const isWide = innerWidth >= SPLIT_WIDTH_MIN_PX;
    const shape = isWide ? choice : "unified";
    toggle.hidden = !isWide;
    toggle.setAttribute("aria-pressed", String(choice === "split"));
    if (shape === drawn) return;
    drawn = shape;
    draw(frame, diff, shape);
  };
  toggle.addEventListener("click", () => {
    choice = choice === "split" ? "unified" : "split";
    localStorage.setItem(CHOICE_KEY, choice);
    update();
  });
  update();
  new ResizeObserver(update).observe(frame.block);
  return (next) => {
    diff = next;
    drawn = null;
    update();
  };
}

function draw({ block, body }: DiffFrame, diff: LineDiff, shape: DiffShape): void {
  block.classList.toggle("is-split", shape === "split");
  body.classList.toggle("split", shape === "split");
  body.replaceChildren(createDiffTable(diff, shape));
}

function readChoice(): DiffShape {
  return localStorage.getItem(CHOICE_KEY) === "split" ? "split" : "unified";
}

/** Longer texts stay plain, like longer code blocks. */
const COLOURED_CHARS_MAX = 50_000;

/** Highlights the lines of a change, if the language is known; both sides are parsed in full. */
function colourDiff(diff: LineDiff, texts: ComparedTexts, show: (coloured: LineDiff) => void): void {
  const { path, newText, firstLine = 1 } = texts;
  const oldText = texts.oldText ?? "";
  const language = fileLanguageId(path);
  if (language === null || Math.max(oldText.length, newText.length) > COLOURED_CHARS_MAX) return;
  readTokens(oldText, language, (before) =>
    readTokens(newText, language, (after) =>
      show(colourLines(diff, { before: tokenLines(before), after: tokenLines(after), firstLine })),
    ),
  );
}

function readTokens(code: string, language: string, show: (tokens: readonly CodeToken[]) => void): void {
  if (code === "") show([]);
  else
    askWorker(
      (id) => ({ id, code, language }),
      (reply) => {
        if (reply && "tokens" in reply) show(reply.tokens);
      },
    );
}
