import type { HighlightReply, HighlightRequest } from "./highlight-message.ts";
import { tokenizeCode } from "./tokenize-code.ts";

/** Runs as a worker: colours code off the main thread, one reply per request. */
addEventListener("message", (event: MessageEvent<HighlightRequest>) => {
  const { id, code, language } = event.data;
  postMessage({ id, tokens: tokenizeCode(code, language) } satisfies HighlightReply);
});
