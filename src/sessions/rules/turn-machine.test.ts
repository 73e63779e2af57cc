import { describe, expect, it } from "bun:test";
import { elicitationId, NOW, permissionId, turnId } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import type { Turn } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import {
  advanceTurn,
  isStopping,
  TURN_TABLE,
  type TurnEvent,
  type TurnEventKind,
  type TurnPhase,
  turnFacts,
  turnPhase,
} from "./turn-machine.ts";

const TURN = turnId("t");
const ERROR = { code: "SOME_CODE", message: "why" };

const EVENTS: Readonly<Record<TurnEventKind, TurnEvent>> = {
  start: { type: "start", turnId: turnId("next"), startedAt: NOW },
  "request-opened": { type: "request-opened" },
  "request-closed": { type: "request-closed", remaining: 1 },
  "last-request-closed": { type: "request-closed", remaining: 0 },
  output: { type: "output" },
  silence: { type: "silence" },
  cancel: { type: "cancel" },
  limit: { type: "limit", error: ERROR },
  "cancel-ignored": { type: "cancel-ignored", error: ERROR },
  end: { type: "end", stopReason: "end_turn" },
};
const EVENT_KINDS = Object.keys(EVENTS) as TurnEventKind[];
const PHASES = Object.keys(TURN_TABLE) as TurnPhase[];

function inPhase(phase: TurnPhase) {
  const state = { stopping: "running", unresponsive: "stalled" } as const;
  const shown = phase === "stopping" || phase === "unresponsive" ? state[phase] : phase;
  const turn: Turn = phase === "idle" ? { state: shown } : { state: shown, turnId: TURN, startedAt: NOW };
  return { state: { turn }, cancelling: phase === "stopping" || phase === "unresponsive" ? TURN : null };
}

/** The phase after an event. A cancel also marks the turn as stopping, which the caller keeps beside the state. */
function phaseAfter(phase: TurnPhase, kind: TurnEventKind): TurnPhase | "refused" {
  const context = inPhase(phase);
  const turn = advanceTurn(context, EVENTS[kind]);
  if (turn === null) return "refused";
  const cancelling = kind === "cancel" || kind === "limit" ? TURN : context.cancelling;
  return turnPhase({ state: { turn }, cancelling });
}

describe("the turn machine", () => {
  it("has a result for every phase and every event: the whole table", () => {
    const written = PHASES.map((phase) => [phase, ...EVENT_KINDS.map((kind) => phaseAfter(phase, kind))].join(" "));
    expect(EVENT_KINDS.join(" ")).toBe(
      "start request-opened request-closed last-request-closed output silence cancel limit cancel-ignored end",
    );
    expect(written).toEqual([
      "idle running idle idle idle idle idle idle idle idle idle",
      "running refused waiting running running running stalled stopping stopping stalled idle",
      "waiting refused waiting waiting running waiting waiting stopping stopping stalled idle",
      "stalled refused waiting stalled stalled running stalled stopping stopping stalled idle",
      "stopping refused refused stopping stopping stopping unresponsive stopping stopping unresponsive idle",
      "unresponsive refused refused unresponsive unresponsive unresponsive unresponsive unresponsive stopping unresponsive idle",
    ]);
  });

  describe.each(PHASES)("in phase %s", (phase) => {
    it.each(EVENT_KINDS)(
      "%s: makes the turn the table says, keeps its identity, and makes a fact only of a change",
      (kind) => {
        const context = inPhase(phase);
        const before = context.state.turn;
        const event = EVENTS[kind];
        if (TURN_TABLE[phase][kind] === "refused") {
          expect(advanceTurn(context, event)).toBeNull();
          expect(() => turnFacts(context, event)).toThrow(`cannot take "${event.type}"`);
          return;
        }
        const after = advanceTurn(context, event);
        expect(turnFacts(context, event)).toEqual(
          after === before ? [] : [{ type: "session:turn", turn: after as Turn }],
        );
        if (kind !== "start" && isTurnActive(before)) expect(after).toMatchObject({ turnId: TURN, startedAt: NOW });
        if (JSON.stringify(after) === JSON.stringify(before)) expect(after).toBe(before);
      },
    );
  });

  it("only a start leaves idle, and only an end leads there", () => {
    for (const phase of PHASES)
      for (const kind of EVENT_KINDS) {
        const after = phaseAfter(phase, kind);
        if (phase === "idle") expect([kind, after]).toEqual([kind, kind === "start" ? "running" : "idle"]);
        else expect([phase, kind, after === "idle"]).toEqual([phase, kind, kind === "end"]);
      }
  });

  it("a turn that was asked to stop never works or waits again, and opens no request", () => {
    for (const phase of ["stopping", "unresponsive"] as const) {
      expect(isStopping(inPhase(phase))).toBe(true);
      for (const kind of EVENT_KINDS) expect(["running", "waiting", "stalled"]).not.toContain(phaseAfter(phase, kind));
      expect(phaseAfter(phase, "request-opened")).toBe("refused");
    }
  });

  it("a running or waiting turn carries no error; a limit and an ignored cancel keep their reason until the end", () => {
    const stalled = { ...inPhase("stalled"), state: { turn: { ...inPhase("stalled").state.turn, error: ERROR } } };
    expect(advanceTurn(stalled, EVENTS.output)).not.toHaveProperty("error");
    expect(advanceTurn(stalled, EVENTS["request-opened"])).not.toHaveProperty("error");
    for (const kind of ["limit", "cancel-ignored"] as const)
      expect(advanceTurn(inPhase("running"), EVENTS[kind])).toMatchObject({ error: ERROR });
    expect(advanceTurn(stalled, { type: "end", stopReason: "error", error: ERROR })).toEqual({
      state: "idle",
      turnId: TURN,
      startedAt: NOW,
      stopReason: "error",
      error: ERROR,
    });
    expect(advanceTurn(stalled, EVENTS.end)).not.toHaveProperty("error");
  });

  it("another turn's cancel does not stop this one", () => {
    expect(turnPhase({ ...inPhase("running"), cancelling: turnId("before") })).toBe("running");
  });
});

const OPTIONS = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
const ask = (id: string): AgentEvent => ({
  type: "permission-requested",
  permissionId: permissionId(id),
  patch: { toolCallId: `call-${id}`, announced: true, status: "complete" },
  options: OPTIONS,
});

/** Everything that can happen to a turn, through the same functions as in the product. */
const INPUTS: Readonly<Record<string, (session: PureSession) => void>> = {
  send: (session) => session.tell({ type: "session:send", content: "go" }),
  "ask p": (session) => session.hear(ask("p")),
  "ask e": (session) =>
    session.hear({
      type: "question-asked",
      elicitationId: elicitationId("e"),
      question: { mode: "form", message: "?", fields: [] },
    }),
  "answer p": (session) =>
    session.tell({ type: "permission:respond", permissionId: permissionId("p"), optionId: "yes" }),
  "withdraw e": (session) => session.hear({ type: "question-withdrawn", elicitationId: elicitationId("e") }),
  "expire e": (session) => session.hear({ type: "question-unwatched", elicitationId: elicitationId("e") }),
  text: (session) => session.text("words"),
  silence: (session) => session.hear({ type: "silent" }),
  cancel: (session) => session.tell({ type: "session:cancel" }),
  limit: (session) => session.tell({ type: "session:limit", why: "spent" }),
  "ignore cancel": (session) => {
    if (isStopping(session.context())) session.hear({ type: "cancel-ignored" });
  },
  end: (session) => {
    if (session.state.turn.turnId) session.end();
  },
  lose: (session) => session.hear({ type: "lost", reason: "gone", state: "crashed" }),
};
const STEPS_MAX = 3;

/** Runs every sequence of inputs up to the given length, and checks after each step. */
function walk(steps: readonly string[], check: (session: PureSession, steps: readonly string[]) => void): number {
  let walked = 0;
  for (const name of Object.keys(INPUTS)) {
    const next = [...steps, name];
    const session = new PureSession().start();
    for (const step of steps) INPUTS[step]?.(session);
    const asked = session.state.pending.some((one) => "permissionId" in one);
    const open = session.state.pending.some((one) => "elicitationId" in one);
    // An agent uses an id for one request.
    if ((name === "ask p" && asked) || (name === "ask e" && open)) continue;
    INPUTS[name]?.(session);
    check(session, next);
    walked += 1 + (next.length < STEPS_MAX ? walk(next, check) : 0);
  }
  return walked;
}

describe("W-8 W-9 W-12 open requests and the turn", () => {
  it("are consistent after every sequence of three inputs", () => {
    let inTurn = 0;
    const walked = walk([], (session, steps) => {
      const { pending, turn } = session.state;
      const said = steps.join(", ");
      const phase = turnPhase(session.context());
      // A request between turns stays open into the next turn and does not make it wait.
      const isOutside = session.facts.some(
        (fact, index) => fact.type.endsWith(":request") && turnBefore(session, index) === "idle",
      );
      if (phase === "waiting") expect([said, pending.length > 0]).toEqual([said, true]);
      if (isStopping(session.context())) expect([said, pending]).toEqual([said, []]);
      if (isOutside) return;
      inTurn += 1;
      if (turn.state === "idle") expect([said, pending]).toEqual([said, []]);
      if (pending.length > 0) expect([said, turn.state]).toEqual([said, "waiting"]);
      const answers = session.effects.filter(({ type }) => type.startsWith("answer-")).length;
      const asks = steps.filter((step) => step.startsWith("ask")).length;
      expect([said, answers <= asks]).toEqual([said, true]);
    });
    expect([walked > 1_500, inTurn > 1_000]).toEqual([true, true]);
  });

  it("refuses a request of a stopped turn, and accepts the next turn's", () => {
    const session = new PureSession().start();
    session.tell({ type: "session:cancel" });
    session.hear(ask("p"));
    expect(session.effects.at(-1)).toMatchObject({ type: "answer-permission", outcome: { outcome: "cancelled" } });
    session.end().start("next");
    session.hear(ask("q"));
    expect(session.state).toMatchObject({ turn: { state: "waiting" }, pending: [{ permissionId: "q" }] });
  });
});

/** The state of the turn when the fact at this index was made. */
function turnBefore({ facts }: PureSession, index: number): Turn["state"] {
  const fact = facts.slice(0, index).findLast(({ type }) => type === "session:turn");
  return fact?.type === "session:turn" ? fact.turn.state : "idle";
}
