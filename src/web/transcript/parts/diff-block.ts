import type { showDiff } from "../../diff/diff-view.ts";
import { createElement } from "../create-element.ts";
import { splitPath } from "../tool-words.ts";
import { createBlock, markScrollable } from "./block.ts";
import { createPath, createPathButton } from "./path-button.ts";

export interface DiffTexts {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
  readonly firstLine?: number | undefined;
}

let show: typeof showDiff | null = null;

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
  if (show) show(frame, texts);
  else
    import("../../diff/diff-view.ts").then(
      (part) => {
        show = part.showDiff;
        show(frame, texts);
      },
      () =>
        body.append(createElement("p", "part-text", "The change could not be shown. Reload the page and try again.")),
    );
  return block;
}

/** A file that comes or goes is more than its lines. */
function changeWord({ oldText, newText, firstLine }: DiffTexts): string {
  if (oldText === null || (oldText === "" && firstLine === undefined)) return "new file";
  return newText === "" && firstLine === undefined ? "deleted" : "";
}
