import { isDeepStrictEqual } from "node:util";
import type { BlockNode } from "../../src/ui/markdown/markdown-node.ts";
import { MarkdownStream, type StreamUpdate } from "../../src/ui/markdown/markdown-stream.ts";

/** Plays the part of the page: keeps the blocks as a reader of the updates would. */
export class StreamReader {
  readonly stream = new MarkdownStream();
  readonly settled: BlockNode[] = [];
  open: readonly BlockNode[] = [];

  feed(text: string): StreamUpdate {
    this.stream.append(text);
    return this.#take(this.stream.update(false));
  }

  end(): StreamUpdate {
    return this.#take(this.stream.update(true));
  }

  #take(update: StreamUpdate): StreamUpdate {
    this.settled.push(...update.settled);
    for (const { index, before, after } of update.rewritten) {
      if (!isDeepStrictEqual(this.settled[index], before)) throw new Error(`block ${index} is not what was rewritten`);
      this.settled[index] = after;
    }
    this.open = update.open;
    return update;
  }
}

/** The blocks after a whole message has streamed in. */
export function streamBlocks(chunks: readonly string[]): readonly BlockNode[] {
  const reader = new StreamReader();
  for (const chunk of chunks) reader.feed(chunk);
  reader.end();
  if (reader.open.length > 0) throw new Error("blocks stay open after the end");
  return reader.settled;
}
