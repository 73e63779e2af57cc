import type { AgentEvent } from "../../ports/agents.ts";
import type { Entry } from "../../protocol/entry.ts";
import { findToolCall } from "../../protocol/entry-index.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { type ElicitationId, EntryId } from "../../protocol/ids.ts";
import { TITLE_CHARS_MAX } from "../../protocol/limits.ts";
import { isPermission, type PendingRequest } from "../../protocol/pending-request.ts";
import type {
  ConfigOption,
  PendingPermission,
  PermissionOption,
  SessionConfig,
  TurnError,
  Usage,
} from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import { observeCaughtUp, observeHandedBack, observeWriter } from "./elsewhere.ts";
import {
  addNote,
  notesAfter,
  observeActed,
  observeChanges,
  observeMoved,
  observeNotDiscarded,
  observeRestored,
  observeUndone,
  sameCounts,
} from "./observe-changes.ts";
import { noteModeChange, observeCompaction, observeMemoryLost, observeNotice } from "./observe-notice.ts";
import { observeReplay } from "./observe-replay.ts";
import { closeOpenText, observePart, observeText, turnOf } from "./observe-text.ts";
import { endSubAgents, observeTool, observeToolOutput } from "./observe-tool.ts";
import {
  cancelAllRequests,
  closeAllVisits,
  closeRequest,
  closeVisit,
  findPermission,
  findQuestion,
  findVisit,
  isCurrent,
  openRequest,
  permissionRequest,
  questionRequest,
  type RequestEnd,
} from "./open-requests.ts";
import { observeSteered, queueFact, withoutSteering } from "./queue.ts";
import { type Effect, NOTHING, type Observed, type Outcome, type SessionContext } from "./session-context.ts";
import { endTurn, startTurn } from "./turn.ts";
import { advanceTurn, isStopping, turnFacts } from "./turn-machine.ts";
import { pauseFor } from "./usage-limits.ts";

const CANCEL_IGNORED: TurnError = {
  code: "AGENT_UNAVAILABLE",
  message: "The agent is not responding to Cancel. Restart it to continue; its other sessions restart with it.",
};

/** Pure: what an event of the agent or of the policy means in this state. The counterpart of `decide`. */
export function observe(context: SessionContext, event: Observed): Outcome {
  const { facts, effects } = observeEvent(context, event);
  const isOutput = facts.some(({ type }) => type === "session:update" || type === "session:chunk");
  return isOutput ? { facts: [...turnFacts(context, { type: "output" }), ...facts], effects } : { facts, effects };
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
    case "permission-evaluated":
      return observeVerdict(context, event);
    case "policy-changed":
      return {
        facts: [],
        effects: context.state.pending.filter(isPermission).map((one) => evaluate(context, one, true)),
      };
    case "permission-withdrawn":
      return close(context, findPermission(context.state, event.permissionId), { type: "withdrawn" });
    case "question-asked":
      return openRequest(context, questionRequest(context, event), []);
    case "question-withdrawn":
      return close(context, findQuestion(context.state, event.elicitationId), { type: "withdrawn" });
    case "question-unwatched":
      return close(context, findQuestion(context.state, event.elicitationId), { type: "expired" });
    case "question-completed":
      return completePage(context, event.elicitationId);
    case "turn-ended":
      return isCurrentTurn(context, event.turnId)
        ? count(context, event, finish(context, ownStop(context, event.stopReason)))
        : NOTHING;
    case "turn-failed":
      return isCurrentTurn(context, event.turnId) ? count(context, event, fail(context, event.error)) : NOTHING;
    case "lost":
      return lose(context, event);
    case "silent":
      return only(observeSilence(context));
    case "cancel-ignored":
      return only(turnFacts(context, { type: "cancel-ignored", error: CANCEL_IGNORED }));
    case "turn-changes":
      return only(observeChanges(context, event));
    case "changes-counted":
      return only(
        sameCounts(context.state.changes, event.counts) ? [] : [{ type: "session:changes", counts: event.counts }],
      );
    case "files-restored":
      return only(observeRestored(context, event));
    case "restore-undone":
      return only(observeUndone(context, event));
    case "person-acted":
      return only(observeActed(context, event));
    case "discard-failed":
      return only(observeNotDiscarded(context, event));
    case "session-moved":
      return only(observeMoved(context, event));
    case "memory-lost":
      return only(observeMemoryLost(context, event));
    case "agent-noted":
      return only(addNote(context, event.note));
    case "writer-seen":
      return only(observeWriter(context, event.writer));
    case "caught-up":
      return only(observeCaughtUp(context));
    case "handed-back":
      return only(observeHandedBack(context, event.command));
    case "unknown":
      return only([{ type: "session:raw", update: event.update }]);
    default:
      return event satisfies never;
  }
}

function only(facts: readonly FactBody[]): Outcome {
  return { facts, effects: [] };
}

/** Only the end of its own prompt ends a turn. */
function isCurrentTurn(context: SessionContext, turnId: string): boolean {
  return isTurnActive(context.state.turn) && context.state.turn.turnId === turnId;
}

/** After the user's own stop, any end counts as a cancel. */
function ownStop(context: SessionContext, stopReason: StopReason): StopReason {
  return isStopping(context) ? "cancelled" : stopReason;
}

function fail(context: SessionContext, error: TurnError): Outcome {
  return ownStop(context, "error") === "cancelled" ? finish(context, "cancelled") : finish(context, "error", error);
}

/** The agent has ended: its requests cannot be answered, and the turn that it worked on is over. */
function lose(context: SessionContext, lost: Extract<AgentEvent, { type: "lost" }>): Outcome {
  const { reason, turnId, unused } = lost;
  const { turn } = context.state;
  const visits = closeAllVisits(context.state);
  const children = endSubAgents(context);
  const isLater = isTurnActive(turn) && turnId !== undefined && turn.turnId !== turnId;
  if (isLater) return only([...visits, ...children]);
  const queue = withoutSteering(context.state.queue);
  const freed = queue === context.state.queue ? [] : [queueFact(queue, true)];
  if (!isTurnActive(turn) || unused)
    return only([...visits, ...children, ...cancelAllRequests(context).facts, ...freed]);
  const stopReason = ownStop(context, "interrupted");
  const left = { ...context, state: { ...context.state, queue } };
  const { facts, effects } =
    stopReason === "interrupted"
      ? finish(left, "interrupted", { code: "AGENT_UNAVAILABLE", message: reason })
      : finish(left, stopReason);
  return count(context, {}, { facts: [...visits, ...children, ...facts], effects });
}

/** The tokens of a turn are counted before its end is published, so that readers of the end find them counted. */
function count({ state }: SessionContext, { tokens }: { readonly tokens?: number }, ended: Outcome): Outcome {
  const { turnTokens = 0, ...known } = state.config.usage ?? { used: 0, size: 0 };
  if (tokens === undefined && turnTokens === 0) return ended;
  // A report smaller than the context's growth is incomplete: some agents report zero for a stopped turn.
  const total = spentBefore(known) + Math.max((tokens ?? 0) - turnTokens, 0);
  const config = { ...state.config, usage: { ...known, tokens: total } };
  return { ...ended, facts: [{ type: "session:config", config }, ...ended.facts] };
}

/** Ends the turn; the next queued message starts its own, unless this end needs the user's attention. */
function finish(context: SessionContext, stopReason: StopReason, error?: TurnError): Outcome {
  const ended = endTurn(context, stopReason, error);
  const [next, ...rest] = context.state.queue;
  if (error?.limit) {
    const held = next ? [queueFact(context.state.queue, true)] : [];
    const pause = pauseFor(context, error.limit);
    // Before the end: no reader sees a failed turn without the pause that explains it.
    return { ...ended, facts: [{ type: "session:pause", pause }, ...ended.facts, ...held] };
  }
  if (!next) return ended;
  // The user's own stop held back the messages queued then; later ones are meant to run.
  const isOwnStop = isStopping(context);
  // Some agents end a turn this way because a request was denied: the reason is meant to reach them.
  const stopped = stopReason === "cancelled" && !isOwnStop && next.isReason !== true;
  const continues = !context.state.queuePaused && stopReason !== "interrupted" && stopReason !== "error" && !stopped;
  // The agent may have accepted it into this turn: the queue continues when it has answered.
  if (continues && next.steering) return ended;
  if (!continues) return { ...ended, facts: [...ended.facts, queueFact(context.state.queue, true)] };
  const turn = advanceTurn(context, { type: "end", stopReason }) ?? context.state.turn;
  const agentNotes = notesAfter(context, stopReason);
  const started = startTurn({ ...context, state: { ...context.state, turn, agentNotes } }, next);
  return {
    facts: [...ended.facts, queueFact(rest, false), ...started.facts],
    effects: [...ended.effects, ...started.effects],
  };
}

/** Models think for minutes: a silence is shown and ends nothing. A running tool call or an open request explains it. */
function observeSilence(context: SessionContext): FactBody[] {
  const isToolRunning = context.state.open.some((entry) => entry.type === "tool-call" && entry.status === "running");
  return isToolRunning ? [] : turnFacts(context, { type: "silence" });
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

/** Missing figures keep their known values. */
function observeUsage(known: Usage | null, event: Extract<AgentEvent, { type: "usage" }>): Usage {
  const { used = known?.used ?? 0, size = known?.size ?? 0 } = event.usage;
  return { used, size, ...addCost(known, event), ...addTokens(known, event) };
}

/** Until the turn has ended and its usage is reported: the counted model calls, otherwise the growth of the context. */
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
): Pick<Usage, "cost" | "costBefore" | "costRemembered"> {
  const { cost: total, costBefore = 0, costRemembered = 0 } = known ?? {};
  const brought = costRemembered > 0 && { costRemembered };
  if (!cost) return { ...(total && { cost: total }), ...(costBefore > 0 && { costBefore }), ...brought };
  const isOther = total !== undefined && total.currency !== cost.currency;
  // An agent that reports a cost before its first prompt has remembered it: its count includes earlier processes.
  const remembered = isFromMemory ? Math.max((total?.amount ?? 0) - cost.amount, 0) : costBefore;
  const before = isOther ? 0 : remembered;
  const amount = before + cost.amount;
  const more = isFromMemory ? Math.max(amount - (isOther ? 0 : (total?.amount ?? 0)), 0) : 0;
  const carried = (isOther ? 0 : costRemembered) + more;
  return {
    cost: { ...cost, amount },
    ...(before > 0 && { costBefore: before }),
    ...(carried > 0 && { costRemembered: carried }),
  };
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

/** The tool call comes first: some agents ask before they announce it. */
function observePermission(
  context: SessionContext,
  event: Extract<AgentEvent, { type: "permission-requested" }>,
): Outcome {
  const called = observeTool(context, { ...event.patch, announced: true });
  const asked = permissionRequest(context, event);
  if (isStopping(context)) return openRequest(context, asked, called);
  const { decides = false, ...remarks } = context.consider?.(asked.toolCall) ?? {};
  const request = { ...asked, ...remarks };
  if (!decides) return openRequest(context, request, called);
  return { facts: called, effects: [evaluate(context, request, false)] };
}

function evaluate(context: SessionContext, request: PendingPermission, isOpen: boolean): Effect {
  return { type: "evaluate-permission", evaluationId: context.newId(), request, isOpen };
}

/** The policy answers the agent, visibly, or leaves the answer to the user. */
function observeVerdict(context: SessionContext, event: Extract<Observed, { type: "permission-evaluated" }>): Outcome {
  const { request, isOpen, verdict } = event;
  if (!isCurrent(context.requests, event)) return NOTHING;
  const option = verdict.answer === "ask" ? null : chooseOnce(request.options, verdict.answer);
  if (option !== null) {
    const outcome = { outcome: "selected", optionId: option.optionId } as const;
    const closed = closeRequest(context, request, { type: "answered", outcome, policy: { why: verdict.why } });
    return {
      facts: [
        // First: the answer adds to the call how long it waited.
        ...markTool(context, request, verdict.answer === "deny" ? "denied" : "allowed", verdict.why),
        ...(isOpen ? [] : [{ type: "permission:request" as const, ...request, by: "policy" as const }]),
        ...closed.facts,
      ],
      effects: closed.effects,
    };
  }
  if (isOpen) return NOTHING;
  const note =
    verdict.answer === "ask"
      ? (request.note ?? verdict.why)
      : `${verdict.why}. The agent does not offer exactly one option for this once.`;
  return openRequest(context, { ...request, note }, []);
}

/** The tool call shows that a rule answered, because that is where the reader looks. */
function markTool(
  context: SessionContext,
  { toolCall }: PendingPermission,
  answer: "allowed" | "denied",
  why: string,
): FactBody[] {
  const tool = findToolCall(context.state.open, toolCall.toolCallId);
  if (!tool) return [];
  return [{ type: "session:update", entry: { ...tool, permission: { answer, by: "policy", why } } }];
}

/**
 * The agent's own option for an automatic answer: once, never always. Two options that allow once differ in something
 * only a person can judge, so neither is used.
 */
function chooseOnce(options: readonly PermissionOption[], answer: "allow" | "deny"): PermissionOption | null {
  const kind = answer === "allow" ? "allow_once" : "reject_once";
  const [first, second] = options.filter((option) => option.kind === kind);
  if (first === undefined || (answer === "allow" && second !== undefined)) return null;
  return first;
}

/** A closed request ends nothing. */
function close(context: SessionContext, request: PendingRequest | undefined, end: RequestEnd): Outcome {
  return request ? closeRequest(context, request, end) : NOTHING;
}

/** The agent no longer needs a page. A question about a page that was not accepted yet ends with it. */
function completePage(context: SessionContext, elicitationId: ElicitationId): Outcome {
  const visit = findVisit(context.state, elicitationId);
  if (visit) return only(closeVisit(context.state, visit, "accept"));
  return close(context, findQuestion(context.state, elicitationId), { type: "completed" });
}
