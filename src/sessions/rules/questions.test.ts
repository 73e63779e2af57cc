import { describe, expect, it } from "bun:test";
import { elicitationId, permissionId } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import type { Question } from "../../protocol/question.ts";

const FORM: Question = {
  mode: "form",
  message: "Which way?",
  fields: [
    {
      kind: "choice",
      name: "way",
      label: "Way",
      required: true,
      options: [
        { value: "l", label: "Left" },
        { value: "r", label: "Right" },
      ],
    },
  ],
};
const PAGE: Question = { mode: "url", message: "Sign in", fields: [], url: "https://example.com/in" };

function asked(question: Question = FORM, id = "e"): AgentEvent {
  return { type: "question-asked", elicitationId: elicitationId(id), question };
}

function waiting(question: Question = FORM): PureSession {
  const session = new PureSession().start();
  session.hear(asked(question));
  return session;
}

const respond = { type: "elicitation:respond", elicitationId: elicitationId("e") } as const;
const kept = (session: PureSession) => session.told.findLast(([type]) => type === "notice")?.[1];

describe("W-9 a question of the agent's", () => {
  it("closes what was being said, stands in the transcript, and makes the turn wait", () => {
    const session = new PureSession().start();
    session.hear({ type: "text", kind: "assistant", text: "Hm." });
    const facts = session.since(() => session.hear(asked()));
    expect(facts.map(({ type }) => type)).toEqual([
      "session:complete",
      "session:update",
      "elicitation:request",
      "session:turn",
    ]);
    expect(session.state).toMatchObject({ turn: { state: "waiting" }, pending: [{ ...FORM, elicitationId: "e" }] });
    expect(kept(session)).toBe("Question: Which way?");
  });

  it("gets its answer, in words in the transcript, and the turn goes on", () => {
    const session = waiting();
    expect(session.tell({ ...respond, action: "accept", content: { way: "r" } })).toMatchObject({ ok: true });
    expect(session.effects.at(-1)).toEqual({
      type: "answer-question",
      elicitationId: elicitationId("e"),
      answer: { action: "accept", content: { way: "r" } },
    });
    expect(session.state).toMatchObject({ turn: { state: "running" }, pending: [] });
    expect(kept(session)).toBe("Question: Which way?\nWay: Right");
  });

  it("stays open after an answer that does not fit", () => {
    const session = waiting();
    const told = session.tell({ ...respond, action: "accept", content: { way: "up" } });
    expect(told).toMatchObject({
      ok: false,
      refusal: { code: "INVALID_MESSAGE", fields: { way: expect.any(String) } },
    });
    expect(session.state.pending).toHaveLength(1);
  });

  it("waits beside a permission: the turn goes on with the last answer of either kind", () => {
    const session = waiting();
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
    const patch = { toolCallId: "c", announced: true };
    session.hear({ type: "permission-requested", permissionId: permissionId("p"), patch, options });
    session.tell({ ...respond, action: "decline" });
    expect(session.state.turn.state).toBe("waiting");
    session.tell({ type: "permission:respond", permissionId: permissionId("p"), optionId: "yes" });
    expect(session.state.turn.state).toBe("running");
  });

  it.each<[string, (session: PureSession) => void, string]>([
    [
      "withdrawn",
      (session) => session.hear({ type: "question-withdrawn", elicitationId: elicitationId("e") }),
      "withdrew it",
    ],
    [
      "unwatched",
      (session) => session.hear({ type: "question-unwatched", elicitationId: elicitationId("e") }),
      "nobody was available",
    ],
    ["at a cancel", (session) => session.tell({ type: "session:cancel" }), "Cancelled."],
    ["at a kill", (session) => session.tell({ type: "session:kill" }), "Cancelled."],
    ["with its agent", (session) => session.hear({ type: "lost", reason: "gone", state: "crashed" }), "Cancelled."],
  ])("ends %s, once, with an entry that says so", (_, act, words) => {
    const session = waiting();
    act(session);
    act(session);
    expect(session.state.pending).toEqual([]);
    expect(session.facts.filter(({ type }) => type === "elicitation:resolved")).toHaveLength(1);
    expect(session.told.filter(([type, content]) => type === "notice" && content.includes(words))).toHaveLength(1);
  });

  it("is no question any more after the user's own stop", () => {
    const session = new PureSession().start();
    session.tell({ type: "session:cancel" });
    session.hear(asked());
    expect(session.state.pending).toEqual([]);
    expect(session.effects.at(-1)).toMatchObject({ type: "answer-question", answer: { action: "cancel" } });
  });

  it("outside a turn it is asked all the same, and its entry is revised when it is over", () => {
    const session = new PureSession();
    session.hear(asked());
    expect(session.state).toMatchObject({ turn: { state: "idle" }, pending: [{ elicitationId: "e" }] });
    session.tell({ ...respond, action: "cancel" });
    expect(kept(session)).toContain("You dismissed it.");
    expect(session.facts.filter(({ type }) => type === "session:update")).toHaveLength(2);
  });
});

describe("W-9 a page to visit", () => {
  const done = { type: "question-completed", elicitationId: elicitationId("e") } as const;

  it("is agreed to first, and waited for until the agent is done with it", () => {
    const session = waiting(PAGE);
    session.tell({ ...respond, action: "accept" });
    expect(session.state).toMatchObject({ pending: [], visits: [{ url: PAGE.url }], turn: { state: "running" } });
    expect(kept(session)).toContain("You opened the page.");
    session.hear(done);
    session.hear(done);
    expect(session.state.visits).toEqual([]);
    expect(kept(session)).toContain("the agent is done with it");
    expect(session.effects.filter(({ type }) => type === "answer-question")).toHaveLength(1);
  });

  it("that is done before anyone agreed is no question any more", () => {
    const session = waiting(PAGE);
    session.hear(done);
    expect(session.state).toMatchObject({ pending: [], visits: [], turn: { state: "running" } });
    expect(session.effects.at(-1)).toMatchObject({ answer: { action: "cancel" } });
  });

  it("survives the end of the turn, and not the end of its agent", () => {
    const session = waiting(PAGE);
    session.tell({ ...respond, action: "accept" });
    session.end("end_turn");
    expect(session.state.visits).toHaveLength(1);
    session.hear({ type: "lost", reason: "idle", state: "idle" });
    expect(session.state.visits).toEqual([]);
  });
});
