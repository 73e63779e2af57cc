import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AgentScene, openAgentScene } from "./agent-scene.ts";
import { refuseLine } from "./model-server/script.ts";
import { REAL_AGENTS, type RealAgent } from "./real-agents.ts";

const TOO_MANY = 429;
const HOUR_S = 3_600;
const inAnHour = () => Math.floor(Date.now() / 1_000) + HOUR_S;

/** What the servers of each agent's model answer when the account is used up. */
const USED_UP = {
  codex: (resetsAt: number) =>
    refuseLine({
      status: TOO_MANY,
      headers: {
        "x-codex-primary-used-percent": "100",
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-at": String(resetsAt),
      },
      body: { error: { type: "usage_limit_reached", message: "limit", plan_type: "plus", resets_at: resetsAt } },
    }),
  "claude-code": (resetsAt: number) =>
    refuseLine({
      status: TOO_MANY,
      headers: {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": String(resetsAt),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-status": "rejected",
        "anthropic-ratelimit-unified-5h-reset": String(resetsAt),
        "anthropic-ratelimit-unified-5h-utilization": "1",
      },
      body: {
        type: "error",
        error: { type: "rate_limit_error", message: "This request would exceed your rate limit." },
      },
    }),
};

/** With an account instead of a key: windows are those of subscriptions. */
function subscribed(agent: RealAgent): RealAgent {
  return {
    ...agent,
    settle: async (home, modelOrigin) => {
      const { ANTHROPIC_API_KEY: _, ...env } = await agent.settle(home, modelOrigin);
      return { ...env, CLAUDE_CODE_OAUTH_TOKEN: "made-up" };
    },
  };
}

for (const agent of REAL_AGENTS.map(subscribed))
  describe(`limits behind ${agent.title}`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      if (agent.isInstalled) scene = await openAgentScene(agent);
    });
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
    });
    const real = test.skipIf(!agent.isInstalled);

    real("[CV-20] [CV-25] too many requests pause the session, and no queued message is spent", async () => {
      const talk = await scene.newSession();
      await talk.run("fail: 429 slow down");
      expect(talk.state.turn).toMatchObject({ state: "idle", stopReason: "error", error: { code: "AGENT_LIMIT" } });
      expect(talk.state.pause).toMatchObject({ limit: { kind: "rate" }, tries: 0, isUntouched: true });
      await scene.client.ask("ok", { type: "session:dismiss-limit", sessionId: talk.sessionId });
      await talk.run("say: Better now.");
      expect(talk.entries.at(-1)?.content).toBe("Better now.");
    });

    real("an overloaded model (529) is a failure and no limit", async () => {
      const talk = await scene.newSession();
      await talk.run("fail: 529 overloaded");
      expect(talk.state.turn.stopReason).toBe("error");
      expect(talk.state.pause).toBeNull();
    });

    real("[CV-20] [CV-21] a used up account pauses the session until its reset, on the first turn too", async () => {
      const talk = await scene.newSession();
      const resetsAt = inAnHour();
      await talk.run(USED_UP[agent.cliType](resetsAt));
      const { pause } = talk.state;
      console.log(`${agent.title}: ${JSON.stringify(pause)}`);
      expect(pause?.limit.kind).toBe("usage");
      // The text of some agents has no seconds.
      expect(Math.abs(Date.parse(pause?.limit.resetsAt ?? "") - resetsAt * 1_000)).toBeLessThanOrEqual(60_000);
      if (agent.cliType !== "codex") return;
      // It reports its windows on request.
      await scene.client.ask("ok", { type: "session:dismiss-limit", sessionId: talk.sessionId });
      await talk.run("/status");
      const { agents } = await scene.client.ask("agent:list", { type: "agent:list" });
      const known = agents.find(({ id }) => id === agent.cliType)?.limits?.windows[0];
      expect(known).toMatchObject({ name: "5-hour", used: 1 });
      expect(Math.abs(Date.parse(known?.resetsAt ?? "") - resetsAt * 1_000)).toBeLessThanOrEqual(60_000);
    });
  });
