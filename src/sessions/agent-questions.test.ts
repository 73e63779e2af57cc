import { describe, expect, it } from "bun:test";
import { BUILTIN, elicitationId, NOW } from "../../tests/core/names.ts";
import { AbsenceWatch } from "../lib/absence-watch.ts";
import type { AgentQuestion } from "../protocol/question.ts";
import { AgentQuestions } from "./agent-questions.ts";

const question = (id: string): AgentQuestion => ({
  elicitationId: elicitationId(id),
  cliType: BUILTIN,
  agentName: "Guide",
  askedAt: NOW,
  mode: "form",
  message: "Code?",
  fields: [{ kind: "text", name: "code", label: "Code", required: true }],
});

/** A desk without clients, and the end of the waiting time. */
function desk() {
  const heard: string[] = [];
  const elapsing: (() => void)[] = [];
  const absence = new AbsenceWatch(1, (_, call) => {
    elapsing.push(call);
    return () => elapsing.splice(elapsing.indexOf(call), 1);
  });
  const questions = new AgentQuestions({
    absence,
    onAsked: (asked) => heard.push(`asked ${asked.elicitationId}`),
    onResolved: (id, action) => heard.push(`resolved ${id} ${action}`),
  });
  const ask = (id: string) =>
    questions.ask(question(id), ({ action, content }) =>
      heard.push(`told ${action} ${JSON.stringify(content ?? null)}`),
    );
  return { questions, heard, ask, elapse: () => elapsing.shift()?.() };
}

const respond = { type: "elicitation:respond", elicitationId: elicitationId("e") } as const;

describe("W-9 a question outside any session", () => {
  it("is answered once, with the requested fields", () => {
    const { questions, heard, ask } = desk();
    ask("e");
    expect(questions.list()).toEqual([question("e")]);
    expect(questions.respond({ ...respond, action: "accept" })).toMatchObject({ fields: { code: "Fill this in." } });
    expect(questions.respond({ ...respond, action: "accept", content: { code: "AB" } })).toBeNull();
    expect(heard).toEqual(["asked e", 'told accept {"code":"AB"}', "resolved e accept"]);
    expect(questions.list()).toEqual([]);
    expect(questions.respond({ ...respond, action: "decline" })).toMatchObject({
      code: "REQUEST_NOT_PENDING",
      message: expect.stringContaining("it was answered"),
    });
  });

  it("is declined if no client is connected for long", () => {
    const { heard, ask, elapse } = desk();
    ask("e");
    elapse();
    elapse();
    expect(heard).toEqual(["asked e", "told decline null", "resolved e decline"]);
  });

  it("is removed with its agent, which gets no answer", () => {
    const { questions, heard, ask, elapse } = desk();
    ask("e");
    questions.withdraw(elicitationId("e"));
    questions.withdraw(elicitationId("e"));
    elapse();
    expect(heard).toEqual(["asked e", "resolved e cancel"]);
  });

  it("is declined at once if there are too many already", () => {
    const { heard, ask } = desk();
    for (let count = 0; count < 30; count += 1) ask(`e${count}`);
    expect(heard.filter((words) => words === "told decline null")).toHaveLength(10);
  });
});
