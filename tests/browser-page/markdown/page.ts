import { CodeHighlighter } from "../../../src/ui/highlight/highlight-code.ts";
import { MarkdownView } from "../../../src/ui/markdown/markdown-view.ts";
import { addChunks, drawLong } from "./measure-chunks.ts";
import {
  codeGrowth,
  drawAll,
  lateDefinition,
  nodesTouchedByChunk,
  replacements,
  selectionWhileStreaming,
} from "./stream-scenes.ts";

declare global {
  interface Window {
    testPage: typeof testPage;
  }
}

const violations: string[] = [];
const opened: string[] = [];
const failures: string[] = [];
let highlighter: CodeHighlighter | null = null;

function main(): HTMLElement {
  const found = document.querySelector("main");
  if (found === null) throw new Error("the page has no main");
  return found;
}

/** What the tests of the markdown engine call inside the page; results are plain data. */
const testPage = {
  violations,
  opened,
  failures,
  addChunks,
  codeGrowth,
  drawLong,
  lateDefinition,
  nodesTouchedByChunk,
  replacements,
  selectionWhileStreaming,

  /** Shows a message in the page, streamed in the given chunks, with everything switched on. */
  show(chunks: readonly string[], hasEnded: boolean): void {
    highlighter ??= new CodeHighlighter({ workerUrl: () => "/worker.js", failed: (reason) => failures.push(reason) });
    const settled = highlighter;
    const view = new MarkdownView({
      openPath: (path) => opened.push(path),
      codeSettled: (block) => settled.watch(block),
    });
    main().replaceChildren(view.element);
    for (const chunk of chunks) {
      view.append(chunk);
      view.flush();
    }
    if (hasEnded) view.finish();
    drawAll(view);
  },

  /** Shows a stored message as the page does, the first slice at once and the rest by itself; done when all is drawn. */
  async showStored(text: string): Promise<void> {
    const view = new MarkdownView();
    main().replaceChildren(view.element);
    view.append(text);
    view.finish();
    view.flush();
    while (view.isDrawing) await new Promise(requestAnimationFrame);
  },

  /** Returns the texts whose streamed DOM differs from the DOM of the whole. */
  findDifferences(
    texts: readonly (readonly string[])[],
  ): { chunks: readonly string[]; streamed: string; whole: string }[] {
    return texts.flatMap((chunks) => {
      const streamed = render(chunks);
      const whole = render([chunks.join("")]);
      return streamed.isEqualNode(whole) ? [] : [{ chunks, streamed: streamed.innerHTML, whole: whole.innerHTML }];
    });
  },
};

function render(chunks: readonly string[]): HTMLElement {
  const view = new MarkdownView();
  for (const chunk of chunks) {
    view.append(chunk);
    if (chunks.length > 1) view.flush();
  }
  view.finish();
  drawAll(view);
  return view.element;
}

document.addEventListener("securitypolicyviolation", (event) => {
  violations.push(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`);
});
window.testPage = testPage;
