import { type Entry, isTextEntry, type NoticeEntry, type ToolCallEntry, type UserEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId, TurnId } from "../../protocol/ids.ts";
import type { QueueItem, TurnError } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import { turnEndWords } from "../../protocol/turn-end-words.ts";
import { settleCompactions } from "./observe-notice.ts";
import { hasParts } from "./observe-text.ts";
import { cancelAllRequests } from "./open-requests.ts";
import type { Outcome, SessionContext } from "./session-context.ts";
import { isStopping, turnFacts } from "./turn-machine.ts";

/** Adds the user's message as an entry, starts a turn and prompts the agent. */
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
      ...turnFacts(context, { type: "start", turnId, startedAt: context.now }),
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
    facts: turnFacts(context, { type: "start", turnId, startedAt: context.now }),
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

/** Ends a turn: settles running tool calls, cancels open requests, closes open text, then the turn is idle. */
export function endTurn(context: SessionContext, stopReason: StopReason, failure?: TurnError): Outcome {
  const { state } = context;
  // A turn that a budget stopped has its reason already.
  const isLimit = stopReason === "cancelled" && state.turn.error?.code === "LIMIT_EXCEEDED";
  const error = failure ?? (isLimit ? state.turn.error : undefined);
  const notice = turnEndNotice(context, stopReason, error);
  const cancelled = cancelAllRequests(context);
  return {
    facts: [
      ...settleTools(state, stopReason, context.now),
      ...settleCompactions(context),
      ...cancelled.facts,
      ...closeText(state, stopReason),
      ...(notice ? [{ type: "session:update" as const, entry: notice }] : []),
      ...turnFacts(context, { type: "end", stopReason, ...(error && { error }) }),
    ],
    effects: cancelled.effects,
  };
}

/** Tool calls that still run when their turn is over, or when the user stops it, get the status that is true for them. */
export function settleTools(state: SessionState, stopReason: StopReason, now: string): FactBody[] {
  return state.open
    .filter((entry): entry is ToolCallEntry => entry.type === "tool-call" && entry.status === "running")
    .map((entry) => ({ type: "session:update", entry: { ...entry, ...unfinished(stopReason), endedAt: now } }));
}

function unfinished(stopReason: StopReason): Pick<ToolCallEntry, "status" | "error" | "unfinished"> {
  switch (stopReason) {
    case "interrupted":
      return { status: "error", error: "The agent stopped before this finished." };
    case "error":
      return { status: "error", error: "The turn failed before this finished." };
    case "cancelled":
      return { status: "cancelled" };
    default:
      return { status: "cancelled", unfinished: true };
  }
}

function closeText(state: SessionState, stopReason: StopReason): FactBody[] {
  const type = stopReason === "cancelled" ? "session:cancelled" : "session:complete";
  const isOfTurn = (entry: Entry) => entry.turnId === state.turn.turnId;
  const last = state.open.at(-1);
  if (isTextEntry(last)) return hasParts(last) ? [] : [{ type, entryId: last.entryId }];
  if (state.open.some((entry) => isTextEntry(entry) && isOfTurn(entry))) return [];
  // Not just any: agents also say things in the user's name.
  const user = state.open.find((entry: Entry) => entry.type === "user" && isOfTurn(entry));
  return user ? [{ type, entryId: user.entryId }] : [];
}

/** Fewer characters could be in any error by chance. */
const SAID_CHARS_MIN = 20;

/** How a turn ended, for the record; null when the answer speaks for itself. */
function turnEndNotice(context: SessionContext, stopReason: StopReason, error?: TurnError): NoticeEntry | null {
  const words = turnEndWords(stopReason, error);
  if (!words) return null;
  const { turnId } = context.state.turn;
  const content = shorterWords(context, stopReason, error) ?? words.content;
  return {
    type: "notice",
    entryId: EntryId.parse(context.newId()),
    ...(turnId && { turnId }),
    severity: words.severity,
    content,
    timestamp: context.now,
    turnEnd: stopReason,
  };
}

/** What only the circumstances tell: who stopped the turn, and whether the agent has said its error already. */
function shorterWords(context: SessionContext, stopReason: StopReason, error: TurnError | undefined): string | null {
  if (stopReason === "cancelled" && !isStopping(context))
    return "The agent stopped here. Everything received so far was kept.";
  const last = context.state.open.at(-1);
  const said = last?.type === "assistant" ? last.content.trim() : "";
  const isSaid = said.length >= SAID_CHARS_MIN && (error?.message.includes(said) ?? false);
  return stopReason === "error" && isSaid ? "The turn failed with this error." : null;
}
