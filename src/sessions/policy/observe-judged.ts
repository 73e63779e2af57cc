import { findToolCall } from "../../protocol/entry-index.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { isPermission } from "../../protocol/pending-request.ts";
import type { PendingPermission, PermissionOption } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-state.ts";
import { askUser, cancelled } from "../meaning/permission-question.ts";
import { NOTHING, type Outcome, type Scene } from "../meaning/scene.ts";
import { chooseOption } from "./choose-option.ts";
import type { PermissionJudged } from "./permission-judge.ts";

/** What the policy's word means: an answer to the agent, in view of everyone, or a question for the user after all. */
export function observeJudged(scene: Scene, judged: PermissionJudged): Outcome {
  const { question, isOpen, verdict } = judged;
  const { permissionId, options } = question;
  if (isOpen && !scene.state.pending.filter(isPermission).some((one) => one.permissionId === permissionId))
    return NOTHING;
  if (!isOpen && isOver(scene, judged)) return { facts: [], effects: [cancelled(permissionId)] };
  const option = verdict.answer === "ask" ? null : chooseOption(options, verdict.answer);
  if (option !== null) return answer(scene, judged, option);
  if (isOpen) return NOTHING;
  const note =
    verdict.answer === "ask"
      ? (question.note ?? verdict.why)
      : `${verdict.why}. The agent offers no single way to say so just this once.`;
  return askUser(scene, { ...question, note }, []);
}

/** Its turn was stopped or has ended while the rules were looked at. */
function isOver(scene: Scene, { turnId }: PermissionJudged): boolean {
  const { turn } = scene.state;
  if (turnId === null) return false;
  return turn.turnId !== turnId || !isTurnActive(turn) || scene.cancelling === turnId;
}

function answer(scene: Scene, judged: PermissionJudged, option: PermissionOption): Outcome {
  const { question, isOpen, verdict } = judged;
  const { pending, turn } = scene.state;
  const outcome = { outcome: "selected", optionId: option.optionId } as const;
  const { permissionId } = question;
  const lastOne = isOpen && pending.length === 1 && turn.state === "waiting";
  const facts: FactBody[] = [
    // First: the answer adds to the call how long it waited.
    ...markTool(scene, question, verdict.answer === "deny" ? "denied" : "allowed", verdict.why),
    ...(isOpen ? [] : [{ type: "permission:request" as const, ...question, by: "policy" as const }]),
    { type: "permission:resolved", permissionId, outcome, by: "policy", why: verdict.why, at: scene.now },
    ...(lastOne ? [{ type: "session:turn" as const, turn: { ...turn, state: "running" as const } }] : []),
  ];
  return { facts, effects: [{ type: "answer-permission", permissionId, outcome }] };
}

/** The call itself says that nobody was asked: this is where the reader looks. */
function markTool(scene: Scene, { toolCall }: PendingPermission, said: "allowed" | "denied", why: string): FactBody[] {
  const tool = findToolCall(scene.state.open, toolCall.toolCallId);
  if (!tool) return [];
  return [{ type: "session:update", entry: { ...tool, permission: { answer: said, by: "policy", why } } }];
}
