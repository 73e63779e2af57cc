import type { QuestionResponse, SessionCommand } from "../../protocol/client-messages.ts";
import { REFUSE } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { isPermission } from "../../protocol/pending-request.ts";
import type { PermissionOutcome } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { decideQuestion } from "./decide-question.ts";
import {
  type AuthoredSend,
  decideQueueEdit,
  decideReason,
  decideResume,
  decideSend,
  decideSendNow,
  decideSteer,
  queueFact,
} from "./decide-queue.ts";
import { decideWait, decideWake, type WaitCommand, withoutWaits } from "./decide-waits.ts";
import { settleTools, withdrawPending } from "./end-turn.ts";
import { stopVisits } from "./observe-question.ts";
import type { Decision, Outcome, SessionContext } from "./session-context.ts";
import { restartTurn } from "./start-turn.ts";

type Decided =
  | Extract<SessionCommand, { type: Exclude<SessionCommand["type"], "session:configure" | "session:delete"> }>
  | AuthoredSend
  | QuestionResponse
  | WaitCommand;

/** Pure: what a command means in this state. Facts are stored first, then effects reach the agent. */
export function decide(context: SessionContext, command: Decided): Decision {
  switch (command.type) {
    case "session:send":
      return decideSend(context, command);
    case "session:retry":
      return decideRetry(context, command.afresh === true);
    case "session:cancel":
      return accept(cancelTurn(context));
    case "session:limit":
      return accept(stopAtLimit(context, command.why));
    case "session:kill":
      return accept(withClose(cancelTurn(context)));
    case "session:steer":
      return decideSteer(context, command);
    case "session:wait":
      return decideWait(context, command);
    case "session:wake":
      return decideWake(context, command);
    case "session:waits-met":
      return accept({ facts: withoutWaits(context.state, command.waitIds), effects: [] });
    case "session:wait-cancel":
      return accept({ facts: withoutWaits(context.state, [command.waitId]), effects: [] });
    case "session:queue-edit":
      return decideQueueEdit(context, command);
    case "session:queue-resume":
      return decideResume(context);
    case "session:send-now":
      return decideSendNow(context, command, () => cancelTurn(context));
    case "session:archive":
      return accept(archive(context), "session:archived");
    case "session:unarchive":
      return accept({ facts: [{ type: "session:unarchived" }], effects: [] }, "session:unarchived");
    case "session:rename":
      return accept(
        { facts: [{ type: "session:title-updated", title: command.title, source: "user" }], effects: [] },
        "session:title-updated",
      );
    case "permission:respond":
      return decidePermissionResponse(context, command);
    case "elicitation:respond":
      return decideQuestion(context, command);
    default:
      return command satisfies never;
  }
}

function accept(outcome: Outcome, answer: FactBody["type"] | null = null): Decision {
  return { ok: true, answer, ...outcome };
}

/** The same message again, without a second entry for it: it was said once. */
function decideRetry(context: SessionContext, isAfresh: boolean): Decision {
  const said = context.lastUserEntry();
  if (isTurnActive(context.state.turn) || !said)
    return { ok: false, refusal: REFUSE.invalidMessage("sessionId: there is no ended turn to try again") };
  if (isAfresh && context.state.turn.error?.code !== "AGENT_SESSION_REFUSED")
    return { ok: false, refusal: REFUSE.invalidMessage("afresh: the agent did not refuse to open its conversation") };
  const resumed = context.state.queuePaused ? [queueFact(context.state.queue, false)] : [];
  const started = restartTurn(context, said, isAfresh);
  return accept({ ...started, facts: [...resumed, ...started.facts] });
}

function cancelTurn(context: SessionContext): Outcome {
  const { state } = context;
  // The user's stop also ends what would go on by itself later.
  const held = [
    ...(state.queue.length > 0 && !state.queuePaused ? [queueFact(state.queue, true)] : []),
    ...withoutWaits(state),
  ];
  const { turnId } = state.turn;
  const { facts, effects } = withdrawPending(context);
  const withdrawn = { facts: [...facts, ...stopVisits(state)], effects };
  // A question can be open without a turn; the user's stop answers it all the same.
  if (!isTurnActive(state.turn) || !turnId) return { facts: [...withdrawn.facts, ...held], effects: withdrawn.effects };
  return {
    facts: [
      ...settleTools(state, "cancelled", context.now),
      ...withdrawn.facts,
      ...held,
      // Already stopping, it stays as it is shown: an agent that ignored the first stop must not look at work again.
      ...(state.turn.state === "running" || context.cancelling === turnId
        ? []
        : [{ type: "session:turn" as const, turn: { ...state.turn, state: "running" as const } }]),
    ],
    effects: [...withdrawn.effects, { type: "cancel", turnId }],
  };
}

/** Like a cancel; the turn keeps the reason until it has ended. */
function stopAtLimit(context: SessionContext, message: string): Outcome {
  const { turn } = context.state;
  // Told once: a budget that several agents share may be found spent by each of them.
  if (!isTurnActive(turn) || turn.error?.code === "LIMIT_EXCEEDED") return { facts: [], effects: [] };
  const cancelled = cancelTurn(context);
  const stopping = { ...turn, state: "running" as const, error: { code: "LIMIT_EXCEEDED", message } };
  return { facts: [...cancelled.facts, { type: "session:turn", turn: stopping }], effects: cancelled.effects };
}

function archive(context: SessionContext): Outcome {
  const cancelled = withClose(cancelTurn(context));
  return { facts: [...cancelled.facts, { type: "session:archived" }], effects: cancelled.effects };
}

function withClose(outcome: Outcome): Outcome {
  return { facts: outcome.facts, effects: [...outcome.effects, { type: "close-agent" }] };
}

function decidePermissionResponse(
  context: SessionContext,
  command: Extract<SessionCommand, { type: "permission:respond" }>,
): Decision {
  const { state } = context;
  const { permissionId, optionId, reason } = command;
  const asked = state.pending.filter(isPermission).find((pending) => pending.permissionId === permissionId);
  if (!asked) return { ok: false, refusal: REFUSE.notPending(context.endOfQuestion(permissionId)) };
  if (optionId === undefined && command.outcome === undefined)
    return { ok: false, refusal: REFUSE.invalidMessage("optionId: choose one, or send outcome: cancelled") };
  const option = asked.options.find((one) => one.optionId === optionId);
  if (optionId !== undefined && !option)
    return { ok: false, refusal: REFUSE.invalidMessage("optionId: not one of the agent's options") };
  if (reason !== undefined && option && !option.kind.startsWith("reject"))
    return { ok: false, refusal: REFUSE.invalidMessage("reason: give it with an option that rejects") };
  const said = reason === undefined ? null : decideReason(context, { ...command, reason });
  if (said?.ok === false) return said;
  const outcome: PermissionOutcome =
    optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  const lastOne = state.pending.length === 1 && state.turn.state === "waiting";
  return accept(
    {
      facts: [
        { type: "permission:resolved", permissionId, outcome, at: context.now },
        ...(lastOne ? [{ type: "session:turn" as const, turn: { ...state.turn, state: "running" as const } }] : []),
        ...(said?.facts ?? []),
      ],
      effects: [{ type: "answer-permission", permissionId, outcome }, ...(said?.effects ?? [])],
    },
    "permission:resolved",
  );
}
