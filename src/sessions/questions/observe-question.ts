import type { AgentEvent } from "../../ports/agents.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { type ElicitationId, EntryId } from "../../protocol/ids.ts";
import { isQuestion } from "../../protocol/pending-request.ts";
import type { PendingQuestion } from "../../protocol/question.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-state.ts";
import { closeOpenText, turnOf } from "../meaning/observe-text.ts";
import { isAskingTooMuch, noteTooManyRequests } from "../meaning/open-requests.ts";
import { NOTHING, type Outcome, type Scene } from "../meaning/scene.ts";
import { questionEntry, type Resolution } from "./question-entry.ts";

type QuestionEvent = Extract<AgentEvent, { type: `question-${string}` }>;

/** Pure: what an agent's question, or its end, means in this state. */
export function observeQuestion(scene: Scene, event: QuestionEvent): Outcome {
  const { elicitationId } = event;
  switch (event.type) {
    case "question-asked":
      return ask(scene, event);
    case "question-withdrawn":
      return end(scene, elicitationId, { action: "cancel", end: "withdrawn" });
    case "question-unwatched":
      return end(scene, elicitationId, { action: "decline", end: "unwatched" });
    case "question-completed":
      return complete(scene, elicitationId);
    default:
      return event satisfies never;
  }
}

function ask(scene: Scene, { elicitationId, question }: Extract<QuestionEvent, { type: "question-asked" }>): Outcome {
  const { turn } = scene.state;
  // Asked after the user's own stop, it is no question any more: nobody must wait for an answer to it.
  if (isTurnActive(turn) && scene.cancelling === turn.turnId) return refuse(elicitationId, []);
  if (isAskingTooMuch(scene.state)) return refuse(elicitationId, noteTooManyRequests(scene, []));
  const asked: PendingQuestion = {
    ...question,
    elicitationId,
    askedAt: scene.now,
    entryId: EntryId.parse(scene.newId()),
    ...turnOf(scene),
  };
  const waits = turn.state === "running" || turn.state === "stalled";
  return {
    facts: [
      ...closeOpenText(scene),
      questionEntry(scene.state, asked, null),
      { type: "elicitation:request", ...asked },
      ...(waits ? [{ type: "session:turn" as const, turn: { ...turn, state: "waiting" as const } }] : []),
    ],
    effects: [],
  };
}

function refuse(elicitationId: ElicitationId, facts: readonly FactBody[]): Outcome {
  return { facts, effects: [{ type: "answer-question", elicitationId, answer: { action: "cancel" } }] };
}

function end(scene: Scene, elicitationId: ElicitationId, resolution: Resolution): Outcome {
  const asked = openQuestion(scene.state, elicitationId);
  return asked ? resolveQuestion(scene, asked, resolution) : NOTHING;
}

/** The agent is done with a page: with one nobody agreed to yet, the question goes, too. */
function complete(scene: Scene, elicitationId: ElicitationId): Outcome {
  const visit = scene.state.visits.find((one) => one.elicitationId === elicitationId);
  if (visit) return { facts: endVisit(scene.state, visit, { action: "accept", done: true }), effects: [] };
  return end(scene, elicitationId, { action: "cancel", done: true });
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
  { state, now }: Pick<Scene, "state" | "now">,
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
