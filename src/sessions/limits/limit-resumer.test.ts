import { afterEach, describe, expect, it } from "bun:test";
import type { SessionPause } from "../../protocol/conversations.ts";
import { REFUSE } from "../../protocol/errors.ts";
import type { Fact, FactBody } from "../../protocol/facts.ts";
import { SessionId, TurnId } from "../../protocol/ids.ts";
import type { Answer } from "../answer.ts";
import type { LimitCommand } from "../rules/usage-limits.ts";
import { LimitResumer } from "./limit-resumer.ts";

/** The default of LIMINAL_LIMIT_CHECK_MS. */
const LIMIT_CHECK_MS = 15_000;
const START = Date.parse("2026-01-01T03:00:00.000Z");
const session = (nth: number, cliType = "builtin") => SessionId.parse(`${cliType}:s${nth}`);
const LIMIT = { kind: "usage", text: "used up", resetsAt: "2026-01-01T03:00:00.000Z" } as const;
const pause = (resumesAt: string | null): SessionPause => ({
  limit: LIMIT,
  dueAt: resumesAt,
  resumesAt,
  tries: 0,
  isUntouched: true,
});
const iso = (ms: number) => new Date(ms).toISOString();

/** The resumer with a clock that the test moves, and sessions that only record what they receive. */
class Scene {
  now = START;
  readonly asked: LimitCommand[] = [];
  answer: (command: LimitCommand) => Answer = () => ({ kind: "ok" });
  readonly resumer = new LimitResumer({
    world: { now: () => this.now, newId: () => "id" },
    sessions: {
      execute: async (command) => {
        this.asked.push(command);
        return this.answer(command);
      },
      loaded: () => [],
    },
    armed: async () => [],
    checkMs: 1_000_000,
    followMs: 1,
    onError: (error) => {
      throw error;
    },
  });

  tell(sessionId: SessionId, ...facts: FactBody[]): void {
    this.resumer.committed(
      sessionId,
      facts.map((body): Fact => ({ ...body, sessionId, seq: 1 })),
    );
  }

  arm(sessionId: SessionId, at: number): void {
    this.tell(sessionId, { type: "session:pause", pause: pause(iso(at)) });
  }

  /** Every check of the clock until a time. */
  async runUntil(ms: number): Promise<void> {
    while (this.now < ms) {
      this.now += LIMIT_CHECK_MS;
      this.resumer.look();
      await Bun.sleep(0);
    }
  }

  get resumed(): readonly SessionId[] {
    return this.asked.flatMap(({ type, sessionId }) => (type === "session:limit-due" ? [sessionId] : []));
  }
}

let scene = new Scene();
afterEach(() => {
  scene.resumer.stop();
  scene = new Scene();
});

const TURN = TurnId.parse("t");
const ended: FactBody = { type: "session:turn", turn: { state: "idle", turnId: TURN, stopReason: "end_turn" } };

describe("the clock of usage limits", () => {
  it("[CV-23] continues a session within 20 s of its time, and not before", async () => {
    scene.arm(session(1), START + 60_000);
    await scene.runUntil(START + 45_000);
    expect(scene.resumed).toEqual([]);
    await scene.runUntil(START + 60_000 + LIMIT_CHECK_MS);
    expect(scene.resumed).toEqual([session(1)]);
    expect(scene.now - (START + 60_000)).toBeLessThanOrEqual(20_000);
  });

  it("[CV-23] after a sleep of hours the first look finds it", () => {
    scene.arm(session(1), START + 60_000);
    scene.now = START + 9 * 3_600_000;
    scene.resumer.look();
    expect(scene.resumed).toEqual([session(1)]);
  });

  it("[CV-22] a pause that was dismissed is not continued", async () => {
    scene.arm(session(1), START + 60_000);
    scene.tell(session(1), { type: "session:pause", pause: null });
    await scene.runUntil(START + 300_000);
    expect(scene.resumed).toEqual([]);
  });

  it("[CV-26] ten sessions of an account ask once before the first success, then all follow", async () => {
    for (let nth = 0; nth < 10; nth++) scene.arm(session(nth), START);
    await scene.runUntil(START + 120_000);
    expect(scene.resumed).toEqual([session(0)]);
    const answered = Promise.withResolvers<void>();
    scene.answer = ({ sessionId }) => {
      scene.tell(sessionId, { type: "session:pause", pause: null });
      if (scene.resumed.length === 10) answered.resolve();
      return { kind: "ok" };
    };
    scene.tell(session(0), { type: "session:pause", pause: null }, ended);
    await answered.promise;
    expect(new Set(scene.resumed).size).toBe(10);
  });

  it("[CV-26] accounts of other agents do not wait for it", () => {
    scene.arm(session(1), START);
    scene.arm(session(2, "codex"), START);
    scene.resumer.look();
    expect(scene.resumed).toEqual([session(1), session(2, "codex")]);
  });

  it("[CV-24] [CV-26] when the first is refused again, the others are not tried", async () => {
    for (let nth = 0; nth < 3; nth++) scene.arm(session(nth), START);
    scene.arm(session(7), START + 3_600_000);
    scene.resumer.look();
    scene.arm(session(0), START + 120_000);
    await Bun.sleep(0);
    await Bun.sleep(0);
    expect(scene.asked.slice(1).map(({ type, sessionId }) => [type, sessionId])).toEqual([
      ["session:limit-again", session(1)],
      ["session:limit-again", session(2)],
    ]);
  });

  it("the next one asks when the first ended without an answer of the account", async () => {
    for (let nth = 0; nth < 2; nth++) scene.arm(session(nth), START);
    scene.resumer.look();
    scene.tell(session(0), { type: "session:pause", pause: null });
    scene.tell(session(0), { type: "session:turn", turn: { state: "idle", turnId: TURN, stopReason: "interrupted" } });
    expect(scene.resumed).toEqual([session(0), session(1)]);
  });

  it("a disk that takes nothing is tried again; a session that is gone is not", async () => {
    scene.arm(session(1), START);
    scene.answer = () => ({ kind: "refused", refusal: REFUSE.unwritable("full") });
    await scene.runUntil(START + 45_000);
    expect(scene.resumed.length).toBe(3);
    scene.answer = () => ({ kind: "refused", refusal: REFUSE.sessionNotFound() });
    await scene.runUntil(START + 120_000);
    expect(scene.resumed.length).toBe(4);
  });
});
