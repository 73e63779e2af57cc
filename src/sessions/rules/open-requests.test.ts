import { describe, expect, it } from "bun:test";
import { elicitationId, permissionId } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import { requestIdOf } from "../../protocol/pending-request.ts";
import { OPEN_REQUESTS_MAX } from "./open-requests.ts";

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
  session.told.filter(([type, words]) => type === "notice" && words.startsWith("The agent asked for more than"));

describe("W-8 W-9 the open requests of one session", () => {
  it("have a limit: one more of either kind is cancelled at once, is said once, and what is open stays", () => {
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

  it("take another as soon as one of them is answered", () => {
    const session = askAll(new PureSession().start());
    session.tell({ type: "permission:respond", permissionId: permissionId("p0"), optionId: "yes" });
    session.hear(permission("next"));
    expect(openIds(session).at(-1)).toBe("next");
    expect([session.state.pending.length, notices(session)]).toEqual([OPEN_REQUESTS_MAX, []]);
  });

  it("are told of anew in a later turn, and once outside of any, however much is asked there", () => {
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
