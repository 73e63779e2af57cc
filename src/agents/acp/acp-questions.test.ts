import { describe, expect, it } from "bun:test";
import { CliType, type ElicitationId } from "../../protocol/ids.ts";
import type { QuestionAnswer } from "../../protocol/question.ts";
import { AcpQuestions } from "./acp-questions.ts";

const FORM = {
  mode: "form",
  sessionId: "s",
  message: "Who are you?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};

/** What a question that an earlier server has read leads to. */
function reread(known: "open" | QuestionAnswer | null, isAnswered = false) {
  const asked: ElicitationId[] = [];
  const answers: object[] = [];
  const session = {
    agentSessionId: "s",
    sink: () => undefined,
    isReplaying: false,
    answerOf: () => known,
    ask: ({ elicitationId }: { elicitationId: ElicitationId }) => void asked.push(elicitationId),
  };
  const questions = new AcpQuestions({
    id: CliType.parse("some-agent"),
    name: "Some agent",
    world: { now: () => 0, newId: () => "id" },
    processId: "process-1",
    desk: { ask: () => undefined, withdraw: () => undefined },
    sessionOf: () => session,
    subAgentOf: () => undefined,
    sessionNamed: () => session,
    answer: (offset, answer) => void answers.push({ offset, ...answer }),
  });
  questions.hooks.onQuestion({ offset: 7, isAnswered }, FORM);
  return { asked: asked.length, answers };
}

describe("a question that an earlier server has read (X-19)", () => {
  it("is asked when the user never had it", () => {
    expect(reread(null)).toEqual({ asked: 1, answers: [] });
  });

  it("is not asked again while the user has it", () => {
    expect(reread("open")).toEqual({ asked: 0, answers: [] });
  });

  it("gets the stored answer that the agent never received, and is not asked again", () => {
    const answer = { action: "accept" as const, content: { name: "Ada" } };
    expect(reread(answer)).toEqual({ asked: 0, answers: [{ offset: 7, result: answer }] });
  });

  it("is not answered twice", () => {
    expect(reread({ action: "decline" }, true)).toEqual({ asked: 0, answers: [] });
  });
});
