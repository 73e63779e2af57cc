import type { AgentEvent } from "../../ports/agents.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import { TITLE_CHARS_MAX } from "../../protocol/limits.ts";
import { isPermission } from "../../protocol/pending-request.ts";
import type { ConfigOption, SessionConfig, Turn, TurnError, Usage } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import type { Observed } from "../policy/permission-judge.ts";
import { queueFact } from "./decide-queue.ts";
import { endTurn, withdrawPending } from "./end-turn.ts";
import { observeJudged } from "./observe-judged.ts";
import { noteModeChange, observeCompaction, observeNotice } from "./observe-notice.ts";
import { observeQuestion, stopVisits } from "./observe-question.ts";
import { observeReplay } from "./observe-replay.ts";
import { observeSteered, withoutSteering } from "./observe-steered.ts";
import { closeOpenText, observePart, observeText, turnOf } from "./observe-text.ts";
import { observeTool, observeToolOutput } from "./observe-tool.ts";
import { askUser, cancelled, questionOf } from "./open-requests.ts";
import { NOTHING, type Outcome, type SessionContext } from "./session-context.ts";
import { startTurn } from "./start-turn.ts";

/** Pure: what something an agent said means in this state. The counterpart of `decide`. */
export function observe(context: SessionContext, event: Observed): Outcome {
  const { facts, effects } = observeEvent(context, event);
  const { turn } = context.state;
  const speaks = facts.some(({ type }) => type === "session:update" || type === "session:chunk");
  if (turn.state !== "stalled" || !speaks || context.cancelling === turn.turnId) return { facts, effects };
  return { facts: [{ type: "session:turn", turn: runningTurn(turn) }, ...facts], effects };
}

function runningTurn({ error: _, ...turn }: Turn): Turn {
  return { ...turn, state: "running" };
}

function observeEvent(context: SessionContext, event: Observed): Outcome {
  switch (event.type) {
    case "text":
      return only(observeText(context, event));
    case "part":
      return only(observePart(context, event));
    case "tool":
      return only(observeTool(context, event.patch));
    case "tool-output":
      return only(observeToolOutput(context, event.toolCallId, event.text));
    case "plan":
      return only(observePlan(context, event));
    case "replayed":
      return only(observeReplay(context, event, observeEvent));
    case "notice":
      return only(observeNotice(context, event));
    case "compaction":
      return only(observeCompaction(context, event.patch));
    case "title":
      return only(observeTitle(context, event.title));
    case "options":
      return only(observeOptions(context, event.options));
    case "option-chosen":
      return only(observeOptions(context, chooseOption(context, event)));
    case "commands":
      return only(configFact(context, { commands: [...event.commands] }));
    case "abilities":
      return only(configFact(context, { abilities: event.abilities }));
    case "usage":
      return only(configFact(context, { usage: observeUsage(context.state.config.usage, event) }));
    case "attaching":
      return only(configFact(context, { usage: countFromZero(context.state.config.usage) }));
    case "steered":
      return observeSteered(context, event);
    case "permission-requested":
      return observePermission(context, event);
    case "permission-judged":
      return observeJudged(context, event);
    case "permission-withdrawn":
      return only(withdrawPermission(context, event.permissionId));
    case "question-asked":
    case "question-withdrawn":
    case "question-completed":
    case "question-unwatched":
      return observeQuestion(context, event);
    case "turn-ended":
      return isCurrent(context, event.turnId)
        ? count(context, event, finish(context, ownStop(context, event.stopReason)))
        : NOTHING;
    case "turn-failed":
      return isCurrent(context, event.turnId) ? count(context, event, fail(context, event.error)) : NOTHING;
    case "lost":
      return lose(context, event.reason);
    case "silent":
      return only(observeSilence(context));
    case "cancel-ignored":
      return only(
        stall(context, "The agent does not react to Cancel. Restart it to go on; its other sessions restart with it."),
      );
    case "unknown":
      return only([{ type: "session:raw", update: event.update }]);
    default:
      return event satisfies never;
  }
}

function only(facts: readonly FactBody[]): Outcome {
  return { facts, effects: [] };
}

/** Only the prompt's own end ends a turn. */
function isCurrent(context: SessionContext, turnId: string): boolean {
  return isTurnActive(context.state.turn) && context.state.turn.turnId === turnId;
}

/** After the user's own stop, whatever the agent calls the end, it is a cancel. */
function ownStop(context: SessionContext, stopReason: StopReason): StopReason {
  return context.cancelling === context.state.turn.turnId ? "cancelled" : stopReason;
}

function fail(context: SessionContext, error: TurnError): Outcome {
  return ownStop(context, "error") === "cancelled" ? finish(context, "cancelled") : finish(context, "error", error);
}

/** The agent is gone: what it asked cannot be answered any more, and a running turn is over. */
function lose(context: SessionContext, reason: string): Outcome {
  const queue = withoutSteering(context.state.queue);
  const freed = queue === context.state.queue ? [] : [queueFact(queue, true)];
  const visits = stopVisits(context.state);
  if (!isTurnActive(context.state.turn)) return only([...visits, ...withdrawPending(context).facts, ...freed]);
  const stopReason = ownStop(context, "interrupted");
  const left = { ...context, state: { ...context.state, queue } };
  const { facts, effects } =
    stopReason === "interrupted"
      ? finish(left, "interrupted", { code: "AGENT_UNAVAILABLE", message: reason })
      : finish(left, stopReason);
  return count(context, {}, { facts: [...visits, ...facts], effects });
}

/** The tokens of a turn that ends are settled before its end is told: whoever hears of that finds them counted. */
function count({ state }: SessionContext, { tokens }: { readonly tokens?: number }, ended: Outcome): Outcome {
  const { turnTokens = 0, ...known } = state.config.usage ?? { used: 0, size: 0 };
  if (tokens === undefined && turnTokens === 0) return ended;
  // A report of less than the context grew by is not whole: some agents report zero for a turn that was stopped.
  const total = spentBefore(known) + Math.max((tokens ?? 0) - turnTokens, 0);
  const config = { ...state.config, usage: { ...known, tokens: total } };
  return { ...ended, facts: [{ type: "session:config", config }, ...ended.facts] };
}

/** The turn ends; the next queued message starts its own, unless this end gives the user something to look at first. */
function finish(context: SessionContext, stopReason: StopReason, error?: TurnError): Outcome {
  const ended = endTurn(context, stopReason, error);
  const [next, ...rest] = context.state.queue;
  if (!next) return ended;
  // The user's own stop held back what waited then; what was sent since is meant to run.
  const isOwnStop = context.cancelling === context.state.turn.turnId;
  // Some agents end a turn so because a request was denied: the reason for that is meant to reach them.
  const stopped = stopReason === "cancelled" && !isOwnStop && next.isReason !== true;
  const goesOn = !context.state.queuePaused && stopReason !== "interrupted" && stopReason !== "error" && !stopped;
  // The agent may have taken it into this very turn: the queue goes on when it has said so.
  if (goesOn && next.steering) return ended;
  if (!goesOn) return { ...ended, facts: [...ended.facts, queueFact(context.state.queue, true)] };
  const started = startTurn(context, next);
  return {
    facts: [...ended.facts, queueFact(rest, false), ...started.facts],
    effects: [...ended.effects, ...started.effects],
  };
}

/** Models do think for minutes, so silence is shown and nothing is ended; a running tool or an open question explains it. */
function observeSilence(context: SessionContext): FactBody[] {
  const working = context.state.open.some((entry) => entry.type === "tool-call" && entry.status === "running");
  return context.state.turn.state === "running" && !working ? stall(context) : [];
}

function stall(context: SessionContext, message?: string): FactBody[] {
  if (!isTurnActive(context.state.turn)) return [];
  const error = message === undefined ? {} : { error: { code: "AGENT_UNAVAILABLE", message } };
  return [{ type: "session:turn", turn: { ...context.state.turn, state: "stalled", ...error } }];
}

function observePlan(context: SessionContext, event: Extract<AgentEvent, { type: "plan" }>): FactBody[] {
  const { turnId } = turnOf(context);
  const known = context.state.open.findLast((entry) => entry.type === "plan" && entry.turnId === turnId);
  const entry: Entry = {
    type: "plan",
    entryId: known?.entryId ?? EntryId.parse(context.newId()),
    ...turnOf(context),
    content: event.items.map((item) => `- [${item.status === "completed" ? "x" : " "}] ${item.content}`).join("\n"),
    items: [...event.items],
  };
  return [...(known ? [] : closeOpenText(context)), { type: "session:update", entry }];
}

function observeTitle(context: SessionContext, title: string): FactBody[] {
  const text = title.replace(/\s+/g, " ").trim().slice(0, TITLE_CHARS_MAX);
  if (text === "" || context.state.titleSource === "user" || text === context.state.title) return [];
  return [{ type: "session:title-updated", title: text, source: "agent" }];
}

function observeOptions(context: SessionContext, options: readonly ConfigOption[]): FactBody[] {
  return [...configFact(context, { options: [...options] }), ...noteModeChange(context, options)];
}

/** Figures that are absent stay as they are known. */
function observeUsage(known: Usage | null, event: Extract<AgentEvent, { type: "usage" }>): Usage {
  const { used = known?.used ?? 0, size = known?.size ?? 0 } = event.usage;
  return { used, size, ...addCost(known, event), ...addTokens(known, event) };
}

/** Until the turn is over and reported: the questions to the model as far as they are counted, else the growth of the context. */
function addTokens(
  known: Usage | null,
  { usage: { used, callTokens }, isFromMemory }: Extract<AgentEvent, { type: "usage" }>,
): Pick<Usage, "tokens" | "turnTokens"> {
  const growth = used === undefined ? 0 : used - (known?.used ?? 0);
  const more = isFromMemory ? 0 : Math.max(callTokens ?? growth, 0);
  const turnTokens = (known?.turnTokens ?? 0) + more;
  return { tokens: spentBefore(known) + more, ...(turnTokens > 0 && { turnTokens }) };
}

/** Earlier versions counted the context alone. */
function spentBefore(known: Usage | null): number {
  return known?.tokens ?? known?.used ?? 0;
}

/** Adds up what each process reports. Amounts in another currency cannot be added: the newer one counts. */
function addCost(
  known: Usage | null,
  { usage: { cost }, isFromMemory }: Extract<AgentEvent, { type: "usage" }>,
): Pick<Usage, "cost" | "costBefore"> {
  const { cost: total, costBefore = 0 } = known ?? {};
  if (!cost) return { ...(total && { cost: total }), ...(costBefore > 0 && { costBefore }) };
  const isOther = total !== undefined && total.currency !== cost.currency;
  // An agent that reports a cost before it was asked anything remembers it: its count includes earlier processes.
  const remembered = isFromMemory ? Math.max((total?.amount ?? 0) - cost.amount, 0) : costBefore;
  const before = isOther ? 0 : remembered;
  return { cost: { ...cost, amount: before + cost.amount }, ...(before > 0 && { costBefore: before }) };
}

function countFromZero(known: Usage | null): Usage | null {
  return known?.cost && known.cost.amount > 0 ? { ...known, costBefore: known.cost.amount } : known;
}

function configFact(context: SessionContext, change: Partial<SessionConfig>): FactBody[] {
  const config = { ...context.state.config, ...change };
  return JSON.stringify(config) === JSON.stringify(context.state.config) ? [] : [{ type: "session:config", config }];
}

function chooseOption(context: SessionContext, chosen: { category: string; value: string }): SessionConfig["options"] {
  return context.state.config.options.map((option) =>
    option.type === "select" && option.category === chosen.category
      ? { ...option, currentValue: chosen.value }
      : option,
  );
}

/** The tool call it is about comes first: some agents ask before they announce it. */
function observePermission(
  context: SessionContext,
  event: Extract<AgentEvent, { type: "permission-requested" }>,
): Outcome {
  const { permissionId, patch } = event;
  const { turn } = context.state;
  const called = observeTool(context, { ...patch, announced: true });
  // Asked after the user's own stop.
  if (isTurnActive(turn) && context.cancelling === turn.turnId)
    return { facts: called, effects: [cancelled(permissionId)] };
  const asked = questionOf(context, event);
  const { decides = false, ...remarks } = context.consider?.(asked.toolCall) ?? {};
  const question = { ...asked, ...remarks };
  if (!decides) return askUser(context, question, called);
  const turnId = isTurnActive(turn) ? (turn.turnId ?? null) : null;
  return { facts: called, effects: [{ type: "judge-permission", question, turnId, isOpen: false }] };
}

function withdrawPermission(context: SessionContext, permissionId: string): FactBody[] {
  const { pending, turn } = context.state;
  const asked = pending.filter(isPermission).find((one) => one.permissionId === permissionId);
  if (!asked) return [];
  const lastOne = pending.length === 1 && turn.state === "waiting";
  return [
    {
      type: "permission:resolved",
      permissionId: asked.permissionId,
      outcome: { outcome: "cancelled" },
      at: context.now,
    },
    ...(lastOne ? [{ type: "session:turn" as const, turn: { ...turn, state: "running" as const } }] : []),
  ];
}
