import type { QuestionResponse, SessionCommand } from "../../protocol/client-messages.ts";
import { findToolCall } from "../../protocol/entry-index.ts";
import { REFUSE } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import type { PermissionOutcome, TurnError } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { decideWait, decideWake, type WaitCommand, withoutWaits } from "./decide-waits.ts";
import { decideElsewhere } from "./elsewhere.ts";
import {
  cancelAllRequests,
  closeAllVisits,
  closeRequest,
  closeVisit,
  endOfRequest,
  findPermission,
  findQuestion,
  findVisit,
} from "./open-requests.ts";
import {
  type AuthoredSend,
  decideQueueEdit,
  decideReason,
  decideResume,
  decideSend,
  decideSendNow,
  decideSteer,
  queueFact,
} from "./queue.ts";
import type { Acted, Decision, Outcome, SessionContext } from "./session-context.ts";
import { restartTurn, settleTools, withoutPause } from "./turn.ts";
import { turnFacts } from "./turn-machine.ts";
import {
  decideDismissLimit,
  decideLimitAgain,
  decideLimitDue,
  decideResumeLimit,
  type LimitCommand,
} from "./usage-limits.ts";
import { validateAnswer } from "./validate-answer.ts";

type Decided =
  | Acted<
      Extract<
        SessionCommand,
        { type: Exclude<SessionCommand["type"], "session:configure" | "session:delete" | "session:handback"> }
      >
    >
  | AuthoredSend
  | Acted<QuestionResponse>
  | WaitCommand
  | LimitCommand;

/** Pure: what a command means in this state. Facts are stored first, then effects reach the agent. */
export function decide(context: SessionContext, command: Decided): Decision {
  switch (command.type) {
    case "session:send":
      return decideSend(context, command);
    case "session:elsewhere":
      return decideElsewhere(context, command);
    case "session:retry":
      return decideRetry(context, command.afresh === true);
    case "session:resume-limit":
      return decideResumeLimit(context, command);
    case "session:dismiss-limit":
      return decideDismissLimit(context);
    case "session:limit-due":
      return decideLimitDue(context);
    case "session:limit-again":
      return decideLimitAgain(context, command);
    case "session:cancel":
      return accept(cancelTurn(context));
    case "session:stop-subagent":
      return stopSubAgent(context, command.toolCallId);
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
    case "session:organize":
      return accept(organize(context, command));
    case "permission:respond":
      return decidePermissionResponse(context, command);
    case "elicitation:respond":
      return decideQuestionResponse(context, command);
    default:
      return command satisfies never;
  }
}

function accept(outcome: Outcome, answer: FactBody["type"] | null = null): Decision {
  return { ok: true, answer, ...outcome };
}

/** The same message again, without a second entry. */
function decideRetry(context: SessionContext, isAfresh: boolean): Decision {
  const said = context.lastUserEntry();
  if (isTurnActive(context.state.turn) || !said)
    return { ok: false, refusal: REFUSE.invalidMessage("sessionId: no ended turn to retry") };
  if (isAfresh && context.state.turn.error?.code !== "AGENT_SESSION_REFUSED")
    return { ok: false, refusal: REFUSE.invalidMessage("afresh: the agent did not refuse to open its conversation") };
  const resumed = context.state.queuePaused ? [queueFact(context.state.queue, false)] : [];
  const started = restartTurn(context, said, isAfresh);
  return accept({ ...started, facts: [...resumed, ...started.facts] });
}

/** Asks the agent to stop, and cancels its open requests. `limit`: the budget that stops the turn. */
function cancelTurn(context: SessionContext, limit?: TurnError): Outcome {
  const { state } = context;
  // A cancel also ends what would start automatically later.
  const held = [
    ...(state.queue.length > 0 && !state.queuePaused ? [queueFact(state.queue, true)] : []),
    ...withoutWaits(state),
    ...withoutPause(state),
  ];
  const { turnId } = state.turn;
  const cancelled = cancelAllRequests(context);
  const facts = [...cancelled.facts, ...closeAllVisits(state), ...held];
  // A request can be open without a turn; a cancel ends it, too.
  if (!isTurnActive(state.turn) || !turnId) return { facts, effects: cancelled.effects };
  return {
    facts: [
      ...settleTools(state, "cancelled", context.now),
      ...facts,
      ...turnFacts(context, limit ? { type: "limit", error: limit } : { type: "cancel" }),
    ],
    effects: [...cancelled.effects, { type: "cancel", turnId }],
  };
}

/** The agent reports how it ended. */
function stopSubAgent(context: SessionContext, toolCallId: string): Decision {
  const call = findToolCall(context.state.open, toolCallId) ?? context.settledByAgentId(toolCallId);
  if (call?.type !== "tool-call" || call.status !== "running" || !call.subAgent)
    return { ok: false, refusal: REFUSE.notPending("this sub-agent no longer works") };
  if (!call.subAgent.canStop)
    return { ok: false, refusal: REFUSE.invalidMessage("toolCallId: its agent cannot stop it alone; stop the turn") };
  return accept({ facts: [], effects: [{ type: "stop-sub-agent", toolCallId }] });
}

/** Like a cancel; the turn keeps the reason until it has ended. */
function stopAtLimit(context: SessionContext, message: string): Outcome {
  const { turn } = context.state;
  // Once: several agents that share a budget may each find it spent.
  if (!isTurnActive(turn) || turn.error?.code === "LIMIT_EXCEEDED") return { facts: [], effects: [] };
  return cancelTurn(context, { code: "LIMIT_EXCEEDED", message });
}

function archive(context: SessionContext): Outcome {
  const cancelled = withClose(cancelTurn(context));
  return { facts: [...cancelled.facts, { type: "session:archived" }], effects: cancelled.effects };
}

/** A label counts once, however it is written. */
function organize({ state }: SessionContext, command: Extract<SessionCommand, { type: "session:organize" }>): Outcome {
  const { pinned = state.pinned, labels = state.labels, dismissed = state.dismissed } = command;
  const names = labels.map((label) => label.toLowerCase());
  const once = labels.filter((_, at) => names.indexOf(names[at] ?? "") === at);
  const isSame =
    pinned === state.pinned && dismissed === state.dismissed && once.join("\n") === state.labels.join("\n");
  return { facts: isSame ? [] : [{ type: "session:organized", pinned, labels: once, dismissed }], effects: [] };
}

function withClose(outcome: Outcome): Outcome {
  return { facts: outcome.facts, effects: [...outcome.effects, { type: "close-agent" }] };
}

function decidePermissionResponse(
  context: SessionContext,
  command: Acted<Extract<SessionCommand, { type: "permission:respond" }>>,
): Decision {
  const { permissionId, optionId, reason, person } = command;
  const request = findPermission(context.state, permissionId);
  if (!request) return { ok: false, refusal: REFUSE.notPending(endOfRequest(context.requests, permissionId)) };
  if (optionId === undefined && command.outcome === undefined)
    return { ok: false, refusal: REFUSE.invalidMessage("optionId: choose one, or send outcome: cancelled") };
  const option = request.options.find((one) => one.optionId === optionId);
  if (optionId !== undefined && !option)
    return { ok: false, refusal: REFUSE.invalidMessage("optionId: not one of the agent's options") };
  if (reason !== undefined && option && !option.kind.startsWith("reject"))
    return { ok: false, refusal: REFUSE.invalidMessage("reason: only allowed with an option that rejects") };
  const sent = reason === undefined ? null : decideReason(context, { ...command, reason });
  if (sent?.ok === false) return sent;
  const outcome: PermissionOutcome =
    optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  const closed = closeRequest(context, request, { type: "answered", outcome, person });
  return accept(
    { facts: [...closed.facts, ...(sent?.facts ?? [])], effects: [...closed.effects, ...(sent?.effects ?? [])] },
    "permission:resolved",
  );
}

/** An invalid answer leaves the question open. */
function decideQuestionResponse(context: SessionContext, command: Acted<QuestionResponse>): Decision {
  const { state } = context;
  const { elicitationId, action, person } = command;
  const request = findQuestion(state, elicitationId);
  if (request) {
    const validated = validateAnswer(request, command);
    if (!validated.ok) return validated;
    return accept(
      closeRequest(context, request, { type: "answered", answer: validated.answer, person }),
      "elicitation:resolved",
    );
  }
  const visit = findVisit(state, elicitationId);
  if (!visit || action === "accept")
    return { ok: false, refusal: REFUSE.notPending(endOfRequest(context.requests, elicitationId)) };
  return accept({ facts: closeVisit(state, visit, action), effects: [] }, "elicitation:resolved");
}
