import { describe, expect, it } from "bun:test";
import { permissionId } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";

const ASK: AgentEvent = {
  type: "permission-requested",
  permissionId: permissionId("p"),
  patch: { toolCallId: "call", announced: true },
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
};

function waiting(): PureSession {
  const session = new PureSession().start();
  session.hear(ASK);
  return session;
}

describe("permission:respond", () => {
  const respond = { type: "permission:respond", permissionId: permissionId("p") } as const;

  it("W-8 gives the agent the chosen option, and the turn goes on", () => {
    const session = waiting();
    expect(session.tell({ ...respond, optionId: "no" })).toMatchObject({
      ok: true,
      answer: "permission:resolved",
      facts: [
        { type: "permission:resolved", permissionId: "p", outcome: { outcome: "selected", optionId: "no" } },
        { type: "session:turn", turn: { state: "running" } },
      ],
      effects: [{ type: "answer-permission", permissionId: "p", outcome: { outcome: "selected", optionId: "no" } }],
    });
  });

  it("can also be declined without choosing", () => {
    const session = waiting();
    session.tell({ ...respond, outcome: "cancelled" });
    expect(session.effects.at(-1)).toMatchObject({ outcome: { outcome: "cancelled" } });
  });

  it("waits on while another question is open", () => {
    const session = waiting();
    session.hear({ ...ASK, permissionId: permissionId("q") });
    session.tell({ ...respond, optionId: "yes" });
    expect([session.state.turn.state, session.state.pending.length]).toEqual(["waiting", 1]);
  });

  it("refuses an option the agent did not offer, and no choice at all; the question stays", () => {
    const session = waiting();
    for (const wrong of [{ ...respond, optionId: "maybe" }, respond])
      expect(session.tell(wrong)).toMatchObject({ ok: false, refusal: { code: "INVALID_MESSAGE" } });
    expect(session.state.pending).toHaveLength(1);
  });

  it("answers a question that is no longer open with how it ended", () => {
    const session = waiting();
    session.tell({ ...respond, optionId: "yes" });
    const effects = session.effects.length;
    expect(session.tell({ ...respond, optionId: "yes" })).toEqual({
      ok: false,
      refusal: { code: "REQUEST_NOT_PENDING", message: "This request is no longer open: the end of p." },
    });
    expect(session.effects).toHaveLength(effects);
  });
});
