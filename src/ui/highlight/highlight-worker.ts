import { diffLines, EDITS_MAX_IN_WORKER } from "../../presentation/line-diff.ts";
import { tokenizeCode } from "../../presentation/tokenize-code.ts";
import type { DiffReply, DiffRequest, HighlightReply, HighlightRequest } from "./create-worker.ts";

type Request = HighlightRequest | DiffRequest;

/** Runs as a worker, of one page or shared by many: colours code and compares long texts off the main thread, one reply per request. */
addEventListener("message", ({ data }: MessageEvent<Request>) => postMessage(replyTo(data)));
addEventListener("connect", (event) => {
  const port = event instanceof MessageEvent ? event.ports[0] : undefined;
  port?.addEventListener("message", ({ data }: MessageEvent<Request>) => port.postMessage(replyTo(data)));
  port?.start();
});

function replyTo(request: Request): DiffReply | HighlightReply {
  if ("kind" in request) {
    const { oldText, newText, firstLine } = request;
    return { id: request.id, diff: diffLines(oldText, newText, firstLine, EDITS_MAX_IN_WORKER) };
  }
  return { id: request.id, tokens: tokenizeCode(request.code, request.language) };
}
