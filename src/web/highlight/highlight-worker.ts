import { diffLines, EDITS_MAX_IN_WORKER } from "../diff/line-diff.ts";
import type { DiffReply, DiffRequest, HighlightReply, HighlightRequest } from "./highlight-message.ts";
import { tokenizeCode } from "./tokenize-code.ts";

/** Runs as a worker: colours code and compares long texts off the main thread, one reply per request. */
addEventListener("message", ({ data }: MessageEvent<HighlightRequest | DiffRequest>) => {
  if ("kind" in data) {
    const diff = diffLines(data.oldText, data.newText, data.firstLine, EDITS_MAX_IN_WORKER);
    postMessage({ id: data.id, diff } satisfies DiffReply);
  } else {
    const tokens = tokenizeCode(data.code, data.language);
    postMessage({ id: data.id, tokens } satisfies HighlightReply);
  }
});
