import { MarkdownView } from "../../../src/ui/markdown/markdown-view.ts";
import { drawAll } from "./stream-scenes.ts";

const MIXED =
  "## Heading here\n\nThe function **doubles** from a fixed `base`, so all [hooks](https://example.com/a) that failed come back at once, " +
  "see *later*.\n\n- one item with **bold**\n- second item with `code`\n- third\n\n```ts\nconst a = 1;\nfunction f(x: number) { return x * 2; }\n```\n\n" +
  "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n";
const CODE_LINE = "  const value = compute(input, { attempts: 8, delay: 500 }); // line\n";
const CHUNK_CHARS = 12;

let grown: { readonly view: MarkdownView; readonly source: string } | null = null;

/** Draws a message that is already this long, to which chunks can be added. */
export function drawLong(kind: "mixed" | "code", length: number): void {
  const source = kind === "mixed" ? MIXED : CODE_LINE;
  const view = new MarkdownView();
  document.querySelector("main")?.replaceChildren(view.element);
  view.append(kind === "mixed" ? "" : "```ts\n");
  view.append(source.repeat(Math.ceil(length / source.length)));
  drawAll(view);
  layOut(view);
  grown = { view, source };
}

/** Adds so many chunks, each with all that it causes: parse, DOM, style and layout. */
export function addChunks(count: number): void {
  if (grown === null) throw new Error("there is no message to add to");
  const { view, source } = grown;
  const more = source.repeat(Math.ceil((count * CHUNK_CHARS) / source.length));
  for (let chunk = 0; chunk < count; chunk += 1) {
    view.append(more.slice(chunk * CHUNK_CHARS, (chunk + 1) * CHUNK_CHARS));
    view.flush();
    layOut(view);
  }
}

function layOut(view: MarkdownView): number {
  return view.element.getBoundingClientRect().height;
}
