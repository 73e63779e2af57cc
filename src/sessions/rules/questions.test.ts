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

describe("W-9 a question of the agent", () => {
  it("closes the open text, is shown in the transcript, and makes the turn wait", () => {
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

  it("gets its answer, which is shown in the transcript, and the turn continues", () => {
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

  it("stays open after an invalid answer", () => {
    const session = waiting();
    const told = session.tell({ ...respond, action: "accept", content: { way: "up" } });
    expect(told).toMatchObject({
      ok: false,
      refusal: { code: "INVALID_MESSAGE", fields: { way: expect.any(String) } },
    });
    expect(session.state.pending).toHaveLength(1);
  });

  it("waits beside a permission: the turn continues with the last answer of either kind", () => {
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
  ])("ends %s, once, with an entry about it", (_, act, words) => {
    const session = waiting();
    act(session);
    act(session);
    expect(session.state.pending).toEqual([]);
    expect(session.facts.filter(({ type }) => type === "elicitation:resolved")).toHaveLength(1);
    expect(session.told.filter(([type, content]) => type === "notice" && content.includes(words))).toHaveLength(1);
  });

  it("is closed after the user's own stop", () => {
    const session = new PureSession().start();
    session.tell({ type: "session:cancel" });
    session.hear(asked());
    expect(session.state.pending).toEqual([]);
    expect(session.effects.at(-1)).toMatchObject({ type: "answer-question", answer: { action: "cancel" } });
  });

  it("outside a turn is asked, too, and its entry is revised when it ends", () => {
    const session = new PureSession();
    session.hear(asked());
    expect(session.state).toMatchObject({ turn: { state: "idle" }, pending: [{ elicitationId: "e" }] });
    session.tell({ ...respond, action: "cancel" });
    expect(kept(session)).toContain("You dismissed it.");
    expect(session.facts.filter(({ type }) => type === "session:update")).toHaveLength(2);
  });
});

describe("W-9 the entry about a question", () => {
  const entryOf = (
    question: Question,
    answer: Omit<Extract<Parameters<PureSession["tell"]>[0], typeof respond>, keyof typeof respond>,
  ) => {
    const session = waiting(question);
    session.tell({ ...respond, ...answer });
    return kept(session);
  };

  it.each<[string, Question, string]>([
    ["its message", FORM, "Question: Which way?"],
    ["its title without a message", { ...FORM, message: " ", title: "Ways" }, "Question: Ways"],
    ["that there is one without either", { ...FORM, message: "", title: "  " }, "Question: The agent has a question."],
    ["the address of its page", PAGE, "Question: Sign in\nhttps://example.com/in"],
  ])("has %s", (_, question, words) => {
    expect(kept(waiting(question))).toBe(words);
  });

  it("has the end that the user chose", () => {
    expect(entryOf(FORM, { action: "decline" })).toEndWith("\nYou declined to answer.");
    expect(entryOf(FORM, { action: "cancel" })).toEndWith("\nYou dismissed it.");
    expect(entryOf(PAGE, { action: "decline" })).toEndWith("\nYou declined to open the page.");
    expect(entryOf(PAGE, { action: "cancel" })).toEndWith("\nYou dismissed it.");
    expect(entryOf({ ...FORM, fields: [] }, { action: "accept", content: {} })).toEndWith(
      "\nYou answered with no values.",
    );
  });

  it("has the values by their labels, long ones cut", () => {
    const options = [
      { value: 1, label: "One" },
      { value: "b", label: "Two" },
    ];
    const fields: Question["fields"] = [
      { kind: "choices", name: "some", label: "Some", required: false, options },
      { kind: "choices", name: "none", label: "None", required: false, options },
      { kind: "boolean", name: "yes", label: "Sure", required: false },
      { kind: "boolean", name: "no", label: "Fast", required: false },
      { kind: "text", name: "fits", label: "Fits", required: false },
      { kind: "text", name: "long", label: "Long", required: false },
      { kind: "number", name: "left-out", label: "Left out", required: false, integer: true },
    ];
    const [fits, long] = ["x".repeat(2_000), "y".repeat(2_001)];
    const content = { some: [1, "b"], none: [], yes: true, no: false, fits, long };
    expect(entryOf({ ...FORM, fields }, { action: "accept", content })?.split("\n")).toEqual([
      "Question: Which way?",
      "Some: One, Two",
      "None: none",
      "Sure: yes",
      "Fast: no",
      `Fits: ${fits}`,
      `Long: ${"y".repeat(2_000)}…`,
    ]);
  });

  it("is revised in its turn, and late when that has ended", () => {
    const session = waiting(PAGE);
    const isLate = () => session.facts.findLast((fact) => fact.type === "session:update")?.late ?? false;
    session.tell({ ...respond, action: "accept" });
    expect([kept(session), isLate()]).toEqual([expect.stringContaining("You opened the page."), false]);
    session.end("end_turn");
    session.hear({ type: "question-completed", elicitationId: elicitationId("e") });
    expect([kept(session), isLate()]).toEqual([expect.stringContaining("the agent is done with it"), true]);
  });
});

describe("W-9 a page to visit", () => {
  const done = { type: "question-completed", elicitationId: elicitationId("e") } as const;

  it("is accepted first, and awaited until the agent is done with it", () => {
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

  it("that is done before it is accepted is closed", () => {
    const session = waiting(PAGE);
    session.hear(done);
    expect(session.state).toMatchObject({ pending: [], visits: [], turn: { state: "running" } });
    expect(kept(session)).toEndWith("\nThe agent no longer needs the page.");
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
