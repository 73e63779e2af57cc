import { describe, expect, it } from "bun:test";
import { openSession } from "../../../tests/core/session-scene.ts";
import { waitFor } from "../../../tests/support/wait-for.ts";

describe("AgentLink", () => {
  it("W-2 a cancel while the agent is being brought back gives up what is only waited for, and sends no prompt", async () => {
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

  it("W-4 an agent that dies while it is being brought back is not held: the next message starts another", async () => {
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
});
