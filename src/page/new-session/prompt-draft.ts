import { z } from "zod/mini";
import { PROMPT_CHARS_MAX } from "../../protocol/limits.ts";
import { readKept, writeKept } from "../../ui/kept-json.ts";

const DRAFT_KEY = "liminal:new-session-draft";
const Draft = z.string().check(z.maxLength(PROMPT_CHARS_MAX));

/** What was typed for a new session, or for several at once, and not sent. */
export function promptDraft(): string {
  return readKept(DRAFT_KEY, Draft, "");
}

export function keepPromptDraft(text: string): void {
  writeKept(DRAFT_KEY, text);
}
