import { type Entry, isTextEntry, type NoticeEntry, type ToolCallEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import { isPermission } from "../../protocol/pending-request.ts";
import type { TurnError } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import { turnEndWords } from "../../protocol/turn-end-words.ts";
import { settleCompactions } from "./observe-notice.ts";
import { stopQuestions } from "./observe-question.ts";
import { hasParts } from "./observe-text.ts";
import type { Outcome, SessionContext } from "./session-context.ts";

/** How a turn ends: nothing is left spinning, nothing is left asking, every text is closed, then the turn is idle. */
export function endTurn(context: SessionContext, stopReason: StopReason, failure?: TurnError): Outcome {
  const { state } = context;
  // A turn that a budget stopped knows the reason already.
  const isLimit = stopReason === "cancelled" && state.turn.error?.code === "LIMIT_EXCEEDED";
  const error = failure ?? (isLimit ? state.turn.error : undefined);
  const { turnId, startedAt } = state.turn;
  const notice = turnEndNotice(context, stopReason, error);
  return {
    facts: [
      ...settleTools(state, stopReason, context.now),
      ...settleCompactions(context),
      ...withdrawPending(context).facts,
      ...closeText(state, stopReason),
      ...(notice ? [{ type: "session:update" as const, entry: notice }] : []),
      {
        type: "session:turn",
        turn: {
          state: "idle",
          ...(turnId && { turnId }),
          ...(startedAt && { startedAt }),
          stopReason,
          ...(error && { error }),
        },
      },
    ],
    effects: withdrawPending(context).effects,
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

/** Open requests are answered `cancelled`: nobody must wait for an answer that cannot matter any more. */
export function withdrawPending({ state, now }: Pick<SessionContext, "state" | "now">): Outcome {
  const outcome = { outcome: "cancelled" } as const;
  const permissions = state.pending.filter(isPermission);
  const questions = stopQuestions(state, now);
  return {
    facts: [
      ...permissions.map(({ permissionId }) => ({
        type: "permission:resolved" as const,
        permissionId,
        outcome,
        at: now,
      })),
      ...questions.facts,
    ],
    effects: [
      ...permissions.map(({ permissionId }) => ({ type: "answer-permission" as const, permissionId, outcome })),
      ...questions.effects,
    ],
  };
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
  if (stopReason === "cancelled" && context.cancelling !== context.state.turn.turnId)
    return "The agent stopped here. Everything received so far was kept.";
  const last = context.state.open.at(-1);
  const said = last?.type === "assistant" ? last.content.trim() : "";
  const isSaid = said.length >= SAID_CHARS_MIN && (error?.message.includes(said) ?? false);
  return stopReason === "error" && isSaid ? "The turn failed with this error." : null;
}
