import { fileLanguageId } from "../../presentation/code-languages.ts";
import type { CodeToken } from "../../presentation/tokenize-code.ts";
import { type LinesReply, type LinesRequest, openWorker, type WorkerLine } from "../../ui/highlight/create-worker.ts";
import type { OpenFile } from "./files-store.ts";

/** Colouring a longer file would block the worker for other requests. */
const CHARS_MAX = 400_000;
/** Lines per request. */
const BLOCK_LINES = 200;

/** Colours of the lines of one file, as far as they were viewed. The worker parses the whole file once. */
export class LineColours {
  readonly #file: OpenFile;
  readonly #language: string;
  readonly #code: string;
  readonly #onChange: () => void;
  readonly #blocks = new Map<number, readonly (readonly CodeToken[])[] | "asked">();
  readonly #asked = new Map<number, number>();
  readonly #worker: WorkerLine;
  #lastId = 0;

  /** Null for what has no grammar, is too long, or has lines that are cut into rows. */
  static of(file: OpenFile, onChange: () => void): LineColours | null {
    const language = fileLanguageId(file.path);
    const isFit = file.state === "whole" && file.failure === null && file.source.isUncut && file.rowCount > 0;
    if (language === null || !isFit || file.totalBytes > CHARS_MAX) return null;
    return new LineColours(file, language, onChange);
  }

  private constructor(file: OpenFile, language: string, onChange: () => void) {
    this.#file = file;
    this.#language = language;
    this.#code = file.source.text();
    this.#onChange = onChange;
    this.#worker = openWorker<LinesReply>(document.body.dataset["highlightWorker"] ?? "", 0, {
      replied: (reply) => this.#take(reply),
      failed: (reason) => console.warn(`the file is not highlighted: ${reason}`),
    });
  }

  /** Requests the rows that have no colours yet. */
  want(from: number, to: number): void {
    const first = Math.floor(from / BLOCK_LINES);
    for (let block = first; block * BLOCK_LINES < to; block += 1) if (!this.#blocks.has(block)) this.#ask(block);
  }

  /** Null while they are not known. */
  tokensOf(row: number): readonly CodeToken[] | null {
    const block = this.#blocks.get(Math.floor(row / BLOCK_LINES));
    return block === undefined || block === "asked" ? null : (block[row % BLOCK_LINES] ?? null);
  }

  close(): void {
    this.#worker.close();
  }

  #ask(block: number, withCode = this.#lastId === 0): void {
    this.#lastId += 1;
    this.#asked.set(this.#lastId, block);
    this.#blocks.set(block, "asked");
    this.#worker.postMessage({
      kind: "lines",
      id: this.#lastId,
      file: this.#file.key,
      language: this.#language,
      from: block * BLOCK_LINES,
      to: (block + 1) * BLOCK_LINES,
      ...(withCode && { code: this.#code }),
    } satisfies LinesRequest);
  }

  #take({ id, lines }: LinesReply): void {
    const block = this.#asked.get(id);
    this.#asked.delete(id);
    if (block === undefined) return;
    if (lines === null) this.#ask(block, true);
    else {
      this.#blocks.set(block, lines);
      this.#onChange();
    }
  }
}
