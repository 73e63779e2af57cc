import type { AgentEvent } from "../../ports/agents.ts";
import type { NoticeEntry } from "../../protocol/entry.ts";
import { findToolCall } from "../../protocol/entry-index.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { type ElicitationId, EntryId, type PermissionId } from "../../protocol/ids.ts";
import { isPermission, isQuestion, type PendingRequest, requestIdOf } from "../../protocol/pending-request.ts";
import type { PersonRef } from "../../protocol/person-ref.ts";
import type {
  AnswerValue,
  PendingQuestion,
  QuestionAction,
  QuestionAnswer,
  QuestionEnd,
} from "../../protocol/question.ts";
import type { PendingPermission, PermissionOutcome } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import { closeOpenText, turnOf } from "./observe-text.ts";
import type { Effect, Observed, Outcome, RequestRegister, SessionContext } from "./session-context.ts";
import { isStopping, turnFacts } from "./turn-machine.ts";

// The requests of one session: permissions and questions that its agent waits for.
//
//   asked ─ evaluating ─ open ─ answered | withdrawn | cancelled | expired | completed
//
// `evaluating`: the policy is evaluated first (permissions only). `open`: the user has to answer. `withdrawn`: by the
// agent. `cancelled`: its turn was stopped or ended, or its agent has ended. `expired`: no client was connected to
// answer. `completed`: the agent no longer needs the page it asked to visit.
// An open request makes a running turn wait; the end of the last one lets it continue. See the turn machine.

/** Permissions and questions of one session together. Nobody reads more, and each one makes every later one costlier. */
export const OPEN_REQUESTS_MAX = 100;
const ENDED_REQUESTS_MAX = 200;
const ANSWER_SHOWN_CHARS_MAX = 2_000;

/** How a request ends, and what the agent receives. */
export type RequestEnd =
  | {
      readonly type: "answered";
      readonly outcome: PermissionOutcome;
      readonly policy?: { readonly why: string };
      readonly person?: PersonRef | undefined;
    }
  | { readonly type: "answered"; readonly answer: QuestionAnswer; readonly person?: PersonRef | undefined }
  | { readonly type: "withdrawn" | "cancelled" | "expired" | "completed" };

export const EMPTY_REGISTER: RequestRegister = { evaluating: new Map(), ended: new Map() };

export function findPermission({ pending }: SessionState, permissionId: PermissionId): PendingPermission | undefined {
  return pending.filter(isPermission).find((one) => one.permissionId === permissionId);
}

export function findQuestion({ pending }: SessionState, elicitationId: ElicitationId): PendingQuestion | undefined {
  return pending.filter(isQuestion).find((one) => one.elicitationId === elicitationId);
}

/** A page that the user agreed to open and that the agent still waits for. */
export function findVisit({ visits }: SessionState, elicitationId: ElicitationId): PendingQuestion | undefined {
  return visits.find((one) => one.elicitationId === elicitationId);
}

/** How a closed request ended, as text. */
export function endOfRequest({ ended }: RequestRegister, id: PermissionId | ElicitationId): string {
  return ended.get(id) ?? "it was answered or withdrawn before";
}

/** False for a verdict on a request that was withdrawn, cancelled, or evaluated again since. */
export function isCurrent(
  { evaluating }: RequestRegister,
  { request, evaluationId }: { readonly request: PendingPermission; readonly evaluationId: string },
): boolean {
  return evaluating.get(request.permissionId)?.evaluationId === evaluationId;
}

interface Change extends Outcome {
  /** Open requests before the change. */
  readonly pending: readonly PendingRequest[];
  /** Absent if a command made the change. */
  readonly event?: Observed;
}

/** The register after an event or a command; the same object if nothing changes. */
export function advanceRegister(register: RequestRegister, { pending, event, facts, effects }: Change) {
  let { evaluating, ended } = register;
  if (event?.type === "lost" && evaluating.size > 0) evaluating = new Map();
  if (event?.type === "permission-withdrawn") evaluating = without(evaluating, event.permissionId);
  if (event?.type === "permission-evaluated" && isCurrent(register, event))
    evaluating = without(evaluating, event.request.permissionId);
  for (const fact of facts) {
    if (fact.type === "permission:resolved") {
      evaluating = without(evaluating, fact.permissionId);
      ended = withEnd(ended, fact.permissionId, permissionEnd(fact, pending));
    } else if (fact.type === "elicitation:resolved") ended = withEnd(ended, fact.elicitationId, questionEnd(fact));
  }
  for (const effect of effects) {
    if (effect.type === "answer-permission") evaluating = without(evaluating, effect.permissionId);
    if (effect.type === "evaluate-permission")
      evaluating = new Map(evaluating).set(effect.request.permissionId, effect);
  }
  return evaluating === register.evaluating && ended === register.ended ? register : { evaluating, ended };
}

function without<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

/** The oldest ends are dropped first. */
function withEnd(ended: RequestRegister["ended"], id: PermissionId | ElicitationId, words: string) {
  const all = [...without(ended, id), [id, words] as const];
  return new Map(all.slice(-ENDED_REQUESTS_MAX));
}

function permissionEnd(
  { permissionId, outcome, by, person }: Extract<FactBody, { type: "permission:resolved" }>,
  pending: readonly PendingRequest[],
): string {
  if (by === "policy") return "a rule answered it";
  const request = pending.filter(isPermission).find((one) => one.permissionId === permissionId);
  const chosen =
    outcome.outcome === "selected" && request?.options.find(({ optionId }) => optionId === outcome.optionId);
  if (!chosen) return "it was cancelled";
  return person ? `${person.name} answered it with "${chosen.name}"` : `it was answered with "${chosen.name}"`;
}

const ACTION_WORDS: Readonly<Record<QuestionAction, string>> = {
  accept: "it was answered",
  decline: "it was declined",
  cancel: "it was cancelled",
};

export function questionEnd({
  action,
  end,
  done,
  person,
}: Pick<Extract<FactBody, { type: "elicitation:resolved" }>, "action" | "end" | "done" | "person">): string {
  if (end === "unwatched") return "it was declined because nobody was available to answer";
  if (end === "withdrawn") return "the agent withdrew it";
  if (done) return "the page is no longer needed";
  return person ? `${ACTION_WORDS[action]} by ${person.name}` : ACTION_WORDS[action];
}

/** The request with everything known about its tool call: some agents send the details earlier and not again. */
export function permissionRequest(
  context: SessionContext,
  event: Extract<AgentEvent, { type: "permission-requested" }>,
): PendingPermission {
  const { permissionId, patch, options, subAgent } = event;
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
    ...(subAgent !== undefined && { subAgent }),
  };
}

export function questionRequest(
  context: SessionContext,
  { elicitationId, question }: Extract<AgentEvent, { type: "question-asked" }>,
): PendingQuestion {
  const entryId = EntryId.parse(context.newId());
  return { ...question, elicitationId, askedAt: context.now, entryId, ...turnOf(context) };
}

/**
 * Opens a request for the user to answer, after the facts in `before`. A request that arrives while the turn stops, or
 * over the limit, is answered with "cancelled" instead.
 */
export function openRequest(context: SessionContext, request: PendingRequest, before: readonly FactBody[]): Outcome {
  const refused = replyTo(request, { type: "cancelled" });
  if (isStopping(context)) return { facts: before, effects: refused };
  if (context.state.pending.length >= OPEN_REQUESTS_MAX)
    return { facts: noteTooManyRequests(context, before), effects: refused };
  const opened: FactBody[] = isPermission(request)
    ? [{ type: "permission:request", ...request }]
    : [
        ...closeOpenText(context),
        questionEntry(context.state, request, null),
        { type: "elicitation:request", ...request },
      ];
  return { facts: [...before, ...opened, ...turnFacts(context, { type: "request-opened" })], effects: [] };
}

/** After the facts in `before`. Once for each turn and the time after it, however many more requests arrive. */
function noteTooManyRequests(context: SessionContext, before: readonly FactBody[]): readonly FactBody[] {
  const { open, turn } = context.state;
  const entryId = EntryId.parse(`too-many-requests-${turn.turnId ?? "before"}`);
  if (open.some((entry) => entry.entryId === entryId) || context.settledEntry(entryId) !== null) return before;
  const entry: NoticeEntry = {
    type: "notice",
    entryId,
    ...turnOf(context),
    severity: "warning",
    content:
      `The agent opened more than ${OPEN_REQUESTS_MAX} requests at once. Further requests were answered with “cancelled”. ` +
      "Answer the open requests, or stop the turn.",
    timestamp: context.now,
  };
  const isClosed = before.some(({ type }) => type === "session:complete");
  return [...before, ...(isClosed ? [] : closeOpenText(context)), { type: "session:update", entry }];
}

/** Ends a request: the agent gets its answer, and the end of the last open one lets a waiting turn continue. */
export function closeRequest(context: SessionContext, request: PendingRequest, end: RequestEnd): Outcome {
  const remaining = context.state.pending.filter((one) => requestIdOf(one) !== requestIdOf(request)).length;
  return {
    facts: [...endFacts(context, request, end), ...turnFacts(context, { type: "request-closed", remaining })],
    effects: replyTo(request, end),
  };
}

/** Cancels every request, open or evaluating. The caller stops or ends the turn, so this does not change it. */
export function cancelAllRequests(
  context: SessionContext,
  isOver: (request: PendingRequest) => boolean = () => true,
): Outcome {
  const pending = context.state.pending.filter(isOver);
  const evaluated = [...context.requests.evaluating.values()].filter(
    ({ isOpen, request }) => !isOpen && isOver(request),
  );
  const end = { type: "cancelled" } as const;
  return {
    facts: pending.flatMap((request) => endFacts(context, request, end)),
    effects: [...pending, ...evaluated.map(({ request }) => request)].flatMap((request) => replyTo(request, end)),
  };
}

/** Ends the wait for a page that the user agreed to open; the agent already has its answer. */
export function closeVisit(state: SessionState, visit: PendingQuestion, action: QuestionAction): FactBody[] {
  const result: QuestionResult = { action, done: true };
  return [
    resolvedFact(visit.elicitationId, result),
    ...(action === "accept" ? [questionEntry(state, visit, result)] : []),
  ];
}

/** The user stopped the session, or the agent has ended: no page is awaited any longer. */
export function closeAllVisits({ visits }: SessionState): FactBody[] {
  return visits.map(({ elicitationId }) =>
    resolvedFact(elicitationId, { action: "cancel", end: "stopped", done: true }),
  );
}

/** What the agent receives; nothing if it withdrew the request. */
function replyTo(request: PendingRequest, end: RequestEnd): Effect[] {
  if (end.type === "withdrawn") return [];
  if (isPermission(request))
    return [{ type: "answer-permission", permissionId: request.permissionId, outcome: outcomeOf(end) }];
  const { action, content } = resultOf(end);
  const { elicitationId } = request;
  return [{ type: "answer-question", elicitationId, answer: { action, ...(content && { content }) } }];
}

function endFacts({ state, now }: SessionContext, request: PendingRequest, end: RequestEnd): FactBody[] {
  if (isPermission(request)) {
    const { permissionId } = request;
    const policy = "policy" in end && end.policy ? { by: "policy" as const, why: end.policy.why } : {};
    const person = "person" in end ? end.person : undefined;
    const outcome = outcomeOf(end);
    return [
      ...(person ? answeredTool(state, request, outcome, person) : []),
      { type: "permission:resolved", permissionId, outcome, ...policy, ...(person && { person }), at: now },
    ];
  }
  const person = "person" in end ? end.person : undefined;
  const result = { ...resultOf(end), ...(person && { person }) };
  return [resolvedFact(request.elicitationId, result, now), questionEntry(state, request, result)];
}

/** The tool call in the transcript shows who answered. */
function answeredTool(
  { open }: SessionState,
  { toolCall, options }: PendingPermission,
  outcome: PermissionOutcome,
  person: PersonRef,
): FactBody[] {
  const entry = findToolCall(open, toolCall.toolCallId);
  if (!entry || outcome.outcome === "cancelled") return [];
  const option = options.find(({ optionId }) => optionId === outcome.optionId);
  const answer = option?.kind.startsWith("allow") ? ("allowed" as const) : ("denied" as const);
  return [{ type: "session:update", entry: { ...entry, answered: { answer, person } } }];
}

function outcomeOf(end: RequestEnd): PermissionOutcome {
  return "outcome" in end ? end.outcome : { outcome: "cancelled" };
}

/** The result of a question; `done` is about a page. */
interface QuestionResult extends QuestionAnswer {
  readonly end?: QuestionEnd;
  readonly done?: true;
  readonly person?: PersonRef;
}

function resultOf(end: RequestEnd): QuestionResult {
  if ("answer" in end) return end.answer;
  switch (end.type) {
    case "withdrawn":
      return { action: "cancel", end: "withdrawn" };
    case "expired":
      return { action: "decline", end: "unwatched" };
    case "completed":
      return { action: "cancel", done: true };
    default:
      return { action: "cancel", end: "stopped" };
  }
}

function resolvedFact(elicitationId: ElicitationId, result: QuestionResult, at?: string): FactBody {
  const { action, end, done, person } = result;
  return {
    type: "elicitation:resolved",
    elicitationId,
    action,
    ...(end && { end }),
    ...(done && { done }),
    ...(person && { person }),
    ...(at !== undefined && { at }),
  };
}

/** The question in the transcript and, once it has ended, the result. */
function questionEntry(state: SessionState, request: PendingQuestion, result: QuestionResult | null): FactBody {
  const entryId = request.entryId ?? EntryId.parse(request.elicitationId);
  const entry: NoticeEntry = {
    type: "notice",
    entryId,
    ...(request.turnId !== undefined && { turnId: request.turnId }),
    severity: "info",
    content: [`Question: ${subjectOf(request)}`, ...(result ? resultLines(request, result) : [])].join("\n"),
    timestamp: request.askedAt,
    ...(result?.person && { person: result.person }),
  };
  const isLate = result !== null && !state.open.some((open) => open.entryId === entryId);
  return { type: "session:update", entry, ...(isLate && { late: true as const }) };
}

function subjectOf({ message, title, url }: PendingQuestion): string {
  const words = message.trim() || title?.trim() || "The agent has a question.";
  return url === undefined ? words : `${words}\n${url}`;
}

function resultLines(request: PendingQuestion, result: QuestionResult): string[] {
  const { action, end, content, done, person } = result;
  const who = person?.name ?? "You";
  if (end === "unwatched") return ["Declined automatically: nobody was available to answer."];
  if (end === "withdrawn") return ["The agent withdrew it."];
  if (end === "stopped") return ["Cancelled."];
  if (request.mode === "url") return [pageWords(who, action, done)];
  if (action === "decline") return [`${who} declined to answer.`];
  if (action === "cancel") return [`${who} dismissed it.`];
  const lines = request.fields.flatMap((field) => {
    const value = content?.[field.name];
    return value === undefined ? [] : [`${field.label}: ${valueWords(request, field.name, value)}`];
  });
  if (lines.length === 0) return [`${who} answered with no values.`];
  return person ? [`${who} answered.`, ...lines] : lines;
}

function pageWords(who: string, action: QuestionAction, done: true | undefined): string {
  if (action === "accept")
    return done ? `${who} opened the page, and the agent is done with it.` : `${who} opened the page.`;
  if (done) return "The agent no longer needs the page.";
  return action === "decline" ? `${who} declined to open the page.` : `${who} dismissed it.`;
}

function valueWords({ fields }: PendingQuestion, name: string, value: AnswerValue): string {
  const field = fields.find((one) => one.name === name);
  const options = field && "options" in field ? field.options : [];
  const words = (one: string | number | boolean) =>
    options.find((option) => option.value === one)?.label ?? String(one);
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(words).join(", ");
  if (typeof value === "boolean" && field?.kind === "boolean") return value ? "yes" : "no";
  const text = words(value);
  return text.length > ANSWER_SHOWN_CHARS_MAX ? `${text.slice(0, ANSWER_SHOWN_CHARS_MAX)}…` : text;
}
