import { describe, expect, it } from "bun:test";
import { BUILTIN, PROJECT } from "../../../tests/core/names.ts";
import { openSession, type SessionScene } from "../../../tests/core/session-scene.ts";
import { waitFor } from "../../../tests/support/wait-for.ts";
import { REFUSE } from "../../protocol/errors.ts";
import type { Cadence, Schedule, ScheduleDefinition, ScheduleRun } from "../../protocol/schedules.ts";
import { SqliteScheduleStore } from "../../store/sqlite-schedule-store.ts";
import { ScheduleService } from "./schedule-service.ts";

const HOURLY: Cadence = { kind: "cron", cron: "0 * * * *", zone: "UTC" };
const DEFINITION: ScheduleDefinition = {
  name: "Hourly",
  cadence: HOURLY,
  target: { kind: "new", cliType: BUILTIN },
  prompt: "look around",
  missed: "latest",
};

/** The service on a real disk with real sessions, and a clock that the test sets. */
class ScheduleScene implements AsyncDisposable {
  readonly at: SessionScene;
  nowMs = Date.parse("2026-11-18T08:30:00Z");
  service: ScheduleService;
  readonly refused: string[] = [];
  #ids = 0;

  private constructor(at: SessionScene) {
    this.at = at;
    this.service = this.#serve();
  }

  static async open(): Promise<ScheduleScene> {
    let scene: ScheduleScene | null = null;
    const at = await openSession((sessionId, facts) => scene?.service.committed(sessionId, facts));
    scene = new ScheduleScene(at);
    await scene.service.start();
    return scene;
  }

  #serve(): ScheduleService {
    const { at } = this;
    return new ScheduleService({
      world: { now: () => this.nowMs, newId: () => `id${++this.#ids}` },
      store: new SqliteScheduleStore(at.store.db),
      sessions: at.service,
      log: at.store.log,
      delegations: { spending: async () => ({ spent: { turns: 0, tokens: 0, cost: 0, workMs: 0 }, budget: {} }) },
      projects: at.store.projects,
      isWritable: () => true,
      publish: () => undefined,
      onRefused: ({ name, dueAt }) => this.refused.push(`${name} ${dueAt}`),
      onError: (error) => at.errors.push(error),
    });
  }

  async go(iso: string): Promise<void> {
    this.nowMs = Date.parse(iso);
    await this.service.look();
  }

  /** The server has stopped, and another one starts at this time. */
  async restart(iso: string): Promise<void> {
    this.service.stop();
    this.at.restart();
    this.nowMs = Date.parse(iso);
    this.service = this.#serve();
    await this.service.start();
  }

  async save(extra: Partial<ScheduleDefinition> & { scheduleId?: Schedule["id"]; enabled?: boolean } = {}) {
    const answer = await this.service.answer({ type: "schedule:save", projectId: PROJECT, ...DEFINITION, ...extra });
    const { schedules } = listIn(answer);
    const saved = schedules.at(-1);
    if (!saved) throw new Error("nothing was saved");
    return saved;
  }

  async runs({ id }: Schedule): Promise<readonly ScheduleRun[]> {
    const answer = await this.service.answer({ type: "schedule:runs", scheduleId: id });
    if (answer.kind !== "message" || answer.message.type !== "schedule:runs") throw new Error(Bun.inspect(answer));
    return answer.message.runs;
  }

  /** Waits for a state of the newest run. */
  async untilRun(schedule: Schedule, state: ScheduleRun["state"]): Promise<ScheduleRun> {
    const [run] = await waitFor(
      () => this.runs(schedule),
      ([newest]) => newest?.state === state,
      `the run to be ${state}; ${this.at.errors.join()}`,
    );
    if (!run) throw new Error("there is a run");
    return run;
  }

  get prompts(): readonly string[] {
    return this.at.agents.attached.flatMap(({ calls }) => calls.filter((call) => call.startsWith("prompt ")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.service.stop();
    await this.at[Symbol.asyncDispose]();
  }
}

function listIn(answer: Awaited<ReturnType<ScheduleService["answer"]>>) {
  if (answer.kind !== "message" || answer.message.type !== "schedule:list") throw new Error(Bun.inspect(answer));
  return answer.message;
}

describe("ScheduleService", () => {
  it("CV-40 each due time starts one session with the prompt, however often it is looked at", async () => {
    await using scene = await ScheduleScene.open();
    const schedule = await scene.save();
    expect(schedule.nextDueAt).toBe("2026-11-18T09:00:00.000Z");
    await scene.go("2026-11-18T08:59:59Z");
    expect(await scene.runs(schedule)).toEqual([]);
    for (let look = 0; look < 3; look += 1) await scene.go("2026-11-18T09:00:00.500Z");
    const { sessionId } = await scene.untilRun(schedule, "running");
    scene.at.agents.last.endTurn();
    await scene.untilRun(schedule, "done");
    await scene.go("2026-11-18T10:00:01Z");
    const second = await scene.untilRun(schedule, "running");
    expect(second.sessionId).not.toBe(sessionId);
    expect(scene.prompts).toEqual(["prompt look around", "prompt look around"]);
    expect((await scene.at.service.row(second.sessionId ?? scene.at.sessionId))?.title).toBe("Hourly");
    expect(scene.at.errors).toEqual([]);
  });

  it("CV-40 of the times missed while no server ran, the newest is started and marked as late; two start 10 s apart", async () => {
    await using scene = await ScheduleScene.open();
    const first = await scene.save();
    const second = await scene.save({ name: "Other" });
    await scene.restart("2026-11-18T12:30:00Z");
    const run = await scene.untilRun(first, "running");
    expect(run.dueAt).toBe("2026-11-18T12:00:00.000Z");
    expect(run.detail).toContain("3 earlier runs were left out");
    await scene.go("2026-11-18T12:30:09Z");
    expect(await scene.runs(second)).toEqual([]);
    await scene.go("2026-11-18T12:30:10Z");
    expect((await scene.untilRun(second, "running")).dueAt).toBe("2026-11-18T12:00:00.000Z");
    expect(await scene.runs(first)).toHaveLength(1);
  });

  it("CV-40 a missed time is skipped where that was chosen, or after a day; the history shows it, and the next is on time", async () => {
    await using scene = await ScheduleScene.open();
    const skipping = await scene.save({ missed: "skip" });
    const weekly = await scene.save({ name: "Weekly", cadence: { kind: "cron", cron: "0 9 * * 3", zone: "UTC" } });
    await scene.restart("2026-11-20T12:30:00Z");
    expect(await scene.untilRun(skipping, "skipped")).toMatchObject({
      dueAt: "2026-11-20T12:00:00.000Z",
      detail: "Liminal Builder was not running at that time.",
    });
    expect((await scene.untilRun(weekly, "skipped")).detail).toContain("more than a day ago");
    await scene.go("2026-11-20T13:00:00Z");
    expect((await scene.untilRun(skipping, "running")).dueAt).toBe("2026-11-20T13:00:00.000Z");
  });

  it("CV-40 after sleep, a time more than a minute ago is a missed one", async () => {
    await using scene = await ScheduleScene.open();
    const schedule = await scene.save({ missed: "skip" });
    await scene.go("2026-11-18T09:01:01Z");
    await scene.untilRun(schedule, "skipped");
    expect(scene.prompts).toEqual([]);
  });

  it("CV-41 a disabled schedule never fires, and enabling it makes up for nothing", async () => {
    await using scene = await ScheduleScene.open();
    const schedule = await scene.save({ enabled: false });
    expect(schedule.nextDueAt).toBeUndefined();
    await scene.go("2026-11-18T09:00:00Z");
    await scene.restart("2026-11-18T10:30:00Z");
    expect(await scene.runs(schedule)).toEqual([]);
    await scene.service.answer({ type: "schedule:enable", scheduleId: schedule.id, enabled: true });
    await scene.go("2026-11-18T10:30:30Z");
    expect(await scene.runs(schedule)).toEqual([]);
    await scene.go("2026-11-18T11:00:00Z");
    await scene.untilRun(schedule, "running");
    await scene.service.answer({ type: "schedule:enable", scheduleId: schedule.id, enabled: false });
    scene.at.agents.last.endTurn();
    await scene.untilRun(schedule, "done");
    await scene.go("2026-11-18T12:00:00Z");
    expect(await scene.runs(schedule)).toHaveLength(1);
  });

  it("CV-42 a run is done only when its turn is, and one that fails, is limited, stopped or refused has that state", async () => {
    await using scene = await ScheduleScene.open();
    const schedule = await scene.save();
    const { agents, service } = scene.at;
    await scene.go("2026-11-18T09:00:00Z");
    await scene.untilRun(schedule, "running");
    const turnOf = () => {
      const { turnId } = agents.last;
      if (turnId === null) throw new Error("it was prompted");
      return turnId;
    };
    agents.last.say({
      type: "turn-failed",
      turnId: turnOf(),
      error: { code: "AGENT_PROTOCOL_ERROR", message: "It broke." },
    });
    expect((await scene.untilRun(schedule, "failed")).detail).toContain("It broke.");
    await scene.go("2026-11-18T10:00:00Z");
    await scene.untilRun(schedule, "running");
    agents.last.say({ type: "turn-failed", turnId: turnOf(), error: { code: "AGENT_LIMIT", message: "5-hour limit" } });
    expect((await scene.untilRun(schedule, "limited")).detail).toContain("5-hour limit");
    await scene.go("2026-11-18T11:00:00Z");
    const { sessionId } = await scene.untilRun(schedule, "running");
    if (sessionId === undefined) throw new Error("a running run has a session");
    await service.execute({ type: "session:cancel", sessionId });
    agents.last.say({ type: "turn-ended", turnId: turnOf(), stopReason: "cancelled" });
    await scene.untilRun(schedule, "cancelled");
    agents.refusal = REFUSE.agentNotInstalled("Puppet");
    await scene.go("2026-11-18T12:00:00Z");
    expect((await scene.untilRun(schedule, "refused")).detail).toContain("Check that it's installed");
    expect(scene.refused).toEqual(["Hourly 2026-11-18T12:00:00.000Z"]);
    expect((await scene.runs(schedule)).map(({ state }) => state)).toEqual([
      "refused",
      "cancelled",
      "limited",
      "failed",
    ]);
  });

  it("CV-42 a due time is skipped while the run before it continues, and the history shows it", async () => {
    await using scene = await ScheduleScene.open();
    const schedule = await scene.save();
    await scene.go("2026-11-18T09:00:00Z");
    await scene.untilRun(schedule, "running");
    await scene.go("2026-11-18T10:00:00Z");
    expect((await scene.untilRun(schedule, "skipped")).detail).toBe("The run before it had not ended.");
    expect(await scene.service.answer({ type: "schedule:run", scheduleId: schedule.id })).toMatchObject({
      kind: "refused",
    });
    scene.at.agents.last.endTurn();
    await waitFor(
      () => scene.runs(schedule),
      ([, first]) => first?.state === "done",
      "the first run to end",
    );
    expect(scene.prompts).toHaveLength(1);
  });

  it("CV-42 a run in a busy session waits in its queue; removed from there, it is cancelled", async () => {
    await using scene = await ScheduleScene.open();
    const { sessionId, agents, service } = scene.at;
    const schedule = await scene.save({ target: { kind: "session", sessionId } });
    await scene.at.say("first");
    await scene.go("2026-11-18T09:00:00Z");
    await scene.untilRun(schedule, "running");
    expect((await scene.at.state()).queue.map(({ content }) => content)).toEqual(["look around"]);
    agents.last.endTurn();
    await waitFor(
      async () => scene.prompts.length,
      (count) => count === 2,
      "the queued prompt",
    );
    expect((await scene.runs(schedule))[0]?.state).toBe("running");
    agents.last.endTurn();
    await scene.untilRun(schedule, "done");
    await scene.at.say("second");
    await scene.go("2026-11-18T10:00:00Z");
    await scene.untilRun(schedule, "running");
    await service.execute({ type: "session:queue-edit", sessionId, items: [] });
    expect((await scene.untilRun(schedule, "cancelled")).detail).toContain("removed from the queue");
    await service.execute({ type: "session:archive", sessionId });
    await scene.go("2026-11-18T11:00:00Z");
    expect((await scene.untilRun(schedule, "refused")).detail).toContain("archived");
  });

  it("CV-42 a limited run waits for its session, also over a restart, and ends as the turn that continued it", async () => {
    const limit = { kind: "usage", text: "5-hour limit", resetsAt: "2026-11-18T09:30:00.000Z" } as const;
    const error = { code: "AGENT_LIMIT", message: "5-hour limit", limit } as const;
    await using scene = await ScheduleScene.open();
    const schedule = await scene.save();
    const fail = async () => {
      const { sessionId } = await scene.untilRun(schedule, "running");
      const { turnId } = scene.at.agents.last;
      if (turnId === null || sessionId === undefined) throw new Error("it was prompted");
      scene.at.agents.last.say({ type: "turn-failed", turnId, error });
      expect((await scene.untilRun(schedule, "limited")).endedAt).toBeUndefined();
      return sessionId;
    };
    await scene.go("2026-11-18T09:00:00Z");
    const sessionId = await fail();
    await scene.restart("2026-11-18T09:10:00Z");
    expect((await scene.runs(schedule))[0]).toMatchObject({ state: "limited", sessionId });
    await scene.at.service.execute({ type: "session:resume-limit", sessionId, when: "now" });
    await scene.untilRun(schedule, "running");
    await waitFor(
      () => scene.at.agents.last.turnId,
      (turnId) => turnId !== null,
      "the prompt again",
    );
    scene.at.agents.last.endTurn();
    const done = await scene.untilRun(schedule, "done");
    expect([done.detail, done.endedAt !== undefined]).toEqual([undefined, true]);
    // A limited run that will not continue does not block the next; once dismissed, it has ended as limited.
    await scene.go("2026-11-18T10:00:00Z");
    const second = await fail();
    await scene.go("2026-11-18T11:00:00Z");
    await scene.untilRun(schedule, "running");
    await scene.at.service.execute({ type: "session:dismiss-limit", sessionId: second });
    const ended = await waitFor(
      () => scene.runs(schedule),
      ([, before]) => before?.endedAt !== undefined,
      "the end of the limited run",
    );
    expect(ended.map(({ state }) => state)).toEqual(["running", "limited", "done"]);
  });

  it("CV-42 a run over its budget of tokens or cost is stopped; what its session had used before does not count", async () => {
    await using scene = await ScheduleScene.open();
    for (const [budget, usage, words] of [
      [{ tokens: 1_000 }, { used: 1_500, size: 9_000 }, "1500 of 1000 tokens"],
      [{ cost: 2 }, { used: 10, size: 9_000, cost: { amount: 2.5, currency: "USD" } }, "2.5 of 2 cost"],
    ] as const) {
      const schedule = await scene.save({ name: words, budget });
      await scene.service.answer({ type: "schedule:run", scheduleId: schedule.id });
      await scene.untilRun(schedule, "running");
      const agent = scene.at.agents.last;
      const { turnId } = agent;
      if (turnId === null) throw new Error("it was prompted");
      agent.say({ type: "usage", usage: { used: 10, size: 9_000 } });
      agent.say({ type: "usage", usage });
      await waitFor(
        () => agent.calls,
        (calls) => calls.includes("cancel"),
        "the turn to be stopped",
      );
      agent.say({ type: "turn-ended", turnId, stopReason: "cancelled" });
      expect((await scene.untilRun(schedule, "failed")).detail).toContain("Over budget");
      // The same session has used it all before its next run.
      const { sessionId } = (await scene.runs(schedule))[0] ?? {};
      if (sessionId === undefined) throw new Error("it has a session");
      const next = await scene.save({ name: `${words} again`, budget, target: { kind: "session", sessionId } });
      await scene.service.answer({ type: "schedule:run", scheduleId: next.id });
      await scene.untilRun(next, "running");
      scene.at.agents.last.endTurn();
      await scene.untilRun(next, "done");
      await scene.service.answer({ type: "schedule:remove", scheduleId: next.id });
    }
  });

  it("CV-42 a run over its budget is stopped, and shows its usage", async () => {
    await using scene = await ScheduleScene.open();
    const schedule = await scene.save({ budget: { workMs: 60_000 } });
    await scene.go("2026-11-18T09:00:00Z");
    await scene.untilRun(schedule, "running");
    // The session's clock in this test is years behind ours: the turn has lasted long enough.
    await scene.go("2026-11-18T09:02:00Z");
    await waitFor(
      () => scene.at.agents.last.calls,
      (calls) => calls.includes("cancel"),
      "the turn to be stopped",
    );
    const { turnId } = scene.at.agents.last;
    if (turnId) scene.at.agents.last.say({ type: "turn-ended", turnId, stopReason: "cancelled" });
    expect((await scene.untilRun(schedule, "failed")).detail).toContain("Over budget");
  });

  it("CV-40 a run interrupted by a crash continues with the next server, with the same session and one prompt", async () => {
    await using scene = await ScheduleScene.open();
    const schedule = await scene.save();
    const gate = Promise.withResolvers<void>();
    scene.at.agents.gate = gate.promise;
    await scene.go("2026-11-18T09:00:00Z");
    expect((await scene.runs(schedule))[0]?.state).toBe("starting");
    scene.at.agents.gate = Promise.resolve();
    await scene.restart("2026-11-18T09:00:20Z");
    await scene.untilRun(schedule, "running");
    expect(scene.prompts).toHaveLength(1);
    scene.at.agents.last.endTurn();
    await scene.untilRun(schedule, "done");
    expect(await scene.runs(schedule)).toHaveLength(1);
  });
});
