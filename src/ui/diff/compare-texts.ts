import { diffLines, type LineDiff } from "../../presentation/line-diff.ts";
import { askWorker } from "./ask-worker.ts";

/** Texts up to this are compared in well under a frame; longer ones in the worker. */
const AT_ONCE_CHARS_MAX = 8_000;

export interface ComparedTexts {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
  readonly firstLine?: number | undefined;
}

/** Compares; calls back at once for what is short. */
export function compareTexts(texts: ComparedTexts, show: (diff: LineDiff) => void): void {
  const { oldText, newText, firstLine } = texts;
  const here = () => show(diffLines(oldText, newText, firstLine));
  if ((oldText?.length ?? 0) + newText.length <= AT_ONCE_CHARS_MAX) {
    here();
    return;
  }
  askWorker(
    (id) => ({ kind: "diff", id, oldText, newText, firstLine }),
    // Without a worker it takes longer, but it is there.
    (reply) => (reply && "diff" in reply ? show(reply.diff) : here()),
  );
}
