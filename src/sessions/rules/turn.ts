import {
  type Entry,
  isTextEntry,
  type NoticeEntry,
  type Part,
  type ToolCallEntry,
  type UserEntry,
} from "../../protocol/entry.ts";
import { findToolCall } from "../../protocol/entry-index.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId, TurnId } from "../../protocol/ids.ts";
import type { QueueItem, TurnError } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import { turnEndWords } from "../../protocol/turn-end-words.ts";
import { backHere } from "./elsewhere.ts";
import { settleNotes } from "./observe-changes.ts";
import { settleCompactions } from "./observe-notice.ts";
import { hasParts } from "./observe-text.ts";
import { cancelAllRequests } from "./open-requests.ts";
import type { Outcome, SessionContext } from "./session-context.ts";
import { isStopping, turnFacts } from "./turn-machine.ts";

/** Adds the user's message as an entry, starts a turn and prompts the agent. */
export function startTurn(context: SessionContext, item: QueueItem): Outcome {
  const turnId = TurnId.parse(context.newId());
  const { content, author, person, attachments = [], commandId } = item;
  const title = context.state.titleSource === "none" ? deriveTitle(content) : null;
  const entryId = EntryId.parse(context.newId());
  const told = primerTold(context, content);
  return {
    facts: [
      ...(title === null ? [] : [{ type: "session:title-updated" as const, title, source: "derived" as const }]),
      {
        type: "session:update",
        entry: {
          type: "user",
          entryId,
          turnId,
          content,
          ...(author && { author }),
          ...(person && { person }),
          ...(attachments.length > 0 && { attachments }),
          timestamp: context.now,
          commandId,
          ...(told.context && { context: told.context }),
        },
      },
      ...turnFacts(context, { type: "start", turnId, startedAt: context.now }),
      ...withoutPause(context.state),
      ...notesTold(context),
      ...backHere(context.state),
      ...told.facts,
    ],
    effects: [
      { type: "prompt", turnId, entryId, content, attachments: withNotes(context.state.agentNotes, attachments) },
    ],
  };
}

/** A turn for a message that already has an entry. */
export function restartTurn(
  context: SessionContext,
  { entryId, content, attachments = [] }: UserEntry,
  isAfresh: boolean,
): Outcome {
  const turnId = TurnId.parse(context.newId());
  return {
    facts: [
      ...turnFacts(context, { type: "start", turnId, startedAt: context.now }),
      ...withoutPause(context.state),
      ...notesTold(context),
      ...backHere(context.state),
    ],
    effects: [
      {
        type: "prompt",
        turnId,
        entryId,
        content,
        attachments: withNotes(context.state.agentNotes, attachments),
        ...(isAfresh && { afresh: true }),
      },
    ],
  };
}

/** A turn takes the place of the pause before it. No fact if there is none. */
export function withoutPause({ pause }: SessionState): FactBody[] {
  return pause === null ? [] : [{ type: "session:pause", pause: null }];
}

/** Notes follow the message: agents name a conversation by its beginning. */
export function withNotes(notes: readonly string[], attachments: readonly Part[]): readonly Part[] {
  return [...attachments, ...notes.map((text): Part => ({ type: "text", text }))];
}

function notesTold({ state: { agentNotes } }: SessionContext): FactBody[] {
  return agentNotes.length === 0 ? [] : [{ type: "session:agent-notes", notes: [], told: [...agentNotes] }];
}

/** Its agent was attached and has received it. */
export function primerUsed({ state: { primer } }: Pick<SessionContext, "state">): FactBody[] {
  return primer !== null && primer.context === null ? [{ type: "session:primer", primer: null }] : [];
}

/** An agent reads it as a command only if nothing else comes with it. */
const SLASH_COMMAND = /^\/[\w:.-]+(?=\s|$)/;

/** What the agent gets with its first message; a command goes first, without it. */
function primerTold({ state: { primer } }: SessionContext, content: string) {
  if (primer === null) return { context: null, facts: [] };
  if (primer.context !== null && SLASH_COMMAND.test(content)) return { context: null, facts: [] };
  // The options go with the agent, which may not be there yet.
  const facts: FactBody[] = [{ type: "session:primer", primer: { ...primer, context: null } }];
  return { context: primer.context, facts };
}

const TITLE_CHARS_MAX = 50;
const CUT_AFTER_CHARS = 20;

/** A session's title from its first message; null without text. */
export function deriveTitle(content: string): string | null {
  const text = content.replace(/\s+/g, " ").trim();
  if (text === "") return null;
  if (text.length <= TITLE_CHARS_MAX) return text;
  const head = text.slice(0, TITLE_CHARS_MAX);
  const lastSpace = head.lastIndexOf(" ");
  const cut = lastSpace > CUT_AFTER_CHARS ? head.slice(0, lastSpace) : withoutHalfPair(head);
  return `${cut}…`;
}

/** A cut inside a surrogate pair would leave an invalid character. */
function withoutHalfPair(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

/** Ends a turn: settles running tool calls, cancels open requests, closes open text, then the turn is idle. */
export function endTurn(context: SessionContext, stopReason: StopReason, failure?: TurnError): Outcome {
  const { state } = context;
  // A turn that a budget stopped already has its reason.
  const isLimit = stopReason === "cancelled" && state.turn.error?.code === "LIMIT_EXCEEDED";
  const error = failure ?? (isLimit ? state.turn.error : undefined);
  const notice = turnEndNotice(context, stopReason, error);
  // A sub-agent works on, and so do its requests.
  const outlivesTurn = stopReason !== "interrupted" && stopReason !== "cancelled";
  const cancelled = cancelAllRequests(context, ({ subAgent }) => !outlivesTurn || subAgent === undefined);
  return {
    facts: [
      ...settleTools(state, stopReason, context.now),
      ...settleCompactions(context),
      ...cancelled.facts,
      ...closeText(state, stopReason),
      ...(notice ? [{ type: "session:update" as const, entry: notice }] : []),
      ...settleNotes(context, stopReason),
      ...turnFacts(context, { type: "end", stopReason, ...(error && { error }) }),
      ...primerUsed(context),
    ],
    effects: cancelled.effects,
  };
}

/**
 * Tool calls that still run when their turn ends, or when the user stops it, get their final status. A sub-agent works
 * on until its agent reports its end, or has ended itself.
 */
export function settleTools(state: SessionState, stopReason: StopReason, now: string): FactBody[] {
  const endsWithTurn = (entry: ToolCallEntry) => stopReason === "interrupted" || !isOfSubAgent(state, entry);
  return state.open
    .filter((entry): entry is ToolCallEntry => entry.type === "tool-call" && entry.status === "running")
    .filter(endsWithTurn)
    .map((entry) => ({ type: "session:update", entry: { ...entry, ...unfinished(stopReason), endedAt: now } }));
}

/** The call that stands for a sub-agent at work, and the calls it makes. */
function isOfSubAgent(state: SessionState, entry: ToolCallEntry): boolean {
  if (entry.subAgent) return true;
  const parent = entry.parentToolCallId === undefined ? undefined : findToolCall(state.open, entry.parentToolCallId);
  return parent?.subAgent !== undefined && parent.status === "running";
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
  const growing = growingTexts(state);
  if (growing.length > 0) return growing.map(({ entryId }) => ({ type, entryId }));
  if (isTextEntry(last)) return [];
  if (state.open.some((entry) => isTextEntry(entry) && isOfTurn(entry))) return [];
  // Only the user's own: agents also send messages in the user's name.
  const user = state.open.find((entry: Entry) => entry.type === "user" && isOfTurn(entry));
  return user ? [{ type, entryId: user.entryId }] : [];
}

/** The last entry of each sender, where that is a text: of the agent, and of each of its sub-agents. */
function growingTexts({ open, turn }: SessionState): Entry[] {
  const last = new Map(open.map((entry) => [entry.parentToolCallId, entry]));
  return [...last.values()].filter(
    (entry) => isTextEntry(entry) && !hasParts(entry) && (entry.turnId === turn.turnId || entry === open.at(-1)),
  );
}

/** Fewer characters could be in any error by chance. */
const SAID_CHARS_MIN = 20;

/** The notice about the end of a turn; null if the answer is enough. */
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

/** Depends on the circumstances: who stopped the turn, and whether the agent has already sent its error. */
function shorterWords(context: SessionContext, stopReason: StopReason, error: TurnError | undefined): string | null {
  if (stopReason === "cancelled" && !isStopping(context))
    return "The agent stopped here. Everything received so far was kept.";
  const last = context.state.open.at(-1);
  const said = last?.type === "assistant" ? last.content.trim() : "";
  if (error?.limit && said !== "" && said.includes(error.limit.text)) return "The turn stopped at this limit.";
  const isRepeated = said.length >= SAID_CHARS_MIN && (error?.message.includes(said) ?? false);
  return stopReason === "error" && isRepeated ? "The turn failed with this error." : null;
}
