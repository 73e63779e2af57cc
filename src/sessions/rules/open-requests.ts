import type { AgentEvent } from "../../ports/agents.ts";
import type { NoticeEntry } from "../../protocol/entry.ts";
import { findToolCall } from "../../protocol/entry-index.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId, type PermissionId } from "../../protocol/ids.ts";
import type { PendingPermission } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import { closeOpenText, turnOf } from "./observe-text.ts";
import type { Effect, Outcome, SessionContext } from "./session-context.ts";

/** Permissions and questions of one session together. Nobody reads more, and each one makes every later one dearer. */
export const OPEN_REQUESTS_MAX = 100;

export function isAskingTooMuch({ pending }: SessionState): boolean {
  return pending.length >= OPEN_REQUESTS_MAX;
}

/** After what came before it: said once for each turn and what follows it, however many more are asked. */
export function noteTooManyRequests(context: SessionContext, before: readonly FactBody[]): readonly FactBody[] {
  const { open, turn } = context.state;
  const entryId = EntryId.parse(`too-many-requests-${turn.turnId ?? "before"}`);
  if (open.some((entry) => entry.entryId === entryId) || context.settledEntry(entryId) !== null) return before;
  const entry: NoticeEntry = {
    type: "notice",
    entryId,
    ...turnOf(context),
    severity: "warning",
    content:
      `The agent asked for more than ${OPEN_REQUESTS_MAX} things at once. What it asked beyond that was answered with “cancelled”. ` +
      "Answer what is open, or stop the turn.",
    timestamp: context.now,
  };
  const isClosed = before.some(({ type }) => type === "session:complete");
  return [...before, ...(isClosed ? [] : closeOpenText(context)), { type: "session:update", entry }];
}

/** The question with all that is known of the call it is about: some agents say it earlier and not again. */
export function questionOf(
  context: SessionContext,
  event: Extract<AgentEvent, { type: "permission-requested" }>,
): PendingPermission {
  const { permissionId, patch, options } = event;
  const tool = findToolCall(context.state.open, patch.toolCallId);
  const { kind = tool?.kind, input = tool?.input, parts = tool?.parts, locations = tool?.locations } = patch;
  return {
    permissionId,
    toolCall: {
      toolCallId: patch.toolCallId,
      name: patch.name ?? tool?.name ?? "Tool call",
      ...(kind !== undefined && { kind }),
      ...(input !== undefined && { input }),
      ...(parts !== undefined && { parts: [...parts] }),
      ...(locations !== undefined && { locations: [...locations] }),
    },
    options: [...options],
    askedAt: context.now,
  };
}

/** After what is known of the call, the question is put to the user, and the turn waits; one too many is no question. */
export function askUser(context: SessionContext, question: PendingPermission, called: readonly FactBody[]): Outcome {
  if (isAskingTooMuch(context.state))
    return { facts: noteTooManyRequests(context, called), effects: [cancelled(question.permissionId)] };
  const { turn } = context.state;
  const waits = turn.state === "running" || turn.state === "stalled";
  return {
    facts: [
      ...called,
      { type: "permission:request", ...question },
      ...(waits ? [{ type: "session:turn" as const, turn: { ...turn, state: "waiting" as const } }] : []),
    ],
    effects: [],
  };
}

/** Nobody must wait for an answer to what is no question any more. */
export function cancelled(permissionId: PermissionId): Effect {
  return { type: "answer-permission", permissionId, outcome: { outcome: "cancelled" } };
}
