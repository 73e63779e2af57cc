import { describe, expect, it } from "bun:test";
import { elicitationId, NOW, permissionId } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import { requestIdOf } from "../../protocol/pending-request.ts";
import type { PermissionOutcome } from "../../protocol/session-parts.ts";
import type { Verdict } from "../policy/policy.ts";
import { advanceRegister, EMPTY_REGISTER, endOfRequest, isCurrent, OPEN_REQUESTS_MAX } from "./open-requests.ts";
import type { Effect } from "./session-context.ts";

function permission(id: string): AgentEvent {
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  return {
    type: "permission-requested",
    permissionId: permissionId(id),
    patch: { toolCallId: `call-${id}`, announced: true },
    options,
  };
}

function question(id: string): AgentEvent {
  return {
    type: "question-asked",
    elicitationId: elicitationId(id),
    question: { mode: "form", message: id, fields: [] },
  };
}

/** As many as may be open, of both kinds in turn: p0, e1, p2, … */
function askAll(session: PureSession): PureSession {
  for (let nth = 0; nth < OPEN_REQUESTS_MAX; nth += 1)
    session.hear(nth % 2 === 0 ? permission(`p${nth}`) : question(`e${nth}`));
  return session;
}

const openIds = (session: PureSession) => session.state.pending.map(requestIdOf);
const notices = (session: PureSession) =>
  session.told.filter(([type, words]) => type === "notice" && words.startsWith("The agent opened more than"));

describe("W-8 W-9 the open requests of one session", () => {
  it("have a limit: one more of either kind is cancelled at once with one notice, and open ones stay", () => {
    const session = askAll(new PureSession().start());
    expect([session.state.pending.length, notices(session)]).toEqual([OPEN_REQUESTS_MAX, []]);
    const open = openIds(session);
    const before = session.effects.length;
    session.text("And more:");
    const facts = session.since(() => session.hear(permission("more"), question("too"), permission("most")));
    expect(session.effects.slice(before)).toEqual([
      { type: "answer-permission", permissionId: permissionId("more"), outcome: { outcome: "cancelled" } },
      { type: "answer-question", elicitationId: elicitationId("too"), answer: { action: "cancel" } },
      { type: "answer-permission", permissionId: permissionId("most"), outcome: { outcome: "cancelled" } },
    ]);
    expect(facts.map(({ type }) => type)).toEqual([
      "session:complete",
      "session:update",
      "session:update",
      "session:update",
    ]);
    expect(openIds(session)).toEqual(open);
    expect(notices(session)).toHaveLength(1);
    expect(session.tools.map(({ toolCallId }) => toolCallId).slice(-2)).toEqual(["call-more", "call-most"]);
    expect(session.state.turn.state).toBe("waiting");
  });

  it("accept another as soon as one of them is answered", () => {
    const session = askAll(new PureSession().start());
    session.tell({ type: "permission:respond", permissionId: permissionId("p0"), optionId: "yes" });
    session.hear(permission("next"));
    expect(openIds(session).at(-1)).toBe("next");
    expect([session.state.pending.length, notices(session)]).toEqual([OPEN_REQUESTS_MAX, []]);
  });

  it("are reported again in a later turn, and once outside of any, however many arrive there", () => {
    const session = askAll(new PureSession().start());
    session.hear(permission("more"));
    session.end().start("again");
    askAll(session).hear(permission("more"));
    expect(notices(session)).toHaveLength(2);
    const idle = askAll(new PureSession());
    idle.hear(permission("more"), permission("most"));
    expect([idle.state.pending.length, notices(idle).length]).toEqual([OPEN_REQUESTS_MAX, 1]);
  });
});

describe("W-8 how a request ended", () => {
  const options = [{ optionId: "yes", name: "Allow once", kind: "allow_once" }];
  const pending = [
    { permissionId: permissionId("p"), toolCall: { toolCallId: "t", name: "T" }, options, askedAt: NOW },
  ];
  const resolved = (id: string, outcome: PermissionOutcome) =>
    ({ type: "permission:resolved", permissionId: permissionId(id), outcome }) as const;

  it("is kept as text, and an unknown end is reported as such", () => {
    const facts = [
      resolved("p", { outcome: "selected", optionId: "yes" }),
      resolved("q", { outcome: "cancelled" }),
      { ...resolved("r", { outcome: "selected", optionId: "yes" }), by: "policy", why: "a rule" } as const,
    ];
    const register = advanceRegister(EMPTY_REGISTER, { pending, facts, effects: [] });
    expect(["p", "q", "r", "never"].map((id) => endOfRequest(register, permissionId(id)))).toEqual([
      'it was answered with "Allow once"',
      "it was cancelled",
      "a rule answered it",
      "it was answered or withdrawn before",
    ]);
  });

  it.each([
    [{ action: "accept" }, "it was answered"],
    [{ action: "decline" }, "it was declined"],
    [{ action: "cancel" }, "it was cancelled"],
    [{ action: "cancel", end: "stopped" }, "it was cancelled"],
    [{ action: "cancel", end: "withdrawn" }, "the agent withdrew it"],
    [{ action: "decline", end: "unwatched" }, "it was declined because nobody was available to answer"],
    [{ action: "cancel", done: true }, "the page is no longer needed"],
  ] as const)("of a question: %o", (result, words) => {
    const fact = { type: "elicitation:resolved", elicitationId: elicitationId("e"), ...result } as const;
    const register = advanceRegister(EMPTY_REGISTER, { pending: [], facts: [fact], effects: [] });
    expect(endOfRequest(register, elicitationId("e"))).toBe(words);
  });

  it("is kept for the latest requests only, and nothing else changes the register", () => {
    let register = EMPTY_REGISTER;
    for (let count = 0; count < 500; count += 1)
      register = advanceRegister(register, {
        pending: [],
        facts: [resolved(`${count}`, { outcome: "cancelled" })],
        effects: [],
      });
    expect(endOfRequest(register, permissionId("499"))).toBe("it was cancelled");
    expect(endOfRequest(register, permissionId("0"))).toBe("it was answered or withdrawn before");
    expect(register.ended.size).toBe(200);
    expect(advanceRegister(register, { pending, facts: [{ type: "session:archived" }], effects: [] })).toBe(register);
  });
});

describe("W-8 a permission request that the policy evaluates", () => {
  const allow = { answer: "allow", why: "a rule" } as const;

  function evaluating(session = new PureSession().start()): PureSession {
    session.consider = () => ({ decides: true });
    session.hear(permission("p"));
    return session;
  }

  /** The last requested evaluation. */
  function evaluation(session: PureSession) {
    const effect = session.effects.findLast(({ type }) => type === "evaluate-permission");
    if (effect?.type !== "evaluate-permission") throw new Error("nothing is evaluated");
    const { evaluationId, request, isOpen } = effect;
    return { evaluationId, request, isOpen };
  }

  const verdict = (session: PureSession, verdict: Verdict) =>
    ({ type: "permission-evaluated", ...evaluation(session), verdict }) as const;
  const CANCELLED: Effect = {
    type: "answer-permission",
    permissionId: permissionId("p"),
    outcome: { outcome: "cancelled" },
  };

  it("is not open, and its answer by a rule is visible to everyone and does not make the turn wait", () => {
    const session = evaluating();
    expect([session.state.pending, session.state.turn.state]).toEqual([[], "running"]);
    const facts = session.since(() => session.hear(verdict(session, allow)));
    expect(facts.map(({ type }) => type)).toEqual(["session:update", "permission:request", "permission:resolved"]);
    expect(session.effects.at(-1)).toMatchObject({ outcome: { outcome: "selected", optionId: "yes" } });
    expect([session.state.pending, session.state.turn.state]).toEqual([[], "running"]);
  });

  it("opens if the verdict leaves it to the user", () => {
    const session = evaluating();
    session.hear(verdict(session, { answer: "ask", why: "No rule covers it." }));
    expect(session.state).toMatchObject({ turn: { state: "waiting" }, pending: [{ note: "No rule covers it." }] });
    expect(session.requests.evaluating.size).toBe(0);
  });

  it.each<[string, (session: PureSession) => void, readonly Effect[]]>([
    [
      "its withdrawal",
      (session) => session.hear({ type: "permission-withdrawn", permissionId: permissionId("p") }),
      [],
    ],
    [
      "the loss of its agent",
      (session) => session.hear({ type: "lost", reason: "gone", state: "crashed" }),
      [CANCELLED],
    ],
    ["a cancel", (session) => session.tell({ type: "session:cancel" }), [CANCELLED]],
    ["the end of its turn", (session) => session.end(), [CANCELLED]],
  ])("ends with %s: a later verdict has no effect", (_, end, answers) => {
    const session = evaluating();
    const late = verdict(session, allow);
    const before = session.effects.length;
    end(session);
    const given = session.effects.slice(before).filter(({ type }) => type === "answer-permission");
    expect(given).toEqual([...answers]);
    expect(session.requests.evaluating.size).toBe(0);
    expect(isCurrent(session.requests, late)).toBe(false);
    const effects = session.effects.length;
    expect(session.since(() => session.hear(late))).toEqual([]);
    expect(session.effects).toHaveLength(effects);
  });

  it("is evaluated again if the policy changes while it is open; the later verdict counts, once", () => {
    const session = new PureSession().start();
    session.hear(permission("p"), { type: "policy-changed" });
    const first = verdict(session, { answer: "deny", why: "old" });
    session.hear({ type: "policy-changed" });
    const second = verdict(session, allow);
    session.hear(first);
    expect(session.state.pending).toHaveLength(1);
    session.hear(second, second);
    expect(session.state).toMatchObject({ pending: [], turn: { state: "running" } });
    expect(session.facts.filter(({ type }) => type === "permission:resolved")).toHaveLength(1);
  });

  it("stays open if the changed policy still leaves it to the user, or the user is faster", () => {
    const session = new PureSession().start();
    session.hear(permission("p"), { type: "policy-changed" });
    session.hear(verdict(session, { answer: "ask", why: "still" }));
    expect(session.state).toMatchObject({ pending: [{ permissionId: "p" }], turn: { state: "waiting" } });
    session.hear({ type: "policy-changed" });
    const late = verdict(session, allow);
    session.tell({ type: "permission:respond", permissionId: permissionId("p"), optionId: "yes" });
    expect(session.since(() => session.hear(late))).toEqual([]);
  });
});
