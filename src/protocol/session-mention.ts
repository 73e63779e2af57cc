import type { Entry, Part } from "./entry.ts";
import { SessionId } from "./ids.ts";

const MENTION_PREFIX = "liminal://session/";
/** Enough of a title to tell sessions apart in a message. */
const MENTION_TITLE_CHARS_MAX = 60;

/** A session that the user names in a message: a link beside the text. */
export function sessionMention(sessionId: SessionId, title: string): Extract<Part, { type: "link" }> {
  const name = title.replace(/\s+/g, " ").trim().slice(0, MENTION_TITLE_CHARS_MAX).trim() || sessionId;
  return { type: "link", uri: MENTION_PREFIX + encodeURIComponent(sessionId), name };
}

/** The session that a link names; null for any other link. */
export function mentionedSession(uri: string): SessionId | null {
  if (!uri.startsWith(MENTION_PREFIX)) return null;
  try {
    const parsed = SessionId.safeParse(decodeURIComponent(uri.slice(MENTION_PREFIX.length)));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not a valid escape: nothing that we wrote.
    return null;
  }
}

/**
 * Whether the user has mentioned the session in these entries. Only messages that the user sent here count: not those
 * of other agents or programs, and not what an agent replays as the user's messages.
 */
export function isSessionMentioned(entries: Iterable<Entry>, sessionId: SessionId): boolean {
  for (const entry of entries) {
    if (entry.type !== "user" || entry.author !== undefined || entry.commandId === undefined) continue;
    if (entry.parentToolCallId !== undefined) continue;
    const links = entry.attachments?.filter((part) => part.type === "link") ?? [];
    if (links.some(({ uri }) => mentionedSession(uri) === sessionId)) return true;
  }
  return false;
}
