import type { CodeToken } from "../../presentation/tokenize-code.ts";
import { type HighlightReply, type HighlightRequest, openWorker, type WorkerLine } from "./create-worker.ts";

/** Longer code stays plain: highlighting it would add too many elements. */
const HIGHLIGHT_CHARS_MAX = 50_000;
/** Blocks this near to the screen are highlighted before they scroll in. */
const LOOKAHEAD = "400px 0px";
/** A worker that takes longer for one block is stuck: that block stays plain, and the next one gets another worker. */
const REPLY_MS_MAX = 10_000;

interface CodeHighlighterOptions {
  /** The address of the worker's bundle; read when the first block comes into view. */
  readonly workerUrl: () => string;
  /** Called if the worker cannot run. Code stays plain then; nothing else is affected. */
  readonly failed: (reason: string) => void;
}

/** Highlights finished code blocks once they are near the screen. One instance serves the whole page. */
export class CodeHighlighter implements Disposable {
  readonly #options: CodeHighlighterOptions;
  readonly #waiting = new Map<number, { readonly block: HTMLElement; readonly late: ReturnType<typeof setTimeout> }>();
  readonly #selected = new Map<HTMLElement, readonly CodeToken[]>();
  readonly #observer = new IntersectionObserver((entries) => this.#intersect(entries), { rootMargin: LOOKAHEAD });
  #worker: WorkerLine | null = null;
  #attempt = 0;
  #hasFailed = false;
  #lastId = 0;

  constructor(options: CodeHighlighterOptions) {
    this.#options = options;
    document.addEventListener("selectionchange", this.#retrySelected);
  }

  /** Registers a code block whose text will not change any more. */
  watch(block: HTMLElement): void {
    if (block.dataset["language"] !== undefined && !this.#hasFailed) this.#observer.observe(block);
  }

  [Symbol.dispose](): void {
    this.#observer.disconnect();
    this.#worker?.close();
    this.#forgetWaiting();
    this.#selected.clear();
    document.removeEventListener("selectionchange", this.#retrySelected);
  }

  #intersect(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      this.#observer.unobserve(target);
      this.#request(target);
    }
  }

  #request(block: HTMLElement): void {
    const code = codeIn(block)?.textContent ?? "";
    const language = block.dataset["language"];
    if (this.#hasFailed || language === undefined || code === "" || code.length > HIGHLIGHT_CHARS_MAX) return;
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, { block, late: setTimeout(() => this.#replaceWorker(), REPLY_MS_MAX) });
    try {
      this.#worker ??= this.#startWorker();
      this.#worker.postMessage({ id: this.#lastId, code, language } satisfies HighlightRequest);
    } catch (error) {
      this.#fail(String(error));
    }
  }

  #fail(reason: string): void {
    this.#hasFailed = true;
    this.#observer.disconnect();
    this.#forgetWaiting();
    this.#options.failed(reason);
  }

  #startWorker(): WorkerLine {
    return openWorker<HighlightReply>(this.#options.workerUrl(), this.#attempt, {
      replied: ({ id, tokens }) => {
        const waiting = this.#waiting.get(id);
        if (waiting === undefined) return;
        clearTimeout(waiting.late);
        this.#waiting.delete(id);
        this.#show(waiting.block, tokens);
      },
      failed: (reason) => this.#fail(reason),
    });
  }

  #replaceWorker(): void {
    this.#worker?.close();
    this.#worker = null;
    this.#attempt += 1;
    this.#forgetWaiting();
  }

  #forgetWaiting(): void {
    for (const { late } of this.#waiting.values()) clearTimeout(late);
    this.#waiting.clear();
  }

  /** A selection that touches the code would lose its ends, so highlighting waits until it is gone. */
  #show(block: HTMLElement, tokens: readonly CodeToken[]): void {
    const code = codeIn(block);
    if (code === null || !block.isConnected) return;
    if (isSelected(code)) {
      this.#selected.set(block, tokens);
      return;
    }
    this.#selected.delete(block);
    code.replaceChildren(...tokens.map(createRun));
    block.dataset["highlighted"] = "";
  }

  readonly #retrySelected = (): void => {
    for (const [block, tokens] of this.#selected) this.#show(block, tokens);
  };
}

function codeIn(block: HTMLElement): HTMLElement | null {
  return block.querySelector<HTMLElement>(":scope > .code > code");
}

function isSelected(code: HTMLElement): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(code, true);
}

function createRun(token: CodeToken): Node {
  if (token.className === "") return document.createTextNode(token.text);
  const run = document.createElement("span");
  run.className = token.className;
  run.append(token.text);
  return run;
}
