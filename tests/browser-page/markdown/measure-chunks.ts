import { MarkdownView } from "../../../src/ui/markdown/markdown-view.ts";
import { drawAll } from "./stream-scenes.ts";

const MIXED =
  "## Heading here\n\nThe function **doubles** from a fixed `base`, so all [hooks](https://example.com/a) that failed come back at once, " +
  "see *later*.\n\n- one item with **bold**\n- second item with `code`\n- third\n\n```ts\nconst a = 1;\nfunction f(x: number) { return x * 2; }\n```\n\n" +
  "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n";
const CODE_LINE = "  const value = compute(input, { attempts: 8, delay: 500 }); // line\n";
const CHUNK_CHARS = 12;
const CHUNKS_PER_BATCH = 40;
const BATCHES = 15;

export interface ChunkCost {
  /** Median over batches, per chunk: parse and DOM. */
  readonly scriptMs: number;
  /** The style and layout that the change caused. */
  readonly layoutMs: number;
}

/** What a chunk costs when the message is already this long. The clock is coarse, so chunks are measured in batches. */
export function measureChunks(kind: "mixed" | "code", length: number): ChunkCost {
  const source = kind === "mixed" ? MIXED : CODE_LINE;
  const view = new MarkdownView();
  document.querySelector("main")?.replaceChildren(view.element);
  view.append(kind === "mixed" ? "" : "```ts\n");
  view.append(source.repeat(Math.ceil(length / source.length)));
  drawAll(view);
  layOut(view);
  const more = source.repeat(Math.ceil((BATCHES * CHUNKS_PER_BATCH * CHUNK_CHARS) / source.length));
  const script: number[] = [];
  const layout: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    let scriptMs = 0;
    let layoutMs = 0;
    for (let index = 0; index < CHUNKS_PER_BATCH; index += 1) {
      const from = (batch * CHUNKS_PER_BATCH + index) * CHUNK_CHARS;
      const start = performance.now();
      view.append(more.slice(from, from + CHUNK_CHARS));
      view.flush();
      const flushed = performance.now();
      layOut(view);
      scriptMs += flushed - start;
      layoutMs += performance.now() - flushed;
    }
    script.push(scriptMs / CHUNKS_PER_BATCH);
    layout.push(layoutMs / CHUNKS_PER_BATCH);
  }
  return { scriptMs: median(script), layoutMs: median(layout) };
}

function layOut(view: MarkdownView): number {
  return view.element.getBoundingClientRect().height;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
