import { splitPath } from "../../presentation/tool-line.ts";
import type { Truncated } from "../../protocol/entry.ts";
import { createElement } from "../create-element.ts";
import { showDiff } from "../diff/diff-view.ts";
import { createBlock, markScrollable } from "./block.ts";
import { createPath, createPathButton } from "./path-button.ts";

export interface DiffTexts {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
  readonly firstLine?: number | undefined;
  readonly truncated?: Truncated | undefined;
}

/** A change of a file: its path at once, and what changed as soon as it is compared. `isPlain`: with no buttons of its own. */
export function createDiffBlock(texts: DiffTexts, isPlain = false): HTMLElement {
  const { file } = splitPath(texts.path);
  const change = changeWord(texts);
  const tag = change === "" ? [] : [createElement("span", "tag", change)];
  const stats = createElement("span", "diff-stats");
  const end = createElement("span", "end");
  const body = markScrollable(createElement("div", "diff"), `Changes in ${file}`);
  const block = createBlock(
    [isPlain ? createPath(texts.path) : createPathButton(texts.path), ...tag, stats, end],
    body,
  );
  block.classList.add("diff-block");
  const frame = { block, body, stats, end, isPlain };
  const placed = change === "new file" ? { ...texts, firstLine: 1 } : texts;
  showDiff(frame, placed);
  return block;
}

/** A file that comes or goes is more than its lines. */
function changeWord({ oldText, newText, firstLine, truncated }: DiffTexts): string {
  const isPart = firstLine !== undefined || truncated !== undefined;
  if (oldText === null || (oldText === "" && !isPart)) return "new file";
  return newText === "" && !isPart ? "deleted" : "";
}
