import type { AgentEvent } from "../../ports/agents.ts";
import type { NoticeEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { type ElicitationId, EntryId } from "../../protocol/ids.ts";
import { isQuestion } from "../../protocol/pending-request.ts";
import type {
  AnswerContent,
  AnswerValue,
  PendingQuestion,
  QuestionAction,
  QuestionEnd,
} from "../../protocol/question.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-schema.ts";
import { closeOpenText, turnOf } from "./observe-text.ts";
import { isAskingTooMuch, noteTooManyRequests } from "./open-requests.ts";
import { NOTHING, type Outcome, type SessionContext } from "./session-context.ts";

type QuestionEvent = Extract<AgentEvent, { type: `question-${string}` }>;

/** Pure: what an agent's question, or its end, means in this state. */
export function observeQuestion(context: SessionContext, event: QuestionEvent): Outcome {
  const { elicitationId } = event;
  switch (event.type) {
    case "question-asked":
      return ask(context, event);
    case "question-withdrawn":
      return end(context, elicitationId, { action: "cancel", end: "withdrawn" });
    case "question-unwatched":
      return end(context, elicitationId, { action: "decline", end: "unwatched" });
    case "question-completed":
      return complete(context, elicitationId);
    default:
      return event satisfies never;
  }
}

function ask(
  context: SessionContext,
  { elicitationId, question }: Extract<QuestionEvent, { type: "question-asked" }>,
): Outcome {
  const { turn } = context.state;
  // Asked after the user's own stop, it is no question any more: nobody must wait for an answer to it.
  if (isTurnActive(turn) && context.cancelling === turn.turnId) return refuse(elicitationId, []);
  if (isAskingTooMuch(context.state)) return refuse(elicitationId, noteTooManyRequests(context, []));
  const asked: PendingQuestion = {
    ...question,
    elicitationId,
    askedAt: context.now,
    entryId: EntryId.parse(context.newId()),
    ...turnOf(context),
  };
  const waits = turn.state === "running" || turn.state === "stalled";
  return {
    facts: [
      ...closeOpenText(context),
      questionEntry(context.state, asked, null),
      { type: "elicitation:request", ...asked },
      ...(waits ? [{ type: "session:turn" as const, turn: { ...turn, state: "waiting" as const } }] : []),
    ],
    effects: [],
  };
}

function refuse(elicitationId: ElicitationId, facts: readonly FactBody[]): Outcome {
  return { facts, effects: [{ type: "answer-question", elicitationId, answer: { action: "cancel" } }] };
}

function end(context: SessionContext, elicitationId: ElicitationId, resolution: Resolution): Outcome {
  const asked = openQuestion(context.state, elicitationId);
  return asked ? resolveQuestion(context, asked, resolution) : NOTHING;
}

/** The agent is done with a page: with one nobody agreed to yet, the question goes, too. */
function complete(context: SessionContext, elicitationId: ElicitationId): Outcome {
  const visit = context.state.visits.find((one) => one.elicitationId === elicitationId);
  if (visit) return { facts: endVisit(context.state, visit, { action: "accept", done: true }), effects: [] };
  return end(context, elicitationId, { action: "cancel", done: true });
}

export function openQuestion(state: SessionState, elicitationId: ElicitationId): PendingQuestion | undefined {
  return state.pending.filter(isQuestion).find((one) => one.elicitationId === elicitationId);
}

/** Whether it is open here, or a page that is still waited for. */
export function hasQuestion(state: SessionState, elicitationId: ElicitationId): boolean {
  const isVisited = state.visits.some((one) => one.elicitationId === elicitationId);
  return isVisited || openQuestion(state, elicitationId) !== undefined;
}

/** The question is over for everyone, the agent has its answer, and with the last one the turn goes on. */
export function resolveQuestion(
  { state, now }: Pick<SessionContext, "state" | "now">,
  asked: PendingQuestion,
  resolution: Resolution,
): Outcome {
  const { elicitationId } = asked;
  const { action, content } = resolution;
  const lastOne = state.pending.length === 1 && state.turn.state === "waiting";
  return {
    facts: [
      resolvedFact(elicitationId, resolution, now),
      questionEntry(state, asked, resolution),
      ...(lastOne ? [{ type: "session:turn" as const, turn: { ...state.turn, state: "running" as const } }] : []),
    ],
    effects: [{ type: "answer-question", elicitationId, answer: { action, ...(content && { content }) } }],
  };
}

/** Nobody waits for the page any more; the agent had its answer when the user agreed to open it. */
export function endVisit(state: SessionState, visit: PendingQuestion, resolution: Resolution): FactBody[] {
  return [
    resolvedFact(visit.elicitationId, resolution),
    ...(resolution.action === "accept" ? [questionEntry(state, visit, resolution)] : []),
  ];
}

/** The user's stop, or the agent's end: no page is waited for any longer. */
export function stopVisits({ visits }: SessionState): FactBody[] {
  return visits.map(({ elicitationId }) =>
    resolvedFact(elicitationId, { action: "cancel", end: "stopped", done: true }),
  );
}

/** Open questions are answered `cancel`: nobody must wait for an answer that cannot matter any more. */
export function stopQuestions(state: SessionState, now: string): Outcome {
  const stopped: Resolution = { action: "cancel", end: "stopped" };
  const questions = state.pending.filter(isQuestion);
  return {
    facts: questions.flatMap((asked) => [
      resolvedFact(asked.elicitationId, stopped, now),
      questionEntry(state, asked, stopped),
    ]),
    effects: questions.map(({ elicitationId }) => ({
      type: "answer-question",
      elicitationId,
      answer: { action: "cancel" },
    })),
  };
}

function resolvedFact(elicitationId: ElicitationId, { action, end: ended, done }: Resolution, at?: string): FactBody {
  return {
    type: "elicitation:resolved",
    elicitationId,
    action,
    ...(ended && { end: ended }),
    ...(done && { done }),
    ...(at !== undefined && { at }),
  };
}

const ANSWER_SHOWN_CHARS_MAX = 2_000;

/** What came of a question; `done` is said of a page the user had agreed to open. */
interface Resolution {
  readonly action: QuestionAction;
  readonly end?: QuestionEnd;
  readonly content?: AnswerContent;
  readonly done?: true;
}

/** The question as the transcript keeps it: what was asked, and once it is over, what came of it. */
function questionEntry(state: SessionState, asked: PendingQuestion, resolution: Resolution | null): FactBody {
  const entryId = asked.entryId ?? EntryId.parse(asked.elicitationId);
  const entry: NoticeEntry = {
    type: "notice",
    entryId,
    ...(asked.turnId !== undefined && { turnId: asked.turnId }),
    severity: "info",
    content: [`Question: ${subjectOf(asked)}`, ...(resolution ? outcomeLines(asked, resolution) : [])].join("\n"),
    timestamp: asked.askedAt,
  };
  const isOver = resolution !== null && !state.open.some((open) => open.entryId === entryId);
  return { type: "session:update", entry, ...(isOver && { late: true as const }) };
}

function subjectOf({ message, title, url }: PendingQuestion): string {
  const words = message.trim() || title?.trim() || "the agent wants to know something.";
  return url === undefined ? words : `${words}\n${url}`;
}

function outcomeLines(asked: PendingQuestion, resolution: Resolution): string[] {
  const { action, end, content, done } = resolution;
  if (end === "unwatched") return ["Declined: nobody was here to answer."];
  if (end === "withdrawn") return ["The agent took it back."];
  if (end === "stopped") return ["Cancelled."];
  if (asked.mode === "url") return [pageWords(action, done)];
  if (action === "decline") return ["You declined to answer."];
  if (action === "cancel") return ["You dismissed it."];
  const lines = asked.fields.flatMap((field) => {
    const value = content?.[field.name];
    return value === undefined ? [] : [`${field.label}: ${valueWords(asked, field.name, value)}`];
  });
  return lines.length > 0 ? lines : ["You answered without filling anything in."];
}

function pageWords(action: QuestionAction, done: true | undefined): string {
  if (action === "accept") return done ? "You opened the page, and the agent is done with it." : "You opened the page.";
  if (done) return "The agent no longer needs the page.";
  return action === "decline" ? "You declined to open the page." : "You dismissed it.";
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
