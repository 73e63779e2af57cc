import { describe, expect, it } from "bun:test";
import { commandId, permissionId, turnId } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import { StopReason } from "../../protocol/stop-reason.ts";

const ASK: AgentEvent = {
  type: "permission-requested",
  permissionId: permissionId("p"),
  patch: { toolCallId: "asked", announced: true },
  options: [],
};

/** A turn in progress: text, a finished and a running tool, a question, open text. */
function busy(): PureSession {
  const session = new PureSession().start();
  session.text("before");
  session.announce("done", { status: "complete" });
  session.announce("runs");
  session.hear(ASK);
  session.text("open");
  return session;
}

const CRASH: AgentEvent = { type: "lost", reason: "It crashed.", state: "crashed" };

describe("the end of a turn", () => {
  for (const reason of StopReason.options) {
    it(`${reason}: nothing runs, nothing asks, the text is closed, and only then the turn is idle`, () => {
      const session = busy();
      const { turn } = session;
      const facts = session.since(() => session.end(reason));
      const order = facts.map(({ type }) => type);
      expect(order).toEqual([
        "session:update",
        "session:update",
        "permission:resolved",
        reason === "cancelled" ? "session:cancelled" : "session:complete",
        ...(reason === "end_turn" ? [] : ["session:update" as const]),
        "session:turn",
      ]);
      const closed = session.entries.findLast(({ type }) => type === "assistant");
      expect(facts[3]).toMatchObject({ entryId: closed?.entryId });
      expect(facts.at(-1)).toMatchObject({ turn: { state: "idle", turnId: turn, stopReason: reason } });
      expect(session.state).toMatchObject({ pending: [], open: [], turn: { startedAt: expect.any(String) } });
      const unfinished = reason === "interrupted" || reason === "error" ? "error" : "cancelled";
      expect(session.tools.map(({ status }) => status)).toEqual(["complete", unfinished, unfinished]);
      expect(session.effects.at(-1)).toEqual({
        type: "answer-permission",
        permissionId: permissionId("p"),
        outcome: { outcome: "cancelled" },
      });
    });
  }

  for (const reason of StopReason.options.filter((option) => option !== "end_turn")) {
    it(`${reason}: its notice stays in the transcript, and late updates still belong to the answer (W-12)`, () => {
      const session = new PureSession().start();
      session.text("half an answer");
      session.end(reason);
      expect(session.entries.at(-1)).toMatchObject({ type: "notice", turnEnd: reason, turnId: session.turn });
      expect(session.entries.at(-1)?.content).not.toBe("");
      session.text(" and the rest");
      session.start("again").end();
      expect(session.told.map(([type]) => type)).toEqual(["user", "assistant", "notice", "user"]);
      expect(session.told[1]).toEqual(["assistant", "half an answer and the rest"]);
    });
  }

  it("the notice distinguishes the user's own stop from the agent's, and does not repeat an error that the agent has sent", () => {
    const own = new PureSession().start();
    own.tell({ type: "session:cancel" });
    own.end("end_turn");
    expect(own.told.at(-1)).toEqual(["notice", "Stopped. Everything received so far was kept."]);
    expect(new PureSession().start().end("cancelled").told.at(-1)?.[1]).toStartWith("The agent stopped here.");
    const failed = new PureSession().start();
    failed.text("API Error: 500 the model is down.");
    const message = "Internal error: API Error: 500 the model is down.";
    failed.hear({ type: "turn-failed", turnId: failed.turn, error: { code: "AGENT_PROTOCOL_ERROR", message } });
    expect(failed.told.at(-1)).toEqual(["notice", "The turn failed with this error."]);
    expect(failed.state.turn.error?.message).toBe(message);
  });

  it("without output of the agent completes the user's entry instead", () => {
    for (const [reason, type] of [
      ["end_turn", "session:complete"],
      ["cancelled", "session:cancelled"],
    ] as const) {
      const session = new PureSession().start();
      session.announce("1", { status: "complete" });
      const facts = session.since(() => session.end(reason));
      expect(facts[0]).toMatchObject({ type, entryId: session.entries[0]?.entryId });
      const words = reason === "cancelled" ? ["session:update" as const] : [];
      expect(facts.map((fact) => fact.type)).toEqual([type, ...words, "session:turn"]);
    }
  });

  it("with every text already closed repeats nothing", () => {
    const session = new PureSession().start();
    session.text("text");
    session.announce("1", { status: "complete" });
    expect(session.since(() => session.end()).map(({ type }) => type)).toEqual(["session:turn"]);
  });

  it("W-12 is reported by its own prompt only: another turn's end, or a second one, ends nothing", () => {
    const session = new PureSession().start();
    const first = session.turn;
    const stale: AgentEvent[] = [
      { type: "turn-ended", turnId: turnId("of another run"), stopReason: "end_turn" },
      { type: "turn-failed", turnId: turnId("of another run"), error: { code: "X", message: "x" } },
    ];
    expect(session.since(() => session.hear(...stale))).toEqual([]);
    session.end().start("next");
    const again: AgentEvent = { type: "turn-ended", turnId: first, stopReason: "cancelled" };
    expect(session.since(() => session.hear(again))).toEqual([]);
    session.end();
    expect(session.since(() => session.hear(again, ...stale))).toEqual([]);
  });

  it("by a failure keeps the output so far and the reason", () => {
    const session = busy();
    session.hear({ type: "turn-failed", turnId: session.turn, error: { code: "AGENT_PROTOCOL_ERROR", message: "no" } });
    expect(session.state.turn).toMatchObject({
      state: "idle",
      stopReason: "error",
      error: { code: "AGENT_PROTOCOL_ERROR", message: "no" },
    });
    expect(session.tools.at(-1)).toMatchObject({ status: "error", error: "The turn failed before this finished." });
    expect(session.told.slice(-2)).toEqual([
      ["assistant", "open"],
      ["notice", "no"],
    ]);
  });

  it("W-4 by a lost agent is interrupted, with the output so far", () => {
    const session = busy();
    session.hear(CRASH);
    expect(session.state.turn).toMatchObject({
      state: "idle",
      stopReason: "interrupted",
      error: { code: "AGENT_UNAVAILABLE", message: "It crashed." },
    });
    expect(session.tools.at(-1)).toMatchObject({ error: "The agent stopped before this finished." });
    expect(session.state.pending).toEqual([]);
  });

  it("an agent lost between turns cancels its questions and changes nothing else", () => {
    const session = new PureSession().start().end();
    session.hear(ASK);
    const facts = session.since(() => session.hear(CRASH));
    expect(facts).toMatchObject([{ type: "permission:resolved", outcome: { outcome: "cancelled" } }]);
    expect(session.state.turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
    expect(session.since(() => session.hear(CRASH))).toEqual([]);
  });

  it("W-2 any end after the user's own stop is a cancel", () => {
    const ends: ((session: PureSession) => AgentEvent)[] = [
      ({ turn }) => ({ type: "turn-ended", turnId: turn, stopReason: "end_turn" }),
      ({ turn }) => ({ type: "turn-ended", turnId: turn, stopReason: "refusal" }),
      ({ turn }) => ({ type: "turn-failed", turnId: turn, error: { code: "X", message: "aborted" } }),
      () => CRASH,
    ];
    for (const end of ends) {
      const session = busy();
      session.tell({ type: "session:cancel" });
      session.hear(end(session));
      expect(session.state.turn).toMatchObject({ state: "idle", stopReason: "cancelled" });
      expect(session.state.turn).not.toHaveProperty("error");
    }
  });
});

describe("the queue at a turn's end (X-6)", () => {
  function queued(...contents: string[]): PureSession {
    const session = new PureSession().start("first");
    for (const content of contents) session.tell({ type: "session:send", content, commandId: commandId(content) });
    return session;
  }

  const waiting = (session: PureSession) => session.state.queue.map(({ content }) => content);

  it("the oldest queued message starts its own turn, in the same step and after the end", () => {
    const session = queued("second", "third");
    const first = session.turn;
    const facts = session.since(() => session.end());
    expect(facts.map(({ type }) => type)).toEqual([
      "session:complete",
      "session:turn",
      "session:queue",
      "session:update",
      "session:turn",
    ]);
    expect(session.turn).not.toBe(first);
    expect(session.state.turn.state).toBe("running");
    expect(waiting(session)).toEqual(["third"]);
    expect(session.effects.at(-1)).toMatchObject({ type: "prompt", turnId: session.turn, content: "second" });
    expect(session.entries.at(-1)).toMatchObject({ type: "user", commandId: "second", turnId: session.turn });
  });

  it.each(["end_turn", "max_tokens", "max_turn_requests", "refusal"] as const)("%s continues it", (reason) => {
    expect(waiting(queued("next").end(reason))).toEqual([]);
  });

  it.each(["cancelled", "interrupted", "error"] as const)(
    "%s, which needs the user's attention, pauses it",
    (reason) => {
      const session = queued("next").end(reason);
      expect([waiting(session), session.state.queuePaused, session.state.turn.state]).toEqual([["next"], true, "idle"]);
    },
  );

  it("a crash or a failure pauses it, too", () => {
    const crashed = queued("next");
    crashed.hear(CRASH);
    const failed = queued("next");
    failed.hear({ type: "turn-failed", turnId: failed.turn, error: { code: "X", message: "x" } });
    for (const session of [crashed, failed])
      expect([waiting(session), session.state.queuePaused]).toEqual([["next"], true]);
  });

  it("with an empty queue makes no fact about it", () => {
    const session = new PureSession().start();
    expect(session.since(() => session.end("error")).map(({ type }) => type)).not.toContain("session:queue");
  });
});
