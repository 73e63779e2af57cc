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

  it("W-8 sends the chosen option to the agent, and the turn continues", () => {
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

  describe("with a reason (D13)", () => {
    const STEERS = { image: false, audio: false, embeddedContext: false, steering: true } as const;
    const denied = { ...respond, optionId: "no", reason: "use npm ci" };

    it("an agent that accepts messages during a turn gets it after the answer, in the same turn", () => {
      const session = waiting();
      session.hear({ type: "abilities", abilities: STEERS });
      expect(session.tell(denied)).toMatchObject({
        ok: true,
        answer: "permission:resolved",
        effects: [
          { type: "answer-permission", outcome: { outcome: "selected", optionId: "no" } },
          { type: "steer", turnId: session.turn, content: "use npm ci" },
        ],
      });
      expect(session.state.queue).toMatchObject([{ content: "use npm ci", steering: true }]);
    });

    it("another agent gets it as the next message, ahead of queued ones", () => {
      const session = waiting();
      session.tell({ type: "session:send", content: "later" });
      session.tell(denied);
      expect(session.state.queue.map(({ content }) => content)).toEqual(["use npm ci", "later"]);
      session.end();
      expect(session.effects.at(-1)).toMatchObject({ type: "prompt", content: "use npm ci" });
    });

    it("is sent even if the agent ends its turn as cancelled because of the denial; otherwise the queue is paused then", () => {
      for (const answer of [denied, { ...respond, optionId: "no" }]) {
        const session = waiting();
        session.tell({ type: "session:send", content: "later" });
        session.tell(answer);
        session.end("cancelled");
        expect(session.state.queuePaused).toBe(answer !== denied);
      }
    });

    it("a steering message that was not accepted before such an end starts its own turn", () => {
      const session = waiting();
      session.hear({ type: "abilities", abilities: STEERS });
      session.tell(denied);
      const [item] = session.state.queue;
      session.end("cancelled");
      if (item) session.hear({ type: "steered", commandId: item.commandId, outcome: "not-taken" });
      expect(session.effects.at(-1)).toMatchObject({ type: "prompt", content: "use npm ci" });
    });

    it("is refused with an allowing option; the request stays", () => {
      const session = waiting();
      expect(session.tell({ ...respond, optionId: "yes", reason: "why" })).toMatchObject({
        ok: false,
        refusal: { code: "INVALID_MESSAGE" },
      });
      expect(session.state.pending).toHaveLength(1);
    });
  });

  it("(D10) the time a call waits for the user is not counted as its own, however the request ends", () => {
    const asked = Date.parse(new PureSession().now);
    const later = (seconds: number) => new Date(asked + seconds * 1_000).toISOString();
    const answered = waiting();
    answered.now = later(60);
    answered.tell({ ...respond, optionId: "yes" });
    answered.now = later(62);
    answered.patch("call", { status: "complete" });
    expect(answered.tools[0]).toMatchObject({ startedAt: later(0), endedAt: later(62), waitedMs: 60_000 });
    answered.hear({ ...ASK, permissionId: permissionId("again") });
    answered.now = later(65);
    answered.hear({ type: "permission-withdrawn", permissionId: permissionId("again") });
    expect(answered.tools[0]).toMatchObject({ waitedMs: 63_000 });
    const stopped = waiting();
    stopped.now = later(30);
    stopped.tell({ type: "session:cancel" });
    expect(stopped.tools[0]).toMatchObject({ status: "cancelled", endedAt: later(30), waitedMs: 30_000 });
    const ended = waiting();
    ended.now = later(20);
    ended.end();
    expect(ended.tools[0]).toMatchObject({ endedAt: later(20), waitedMs: 20_000 });
  });

  it("can also be declined without choosing", () => {
    const session = waiting();
    session.tell({ ...respond, outcome: "cancelled" });
    expect(session.effects.at(-1)).toMatchObject({ outcome: { outcome: "cancelled" } });
  });

  it("keeps waiting while another question is open", () => {
    const session = waiting();
    session.hear({ ...ASK, permissionId: permissionId("q") });
    session.tell({ ...respond, optionId: "yes" });
    expect([session.state.turn.state, session.state.pending.length]).toEqual(["waiting", 1]);
  });

  it("refuses an option the agent did not offer, and a missing choice; the request stays", () => {
    const session = waiting();
    for (const wrong of [{ ...respond, optionId: "maybe" }, respond])
      expect(session.tell(wrong)).toMatchObject({ ok: false, refusal: { code: "INVALID_MESSAGE" } });
    expect(session.state.pending).toHaveLength(1);
  });

  it("answers a closed request with how it ended", () => {
    const session = waiting();
    session.tell({ ...respond, optionId: "yes" });
    const effects = session.effects.length;
    expect(session.tell({ ...respond, optionId: "yes" })).toEqual({
      ok: false,
      refusal: { code: "REQUEST_NOT_PENDING", message: 'This request is no longer open: it was answered with "Yes".' },
    });
    expect(session.effects).toHaveLength(effects);
  });
});
