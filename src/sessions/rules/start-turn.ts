import type { UserEntry } from "../../protocol/entry.ts";
import { EntryId, TurnId } from "../../protocol/ids.ts";
import type { QueueItem } from "../../protocol/session-parts.ts";
import type { Outcome, SessionContext } from "./session-context.ts";

/** The user's message becomes an entry, the turn begins, and the agent is to hear it. */
export function startTurn(context: SessionContext, item: QueueItem): Outcome {
  const turnId = TurnId.parse(context.newId());
  const { content, author, attachments = [], commandId } = item;
  const title = context.state.titleSource === "none" ? deriveTitle(content) : null;
  return {
    facts: [
      ...(title === null ? [] : [{ type: "session:title-updated" as const, title, source: "derived" as const }]),
      {
        type: "session:update",
        entry: {
          type: "user",
          entryId: EntryId.parse(context.newId()),
          turnId,
          content,
          ...(author && { author }),
          ...(attachments.length > 0 && { attachments }),
          timestamp: context.now,
          commandId,
        },
      },
      { type: "session:turn", turn: { state: "running", turnId, startedAt: context.now } },
    ],
    effects: [{ type: "prompt", turnId, content, attachments }],
  };
}

/** A turn for a message that has its entry already. */
export function restartTurn(
  context: SessionContext,
  { content, attachments = [] }: UserEntry,
  isAfresh: boolean,
): Outcome {
  const turnId = TurnId.parse(context.newId());
  return {
    facts: [{ type: "session:turn", turn: { state: "running", turnId, startedAt: context.now } }],
    effects: [{ type: "prompt", turnId, content, attachments, ...(isAfresh && { afresh: true }) }],
  };
}

const TITLE_CHARS_MAX = 50;
const CUT_AFTER_CHARS = 20;

/** A session's title from its first message; null when there is no text to take one from. */
export function deriveTitle(content: string): string | null {
  const text = content.replace(/\s+/g, " ").trim();
  if (text === "") return null;
  if (text.length <= TITLE_CHARS_MAX) return text;
  const head = text.slice(0, TITLE_CHARS_MAX);
  const lastSpace = head.lastIndexOf(" ");
  const cut = lastSpace > CUT_AFTER_CHARS ? head.slice(0, lastSpace) : withoutHalfPair(head);
  return `${cut}…`;
}

/** A cut in the middle of a surrogate pair would leave a character that no font can draw. */
function withoutHalfPair(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
