import { diffLines, type LineDiff } from "../../presentation/line-diff.ts";
import {
  type DiffReply,
  type DiffRequest,
  type HighlightReply,
  type HighlightRequest,
  openWorker,
  type WorkerLine,
} from "../highlight/create-worker.ts";

/** Texts up to this length are compared in well under a frame; longer ones in the worker. */
const AT_ONCE_CHARS_MAX = 8_000;

export interface ComparedTexts {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
  readonly firstLine?: number | undefined;
}

/** Compares two texts; short ones synchronously. */
export function compareTexts(texts: ComparedTexts, show: (diff: LineDiff) => void): void {
  const { oldText, newText, firstLine } = texts;
  const here = () => show(diffLines(oldText, newText, firstLine));
  if ((oldText?.length ?? 0) + newText.length <= AT_ONCE_CHARS_MAX) {
    here();
    return;
  }
  askWorker(
    (id) => ({ kind: "diff", id, oldText, newText, firstLine }),
    // Without a worker it takes longer, but works.
    (reply) => (reply && "diff" in reply ? show(reply.diff) : here()),
  );
}

type Request = DiffRequest | HighlightRequest;
type Reply = DiffReply | HighlightReply;

let worker: WorkerLine | null = null;
let lastId = 0;
const waiting = new Map<number, (reply: Reply | null) => void>();

/** Sends a request to the worker; null if it cannot run. */
export function askWorker(request: (id: number) => Request, answer: (reply: Reply | null) => void): void {
  const url = document.body.dataset["highlightWorker"];
  // Only sessions have a worker; elsewhere changes are small and stay plain.
  if (url === undefined) {
    answer(null);
    return;
  }
  lastId += 1;
  waiting.set(lastId, answer);
  try {
    worker ??= startWorker(url);
    worker.postMessage(request(lastId));
  } catch (error) {
    console.warn(`the diff worker is not running: ${String(error)}`);
    giveUp();
  }
}

function startWorker(url: string): WorkerLine {
  return openWorker<Reply>(url, 0, {
    replied: (reply) => {
      const answer = waiting.get(reply.id);
      waiting.delete(reply.id);
      answer?.(reply);
    },
    failed: giveUp,
  });
}

function giveUp(): void {
  const all = [...waiting.values()];
  waiting.clear();
  worker = null;
  for (const answer of all) answer(null);
}
