import type { AgentEvent } from "../../ports/agents.ts";
import { findToolCall } from "../../protocol/entry-index.ts";
import type { FactBody } from "../../protocol/facts.ts";
import type { PermissionId } from "../../protocol/ids.ts";
import type { PendingPermission } from "../../protocol/session-parts.ts";
import { isAskingTooMuch, noteTooManyRequests } from "./open-requests.ts";
import type { Effect, Outcome, Scene } from "./scene.ts";

/** The question with all that is known of the call it is about: some agents say it earlier and not again. */
export function questionOf(
  scene: Scene,
  event: Extract<AgentEvent, { type: "permission-requested" }>,
): PendingPermission {
  const { permissionId, patch, options } = event;
  const tool = findToolCall(scene.state.open, patch.toolCallId);
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
    askedAt: scene.now,
  };
}

/** After what is known of the call, the question is put to the user, and the turn waits; one too many is no question. */
export function askUser(scene: Scene, question: PendingPermission, called: readonly FactBody[]): Outcome {
  if (isAskingTooMuch(scene.state))
    return { facts: noteTooManyRequests(scene, called), effects: [cancelled(question.permissionId)] };
  const { turn } = scene.state;
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
