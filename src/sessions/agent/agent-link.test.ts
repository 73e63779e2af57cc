import { describe, expect, it } from "bun:test";
import { openSession } from "../../../tests/core/session-scene.ts";
import { waitFor } from "../../../tests/support/wait-for.ts";

describe("AgentLink", () => {
  it("W-2 a cancel while the agent is restored aborts waiting, and sends no prompt", async () => {
    await using at = await openSession();
    at.agents.last.say({ type: "lost", reason: "It stopped.", state: "crashed" });
    const { promise, resolve } = Promise.withResolvers<void>();
    at.agents.gate = promise;
    await at.say("go");
    expect(at.agents.signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    await at.send({ type: "session:cancel" });
    expect(at.agents.signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    expect((await at.state()).turn).toMatchObject({ state: "idle", stopReason: "cancelled" });
    await at.say("again");
    resolve();
    await at.agents.nextAttached();
    expect((await at.state()).turn).toMatchObject({ state: "running" });
    expect(at.agents.last.calls).toEqual(["prompt again"]);
  });

  it.each(["before it has started", "between turns"])(
    "W-4 a message that comes while a session that was killed %s still ends is sent to the next agent",
    async (when) => {
      await using at = await openSession();
      const { promise, resolve } = Promise.withResolvers<void>();
      if (when === "before it has started") {
        at.agents.last.say({ type: "lost", reason: "It stopped.", state: "crashed" });
        at.agents.gate = promise;
        await at.say("go");
      }
      at.agents.ending = promise;
      await at.send({ type: "session:kill" });
      await waitFor(at.state, ({ turn }) => turn.state === "idle", "the end of the turn");
      await at.say("again");
      await at.service.flush();
      expect((await at.state()).turn).toMatchObject({ state: "running" });
      expect(at.agents.attached).toHaveLength(1);
      resolve();
      await waitFor(
        () => at.agents.attached.at(1)?.calls ?? [],
        (calls) => calls.length > 0,
        "the prompt",
      );
      expect(at.agents.last.calls).toEqual(["prompt again"]);
      at.agents.last.endTurn();
      await at.service.flush();
      expect((await at.state()).turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
    },
  );

  it("W-4 an agent that exits while it is restored is dropped: the next message starts another", async () => {
    await using at = await openSession();
    at.agents.last.say({ type: "lost", reason: "It stopped.", state: "crashed" });
    at.agents.early = [{ type: "lost", reason: "It stopped again.", state: "crashed" }];
    await at.say("go");
    expect((await at.state()).turn).toMatchObject({ state: "idle", stopReason: "interrupted" });
    at.agents.early = [];
    await at.say("again");
    await waitFor(
      () => at.agents.last.calls,
      (calls) => calls.length > 0,
      "the prompt",
    );
    expect(at.agents.attached).toHaveLength(3);
    expect(at.agents.last.calls).toEqual(["prompt again"]);
  });

  it("W-6 announces its use of the agent from the attachment until the prompt is sent", async () => {
    await using at = await openSession();
    at.agents.last.say({ type: "lost", reason: "It was idle.", state: "idle", unused: true });
    await at.service.flush();
    expect(at.agents.isExpected).toBe(false);
    const seen: string[] = [];
    const { log } = at.store;
    const [commit, userMessageCount] = [log.commit.bind(log), log.userMessageCount.bind(log)];
    log.userMessageCount = async (sessionId) => {
      seen.push(`before it is attached: ${at.agents.isExpected}`);
      return userMessageCount(sessionId);
    };
    log.commit = async (sessionId, made) => {
      if (at.agents.attached.length === 2 && at.agents.last.calls.length === 0 && made.binding)
        seen.push(`while that is stored: ${at.agents.isExpected}`);
      await commit(sessionId, made);
    };
    const attached = at.agents.nextAttached();
    await at.say("go");
    await attached;
    await at.service.flush();
    await waitFor(
      () => at.agents.last.calls,
      (calls) => calls.length > 0,
      "the prompt",
    );
    expect(seen).toEqual(["before it is attached: true", "while that is stored: true"]);
    expect([at.agents.last.calls, at.agents.isExpected]).toEqual([["prompt go"], false]);
  });

  it("W-6 a turn that begins while its idle agent is put away starts another one, and goes on", async () => {
    await using at = await openSession();
    const { log } = at.store;
    const commit = log.commit.bind(log);
    log.commit = async (sessionId, made) => {
      log.commit = commit;
      // The turn is decided and not stored: nothing was sent to the agent.
      at.agents.last.say({ type: "lost", reason: "It was idle.", state: "idle", unused: true });
      await commit(sessionId, made);
    };
    const attached = at.agents.nextAttached();
    await at.say("go");
    await attached;
    await waitFor(
      () => at.agents.last.calls,
      (calls) => calls.length > 0,
      "the prompt",
    );
    at.agents.last.endTurn();
    await at.service.flush();
    expect(at.agents.last.calls).toEqual(["prompt go"]);
    expect((await at.state()).turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
    expect((await at.entries()).map(({ type }) => type)).toEqual(["user"]);
  });
});

it("[SC-17] a message that comes while a database elsewhere is away reaches the agent when it is back", async () => {
  await using at = await openSession();
  await at.say("first");
  at.agents.last.endTurn();
  await at.service.flush();
  at.agents.last.say({ type: "lost", reason: "It ended.", state: "crashed" });
  await at.service.flush();
  const { log } = at.store;
  const count = log.userMessageCount.bind(log);
  let failures = 0;
  log.userMessageCount = async (sessionId) => {
    failures += 1;
    if (failures < 3) throw Object.assign(new Error("the database is away"), { storageFault: "disk-error" });
    return count(sessionId);
  };
  const attached = at.agents.nextAttached();
  await at.say("second");
  await attached;
  await at.service.flush();
  at.agents.last.endTurn();
  await at.service.flush();
  expect([failures, at.agents.last.calls, at.errors]).toEqual([3, ["prompt second"], []]);
  const { turn } = await at.state();
  expect(turn.stopReason).toBe("end_turn");
});
