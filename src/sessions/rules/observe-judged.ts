import { findToolCall } from "../../protocol/entry-index.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { isPermission } from "../../protocol/pending-request.ts";
import type { PendingPermission, PermissionOption } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import type { PermissionJudged } from "../policy/permission-judge.ts";
import { askUser, cancelled } from "./open-requests.ts";
import { NOTHING, type Outcome, type SessionContext } from "./session-context.ts";

/** What the policy's word means: an answer to the agent, in view of everyone, or a question for the user after all. */
export function observeJudged(context: SessionContext, judged: PermissionJudged): Outcome {
  const { question, isOpen, verdict } = judged;
  const { permissionId, options } = question;
  if (isOpen && !context.state.pending.filter(isPermission).some((one) => one.permissionId === permissionId))
    return NOTHING;
  if (!isOpen && isOver(context, judged)) return { facts: [], effects: [cancelled(permissionId)] };
  const option = verdict.answer === "ask" ? null : chooseOption(options, verdict.answer);
  if (option !== null) return answer(context, judged, option);
  if (isOpen) return NOTHING;
  const note =
    verdict.answer === "ask"
      ? (question.note ?? verdict.why)
      : `${verdict.why}. The agent offers no single way to say so just this once.`;
  return askUser(context, { ...question, note }, []);
}

/** Its turn was stopped or has ended while the rules were looked at. */
function isOver(context: SessionContext, { turnId }: PermissionJudged): boolean {
  const { turn } = context.state;
  if (turnId === null) return false;
  return turn.turnId !== turnId || !isTurnActive(turn) || context.cancelling === turnId;
}

function answer(context: SessionContext, judged: PermissionJudged, option: PermissionOption): Outcome {
  const { question, isOpen, verdict } = judged;
  const { pending, turn } = context.state;
  const outcome = { outcome: "selected", optionId: option.optionId } as const;
  const { permissionId } = question;
  const lastOne = isOpen && pending.length === 1 && turn.state === "waiting";
  const facts: FactBody[] = [
    // First: the answer adds to the call how long it waited.
    ...markTool(context, question, verdict.answer === "deny" ? "denied" : "allowed", verdict.why),
    ...(isOpen ? [] : [{ type: "permission:request" as const, ...question, by: "policy" as const }]),
    { type: "permission:resolved", permissionId, outcome, by: "policy", why: verdict.why, at: context.now },
    ...(lastOne ? [{ type: "session:turn" as const, turn: { ...turn, state: "running" as const } }] : []),
  ];
  return { facts, effects: [{ type: "answer-permission", permissionId, outcome }] };
}

/** The call itself says that nobody was asked: this is where the reader looks. */
function markTool(
  context: SessionContext,
  { toolCall }: PendingPermission,
  said: "allowed" | "denied",
  why: string,
): FactBody[] {
  const tool = findToolCall(context.state.open, toolCall.toolCallId);
  if (!tool) return [];
  return [{ type: "session:update", entry: { ...tool, permission: { answer: said, by: "policy", why } } }];
}

/**
 * The agent's own option for an automatic answer: for this once, never for always. Two that allow once differ in
 * something only a person can judge, so neither is taken.
 */
function chooseOption(options: readonly PermissionOption[], answer: "allow" | "deny"): PermissionOption | null {
  const kind = answer === "allow" ? "allow_once" : "reject_once";
  const [first, second] = options.filter((option) => option.kind === kind);
  if (first === undefined || (answer === "allow" && second !== undefined)) return null;
  return first;
}
