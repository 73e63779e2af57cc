import type { Entry, ToolCallEntry } from "../../protocol/entry.ts";
import { isTextEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { isPermission } from "../../protocol/pending-request.ts";
import type { TurnError } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-state.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import { stopQuestions } from "../questions/observe-question.ts";
import { settleCompactions } from "./observe-notice.ts";
import { hasParts } from "./observe-text.ts";
import type { Outcome, Scene } from "./scene.ts";
import { turnEndNotice } from "./turn-end-notice.ts";

/** How a turn ends: nothing is left spinning, nothing is left asking, every text is closed, then the turn is idle. */
export function endTurn(scene: Scene, stopReason: StopReason, failure?: TurnError): Outcome {
  const { state } = scene;
  // A turn that a budget stopped knows the reason already.
  const isLimit = stopReason === "cancelled" && state.turn.error?.code === "LIMIT_EXCEEDED";
  const error = failure ?? (isLimit ? state.turn.error : undefined);
  const { turnId, startedAt } = state.turn;
  const notice = turnEndNotice(scene, stopReason, error);
  return {
    facts: [
      ...settleTools(state, stopReason, scene.now),
      ...settleCompactions(scene),
      ...withdrawPending(scene).facts,
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
    effects: withdrawPending(scene).effects,
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
export function withdrawPending({ state, now }: Pick<Scene, "state" | "now">): Outcome {
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
