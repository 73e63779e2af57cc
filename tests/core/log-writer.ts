import { type Commit, type LogFrame, NO_CONTINUATION, type SessionLog } from "../../src/ports/session-log.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import type { Fact, FactBody } from "../../src/protocol/facts.ts";
import type { SessionId } from "../../src/protocol/ids.ts";
import { reduceSession } from "../../src/protocol/reduce-session.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState } from "../../src/protocol/session-schema.ts";
import { SESSION, turnId } from "./names.ts";

/** Writes to a log as a session does: numbers facts, folds them, and lets entries of ended turns settle. */
export class LogWriter {
  readonly #log: () => SessionLog;
  readonly sessionId: SessionId;
  state: SessionState = EMPTY_SESSION;
  readonly facts: Fact[] = [];

  constructor(log: () => SessionLog, sessionId: SessionId = SESSION) {
    this.#log = log;
    this.sessionId = sessionId;
  }

  /** What `write` would hand to the log. */
  prepare(bodies: readonly FactBody[]): Commit {
    const { sessionId } = this;
    const facts = bodies.map((body, index): Fact => ({ ...body, sessionId, seq: this.state.seq + 1 + index }));
    const state = facts.reduce<SessionState>(reduceSession, this.state);
    const active = isTurnActive(state.turn);
    const settled = active ? state.settled : [...state.settled, ...state.open];
    const working = { ...state, settled: [], open: active ? state.open : [] };
    return {
      facts,
      state,
      settled,
      snapshot: settled.length > 0 || !active ? working : null,
      revised: facts.flatMap((fact) => (fact.type === "session:update" && fact.late ? [fact.entry] : [])),
      outputs: [],
      lastActiveAt: null,
      receipt: null,
      binding: null,
      attention: null,
      continuation: NO_CONTINUATION,
    };
  }

  async write(bodies: readonly FactBody[], extra: Partial<Commit> = {}): Promise<void> {
    const commit = this.prepare(bodies);
    await this.#log().commit(this.sessionId, { ...commit, ...extra });
    this.facts.push(...commit.facts);
    const active = isTurnActive(commit.state.turn);
    this.state = { ...commit.state, settled: [], open: active ? commit.state.open : [] };
  }

  /** A whole turn with these entries. */
  async writeTurn(...entries: Entry[]): Promise<void> {
    await this.write([running("t"), ...entries.map(update), idle("t")]);
  }

  /** Facts without entries, to fill the log. */
  async fill(count: number): Promise<void> {
    await this.write(Array.from({ length: count }, () => ({ type: "session:unarchived" })));
  }
}

export function update(entry: Entry): FactBody {
  return { type: "session:update", entry };
}

export function lateUpdate(entry: Entry): FactBody {
  return { type: "session:update", entry, late: true };
}

export function running(turn: string): FactBody {
  return { type: "session:turn", turn: { state: "running", turnId: turnId(turn) } };
}

export function idle(turn: string): FactBody {
  return { type: "session:turn", turn: { state: "idle", turnId: turnId(turn), stopReason: "end_turn" } };
}

/** The frames as facts again. */
export function factsOf(frames: readonly LogFrame[]): unknown[] {
  return frames.map(({ json }) => JSON.parse(json));
}
