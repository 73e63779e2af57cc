import type { OwnConversation, SessionWriters } from "../../ports/session-writers.ts";
import type { OtherWriter } from "../../protocol/conversations.ts";

/** The agent reports that a turn runs there. One that waits for an answer has not ended either. */
export function isInTurn(writer: OtherWriter | undefined): boolean {
  return writer?.doing === "working" || writer?.doing === "asking";
}

/**
 * Messages read since that time, in milliseconds since 1970, may end in the middle of a turn, whose rest would be lost.
 */
export function mayBeUnfinished(writers: SessionWriters, conversation: OwnConversation, readAt: number): boolean {
  return isInTurn(writers.writerOf(conversation, null)) || writers.saidAfter(conversation, readAt) === true;
}
