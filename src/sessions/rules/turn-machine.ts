import { invariant } from "../../lib/assert.ts";
import type { FactBody } from "../../protocol/facts.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { Turn, TurnError } from "../../protocol/session-parts.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";

/**
 * The state of a turn. Two phases exist only here: `stopping` (the agent was asked to stop) is shown as running, and
 * `unresponsive` (the agent was asked to stop and does not) is shown as stalled.
 */
export type TurnPhase = "idle" | "running" | "waiting" | "stalled" | "stopping" | "unresponsive";

export type TurnEvent =
  | { readonly type: "start"; readonly turnId: TurnId; readonly startedAt: string }
  | { readonly type: "request-opened" }
  /** `remaining`: how many requests are still open. */
  | { readonly type: "request-closed"; readonly remaining: number }
  /** The agent sent text, a tool call or anything else that belongs to the transcript. */
  | { readonly type: "output" }
  /** The agent sent nothing for a long time, and no tool call explains it. */
  | { readonly type: "silence" }
  | { readonly type: "cancel" }
  /** A budget is spent: like a cancel, with the reason. */
  | { readonly type: "limit"; readonly error: TurnError }
  | { readonly type: "cancel-ignored"; readonly error: TurnError }
  | { readonly type: "end"; readonly stopReason: StopReason; readonly error?: TurnError };

export type TurnEventKind = TurnEvent["type"] | "last-request-closed";

/** Every phase and every event. The phase itself: the event changes nothing. `refused`: the event cannot happen here. */
export const TURN_TABLE: Readonly<Record<TurnPhase, Readonly<Record<TurnEventKind, TurnPhase | "refused">>>> = {
  // A request can be open without a turn: nothing waits for it.
  idle: {
    start: "running",
    "request-opened": "idle",
    "request-closed": "idle",
    "last-request-closed": "idle",
    output: "idle",
    silence: "idle",
    cancel: "idle",
    limit: "idle",
    "cancel-ignored": "idle",
    end: "idle",
  },
  running: {
    start: "refused",
    "request-opened": "waiting",
    "request-closed": "running",
    "last-request-closed": "running",
    output: "running",
    silence: "stalled",
    cancel: "stopping",
    limit: "stopping",
    "cancel-ignored": "stalled",
    end: "idle",
  },
  // The open request explains a silence.
  waiting: {
    start: "refused",
    "request-opened": "waiting",
    "request-closed": "waiting",
    "last-request-closed": "running",
    output: "waiting",
    silence: "waiting",
    cancel: "stopping",
    limit: "stopping",
    "cancel-ignored": "stalled",
    end: "idle",
  },
  stalled: {
    start: "refused",
    "request-opened": "waiting",
    "request-closed": "stalled",
    "last-request-closed": "stalled",
    output: "running",
    silence: "stalled",
    cancel: "stopping",
    limit: "stopping",
    "cancel-ignored": "stalled",
    end: "idle",
  },
  // A stopping turn only leads to its end. A request that arrives now is answered with "cancelled".
  stopping: {
    start: "refused",
    "request-opened": "refused",
    "request-closed": "stopping",
    "last-request-closed": "stopping",
    output: "stopping",
    silence: "unresponsive",
    cancel: "stopping",
    limit: "stopping",
    "cancel-ignored": "unresponsive",
    end: "idle",
  },
  unresponsive: {
    start: "refused",
    "request-opened": "refused",
    "request-closed": "unresponsive",
    "last-request-closed": "unresponsive",
    output: "unresponsive",
    silence: "unresponsive",
    cancel: "unresponsive",
    limit: "stopping",
    "cancel-ignored": "unresponsive",
    end: "idle",
  },
};

const SHOWN_AS: Readonly<Record<TurnPhase, Turn["state"]>> = {
  idle: "idle",
  running: "running",
  waiting: "waiting",
  stalled: "stalled",
  stopping: "running",
  unresponsive: "stalled",
};

/** A turn, and the id of the turn that was asked to stop, if one is still ending. */
interface TurnContext {
  readonly state: { readonly turn: Turn };
  readonly cancelling: TurnId | null;
}

export function turnPhase({ state: { turn }, cancelling }: TurnContext): TurnPhase {
  if (turn.state === "idle" || cancelling === null || cancelling !== turn.turnId) return turn.state;
  return turn.state === "stalled" ? "unresponsive" : "stopping";
}

/** The agent was asked to stop the turn, and the turn has not ended yet. */
export function isStopping(context: TurnContext): boolean {
  const phase = turnPhase(context);
  return phase === "stopping" || phase === "unresponsive";
}

/** The turn after an event: the same object if nothing changes, null if the event is refused. */
export function advanceTurn(context: TurnContext, event: TurnEvent): Turn | null {
  const { turn } = context.state;
  const next = TURN_TABLE[turnPhase(context)][kindOf(event)];
  if (next === "refused") return null;
  if (event.type === "start") return { state: "running", turnId: event.turnId, startedAt: event.startedAt };
  if (turn.state === "idle") return turn;
  if (event.type === "end") return endedTurn(turn, event.stopReason, event.error);
  const { error: before, ...rest } = turn;
  const isWorking = next === "running" || next === "waiting";
  const error = "error" in event ? event.error : isWorking ? undefined : before;
  const state = SHOWN_AS[next];
  const isSame = turn.state === state && error?.code === before?.code && error?.message === before?.message;
  return isSame ? turn : { ...rest, state, ...(error && { error }) };
}

/** The fact that an event makes of the turn; none if nothing changes. */
export function turnFacts(context: TurnContext, event: TurnEvent): FactBody[] {
  const next = advanceTurn(context, event);
  invariant(next, `a turn that is ${turnPhase(context)} cannot take "${event.type}"`);
  return next === context.state.turn ? [] : [{ type: "session:turn", turn: next }];
}

function kindOf(event: TurnEvent): TurnEventKind {
  return event.type === "request-closed" && event.remaining === 0 ? "last-request-closed" : event.type;
}

function endedTurn({ turnId, startedAt }: Turn, stopReason: StopReason, error: TurnError | undefined): Turn {
  return {
    state: "idle",
    ...(turnId && { turnId }),
    ...(startedAt && { startedAt }),
    stopReason,
    ...(error && { error }),
  };
}
