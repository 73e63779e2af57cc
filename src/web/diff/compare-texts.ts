import { createWorker } from "../highlight/create-worker.ts";
import type { DiffReply, DiffRequest } from "../highlight/highlight-message.ts";
import { diffLines, type LineDiff } from "./line-diff.ts";

/** Texts up to this are compared in well under a frame; longer ones in the worker. */
const AT_ONCE_CHARS_MAX = 8_000;

export interface ComparedTexts {
  readonly oldText: string | null;
  readonly newText: string;
  readonly firstLine?: number | undefined;
}

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, (diff: LineDiff | null) => void>();

/** Compares; calls back at once for what is short. */
export function compareTexts(texts: ComparedTexts, show: (diff: LineDiff) => void): void {
  const { oldText, newText, firstLine } = texts;
  const here = () => show(diffLines(oldText, newText, firstLine));
  if ((oldText?.length ?? 0) + newText.length <= AT_ONCE_CHARS_MAX) {
    here();
    return;
  }
  lastId += 1;
  // Without a worker it takes longer, but it is there.
  waiting.set(lastId, (diff) => (diff ? show(diff) : here()));
  try {
    worker ??= startWorker();
    worker.postMessage({ kind: "diff", id: lastId, oldText, newText, firstLine: firstLine ?? 1 } satisfies DiffRequest);
  } catch (error) {
    console.warn(`the diff is made in the page: ${String(error)}`);
    giveUp();
  }
}

function startWorker(): Worker {
  const started = createWorker(document.body.dataset["highlightWorker"] ?? "");
  started.addEventListener("message", ({ data }: MessageEvent<DiffReply>) => {
    const show = waiting.get(data.id);
    waiting.delete(data.id);
    show?.(data.diff);
  });
  started.addEventListener("error", giveUp);
  return started;
}

function giveUp(): void {
  const all = [...waiting.values()];
  waiting.clear();
  worker = null;
  for (const show of all) show(null);
}
