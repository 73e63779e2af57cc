import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AgentScene, openAgentScene } from "./agent-scene.ts";
import { gated, openGate } from "./gated-command.ts";
import { expectSettled } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS)
  describe(`failures behind ${agent.title}`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      if (agent.isInstalled) scene = await openAgentScene(agent);
    });
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
    });
    const real = test.skipIf(!agent.isInstalled);

    real("a model that fails is told to the user, ends the turn, and the next one works", async () => {
      const talk = await scene.newSession();
      await talk.run("fail: 500 the scripted model is down");
      const told = [
        ...talk.entries.slice(1).map(({ content }) => content),
        talk.state.turn.error?.message ?? "",
      ].join();
      expect(told).toMatch(/500|the scripted model is down|temporary errors/);
      expectSettled(talk);
      await talk.run("say: Better now.");
      expect(talk.entries.at(-1)?.content).toBe("Better now.");
      expect(talk.state.turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
      expectSettled(talk);
    });

    real("a key the model does not take asks the user to sign in", async () => {
      const talk = await scene.newSession();
      await talk.run("fail: 401 that key is not known");
      expect(talk.state.turn).toMatchObject({ stopReason: "error", error: { code: "AGENT_AUTH_REQUIRED" } });
      expect(talk.state.turn.error?.message).toContain(agent.title);
      expectSettled(talk);
      await talk.run("say: Signed in.");
      expect(talk.entries.at(-1)?.content).toBe("Signed in.");
      expectSettled(talk);
    });

    real("CV-25 (A10) a model that is asked too often fails the turn, and what waits is not sent", async () => {
      const talk = await scene.newSession();
      const command = gated("echo done");
      await talk.send(agent.shell(command), "fail: 429 slow down");
      await talk.untilTool("the command", ({ name, status }) => name === command && status === "running");
      const next = { type: "session:send", content: "say: Next.", commandId: crypto.randomUUID() } as const;
      await scene.client.ask("ok", { ...next, sessionId: talk.sessionId });
      await openGate(talk);
      await talk.untilEnded();
      const { sessionId } = talk;
      await scene.client.untilState(sessionId, "a queue that waits", ({ queuePaused }) => queuePaused);
      const { turn, queue } = talk.state;
      expect(turn).toMatchObject({ stopReason: "error", error: { message: expect.stringContaining("429") } });
      expect(queue.map(({ content }) => content)).toEqual(["say: Next."]);
      expectSettled(talk);
      await scene.client.ask("ok", { type: "session:queue-resume", sessionId: talk.sessionId });
      await scene.client.until("the next answer", () => talk.entries.find(({ content }) => content === "Next."));
      await talk.untilIdle();
      expect(talk.state.turn.stopReason).toBe("end_turn");
      expectSettled(talk);
    });

    real("a request the model refuses is told to the user", async () => {
      const talk = await scene.newSession();
      await talk.run("fail: 400 that prompt cannot be read");
      const told = [
        ...talk.entries.slice(1).map(({ content }) => content),
        talk.state.turn.error?.message ?? "",
      ].join();
      expect(told).toContain("that prompt cannot be read");
      expectSettled(talk);
    });
  });

const [claude] = REAL_AGENTS;
test.skipIf(!claude?.isInstalled || process.getuid?.() !== 0)(
  "(B11) TC-2.2f Claude Code that refuses to run as root says why, and what to do",
  async () => {
    if (!claude) throw new Error("Claude Code is needed");
    const env = { IS_SANDBOX: "yes" };
    await using scene = await openAgentScene(claude, { agents: { "claude-code": { env } } });
    const refusal = await scene.newSession().catch(String);
    expect(refusal).toContain("cannot be used with root/sudo privileges");
    expect(refusal).toContain("or set IS_SANDBOX=1 if this machine is a container or a sandbox");
  },
);
