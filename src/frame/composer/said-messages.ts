import type { Entry } from "../../protocol/entry.ts";
import type { ComposerEvent } from "./composer-state.ts";

/** Looking further back than this would cost with the length of the session, and nobody presses a key that often. */
export const SEARCHED_ENTRIES = 2_000;

/** The step that shows the user's own message so many back, none for 0; null when there is no such message. */
export function recallMessage(entries: readonly Entry[], back: number): ComposerEvent | null {
  if (back < 1) return { type: "recalled", text: "", back: null };
  const text = saidBack(entries, back);
  return text === null ? null : { type: "recalled", text, back };
}

/** The step that takes a message into the composer again, to go as a new one. */
export function takeMessage(entries: readonly Entry[], entryId: string): ComposerEvent | null {
  const said = entries.findLast((entry) => entry.entryId === entryId);
  if (said?.type !== "user") return null;
  return { type: "message-taken", content: said.content, attachments: said.attachments };
}

/** 1 is the last; the same words twice in a row count once. */
function saidBack(entries: readonly Entry[], back: number): string | null {
  let left = back;
  let last: string | null = null;
  for (const entry of entries.slice(-SEARCHED_ENTRIES).reverse()) {
    if (entry.type !== "user" || entry.content === "" || entry.content === last) continue;
    last = entry.content;
    left -= 1;
    if (left === 0) return last;
  }
  return null;
}
