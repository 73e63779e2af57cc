import { tokenLines } from "../../presentation/coloured-lines.ts";
import { diffLines, EDITS_MAX_IN_WORKER } from "../../presentation/line-diff.ts";
import { type CodeToken, tokenizeCode } from "../../presentation/tokenize-code.ts";
import type {
  DiffReply,
  DiffRequest,
  HighlightReply,
  HighlightRequest,
  LinesReply,
  LinesRequest,
} from "./create-worker.ts";

type Request = HighlightRequest | DiffRequest | LinesRequest;

const FILES_KEPT_MAX = 4;
/** Coloured files, the last used one last. */
const files = new Map<string, readonly (readonly CodeToken[])[]>();

/**
 * Runs as a worker, of one page or shared: highlights code and compares long texts off the main thread, one reply per
 * request.
 */
addEventListener("message", ({ data }: MessageEvent<Request>) => postMessage(replyTo(data)));
addEventListener("connect", (event) => {
  const port = event instanceof MessageEvent ? event.ports[0] : undefined;
  port?.addEventListener("message", ({ data }: MessageEvent<Request>) => port.postMessage(replyTo(data)));
  port?.start();
});

function replyTo(request: Request): DiffReply | HighlightReply | LinesReply {
  if ("kind" in request) {
    if (request.kind === "lines") return { id: request.id, lines: linesOf(request) };
    const { oldText, newText, firstLine } = request;
    return { id: request.id, diff: diffLines(oldText, newText, firstLine, EDITS_MAX_IN_WORKER) };
  }
  return { id: request.id, tokens: tokenizeCode(request.code, request.language) };
}

function linesOf({ file, code, language, from, to }: LinesRequest): LinesReply["lines"] {
  const lines = code === undefined ? files.get(file) : tokenLines(tokenizeCode(code, language));
  if (lines === undefined) return null;
  files.delete(file);
  files.set(file, lines);
  const [oldest] = files.keys();
  if (files.size > FILES_KEPT_MAX && oldest !== undefined) files.delete(oldest);
  return lines.slice(from, to);
}
