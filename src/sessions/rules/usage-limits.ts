import type { SessionPause, UsageLimit } from "../../protocol/conversations.ts";
import { type Entry, isTextEntry } from "../../protocol/entry.ts";
import { REFUSE } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { CommandId, type SessionId } from "../../protocol/ids.ts";
import type { Turn } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { queueFact } from "./queue.ts";
import type { Decision, Outcome, SessionContext } from "./session-context.ts";
import { restartTurn, startTurn, withoutPause } from "./turn.ts";

/** Commands of our own clock, never of a client. */
export type LimitCommand =
  /** The time of its pause has come. */
  | { readonly type: "session:limit-due"; readonly sessionId: SessionId; readonly commandId?: CommandId }
  /** Another session of the same account was refused again: this one would be, too. */
  | {
      readonly type: "session:limit-again";
      readonly sessionId: SessionId;
      readonly commandId?: CommandId;
      readonly limit: UsageLimit;
    };

export const GO_ON = "Go on where you stopped.";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Clocks of agents and accounts differ: nothing is tried sooner after the end of a limit. */
export const RESUME_GRACE_MS = MINUTE_MS;
/** How long to wait after the first, second and third failed retry; then it stops. */
const AGAIN_MINUTES = { usage: [2, 5, 10], rate: [2, 5], quota: [] } as const;
const RATE_FIRST_MS = MINUTE_MS;

/** The pause of a session whose turn has just met a limit. A turn that continued by itself is tried again later. */
export function pauseFor(context: SessionContext, limit: UsageLimit): SessionPause {
  const { state, now } = context;
  const isUntouched = !state.open.some((entry) => isWork(entry, state.turn, limit));
  const resumed = state.turn.resumed;
  if (resumed) return again({ limit, ...resumed, isUntouched }, now);
  const resume = context.limitsResume?.() ?? "ask";
  const dueAt = resume === "never" ? null : firstDue(limit, now);
  return { limit, dueAt, resumesAt: resume === "auto" ? dueAt : null, tries: 0, isUntouched };
}

/** Text that only repeats the limit is not work, and neither are thoughts. */
function isWork(entry: Entry, { turnId }: Turn, { text }: UsageLimit): boolean {
  if (entry.turnId !== turnId) return false;
  if (entry.type === "tool-call" || entry.type === "plan") return true;
  return entry.type === "assistant" && isTextEntry(entry) && !isLimitText(entry.content, text);
}

/** Agents send the text of a limit as a message, too, some in other words around it. */
export function isLimitText(said: string, text: string): boolean {
  const [one, other] = [said.trim(), text.trim()];
  return one === "" || one.includes(other) || other.includes(one);
}

function firstDue(limit: UsageLimit, now: string): string | null {
  if (limit.kind === "quota") return null;
  if (limit.resetsAt !== undefined) return later(limit.resetsAt, limit.kind === "usage" ? RESUME_GRACE_MS : 0);
  return limit.kind === "rate" ? later(now, RATE_FIRST_MS) : null;
}

interface Refused {
  readonly limit: UsageLimit;
  readonly tries: number;
  readonly resetsAt?: string | undefined;
  readonly isUntouched: boolean;
}

/** Refused again: later and later, a few times; a new end of the limit is waited for. */
function again({ limit, tries, resetsAt, isUntouched }: Refused, now: string): SessionPause {
  const waitMinutes = AGAIN_MINUTES[limit.kind][tries - 1];
  const renewed = isRenewed(limit.resetsAt, resetsAt, now) ? limit.resetsAt : undefined;
  const backedOff = waitMinutes === undefined ? null : later(now, waitMinutes * MINUTE_MS);
  const dueAt = backedOff === null || renewed === undefined ? backedOff : later(renewed, RESUME_GRACE_MS);
  // A time of day that has passed reads as tomorrow's: the known end stays.
  const { resetsAt: _, ...rest } = limit;
  const end = renewed ?? resetsAt;
  return {
    limit: { ...rest, ...(end !== undefined && { resetsAt: end }) },
    dueAt,
    resumesAt: dueAt,
    tries,
    isUntouched,
  };
}

/** An agent that names the end that has passed reports nothing new, and neither does the same time of the next day. */
function isRenewed(said: string | undefined, known: string | undefined, now: string): boolean {
  if (said === undefined || Date.parse(said) <= Date.parse(now)) return false;
  return known === undefined || (Date.parse(said) - Date.parse(known)) % DAY_MS !== 0;
}

function later(iso: string, ms: number): string {
  return new Date(Date.parse(iso) + ms).toISOString();
}

/** The user decides about the pause: continue at its end, or try now. */
export function decideResumeLimit(context: SessionContext, { when }: { readonly when: "then" | "now" }): Decision {
  const { pause, turn } = context.state;
  if (pause === null || isTurnActive(turn))
    return { ok: false, refusal: REFUSE.notPending("the session does not wait for a limit") };
  if (when === "now") return continued(context, pause, null);
  if (pause.dueAt === null)
    return { ok: false, refusal: REFUSE.invalidMessage("when: nobody knows when this limit ends; try now instead") };
  return { ok: true, answer: null, ...paused({ ...pause, resumesAt: pause.dueAt }) };
}

/** The pause ends without a turn; queued messages stay held until the user sends again. */
export function decideDismissLimit({ state }: SessionContext): Decision {
  return { ok: true, answer: null, facts: withoutPause(state), effects: [] };
}

/** The pause is replaced by the turn it starts in one commit: it continues once, whatever happens in between. */
export function decideLimitDue(context: SessionContext): Decision {
  const { pause, turn } = context.state;
  if (!pause || !isDue(context) || isTurnActive(turn))
    return { ok: false, refusal: REFUSE.notPending("the pause is not due any more") };
  const { resetsAt } = pause.limit;
  return continued(context, pause, { tries: pause.tries + 1, ...(resetsAt !== undefined && { resetsAt }) });
}

function isDue({ state: { pause }, now }: SessionContext): boolean {
  return pause?.resumesAt != null && Date.parse(pause.resumesAt) <= Date.parse(now);
}

/** As if it had been refused itself, without asking. */
export function decideLimitAgain(context: SessionContext, { limit }: { readonly limit: UsageLimit }): Decision {
  const { pause, turn } = context.state;
  // A refusal that arrives twice has a wait in between.
  if (!pause || !isDue(context) || isTurnActive(turn))
    return { ok: false, refusal: REFUSE.notPending("the pause is not due any more") };
  const { tries, isUntouched } = pause;
  const known = pause.limit.resetsAt;
  return {
    ok: true,
    answer: null,
    ...paused(again({ limit, tries: tries + 1, resetsAt: known, isUntouched }, context.now)),
  };
}

function continued(
  context: SessionContext,
  { isUntouched }: SessionPause,
  resumed: NonNullable<Turn["resumed"]> | null,
): Decision {
  const { state } = context;
  const said = isUntouched ? context.lastUserEntry() : null;
  const commandId = CommandId.parse(context.newId());
  const started: Outcome = said
    ? restartTurn(context, said, false)
    : startTurn(context, { commandId, content: GO_ON, author: "limit" });
  const queue = state.queuePaused ? [queueFact(state.queue, false)] : [];
  const facts = [...queue, ...started.facts].map((fact) => (resumed === null ? fact : withResumed(fact, resumed)));
  return { ok: true, answer: null, facts, effects: started.effects };
}

function withResumed(fact: FactBody, resumed: NonNullable<Turn["resumed"]>): FactBody {
  return fact.type === "session:turn" ? { ...fact, turn: { ...fact.turn, resumed } } : fact;
}

function paused(pause: SessionPause): Outcome {
  return { facts: [{ type: "session:pause", pause }], effects: [] };
}
