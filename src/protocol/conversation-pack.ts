import type { SessionId } from "./ids.ts";

/** Marks the beginning and the end of a context pack; in replays these lines separate it from the user's own text. */
export const packUri = (sessionId: SessionId) => `liminal://conversation/${encodeURIComponent(sessionId)}`;
export const packEnd = (uri: string) => `End of ${uri}`;

const URI = "liminal://conversation/[^\\s<>\"'()\\]]+";
/** As a link that stands for the text, as the text itself, bare or in a tag that an agent puts around it. */
const PACK = new RegExp(
  `\\s*(?:\\[[^\\]\\n]*\\]\\(${URI}\\)|(?:<context ref="${URI}">\\s*)?(${URI})\\n[\\s\\S]*?\\nEnd of \\1(?:\\s*</context>)?)\\s*`,
  "g",
);

/** A message without the context pack that was sent with it. */
export function withoutPack(text: string): string {
  return text.includes("liminal://conversation/") ? text.replace(PACK, "") : text;
}

export function isPackUri(uri: string): boolean {
  return uri.startsWith("liminal://conversation/");
}
