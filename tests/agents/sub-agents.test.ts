import { expect, test } from "bun:test";
import type { ToolCallEntry } from "../../src/protocol/entry.ts";
import { type AgentTalk, openAgentScene } from "./agent-scene.ts";
import { gated, openGate } from "./gated-command.ts";
import { toolLine } from "./model-server/script.ts";
import { REAL_AGENTS, type RealAgent } from "./real-agents.ts";

/** How each agent's model starts a sub-agent; what it is asked has several lines. */
const LAUNCH: Readonly<Record<RealAgent["name"], (prompt: string) => string>> = {
  claude: (prompt) => toolLine("Agent", { description: "Find the parser", prompt, subagent_type: "general-purpose" }),
  codex: (message) => toolLine("multi_agent_v1/spawn_agent", { message }),
};

const childOf = (talk: AgentTalk): ToolCallEntry | undefined => talk.tools.find(({ subAgent }) => subAgent);
const nested = (talk: AgentTalk) =>
  talk.entries
    .filter(({ parentToolCallId }) => parentToolCallId === childOf(talk)?.toolCallId)
    .map((entry) => (entry.type === "tool-call" ? [entry.type, entry.status] : [entry.type, entry.content]));

for (const agent of REAL_AGENTS) {
  const real = test.skipIf(!agent.isInstalled);

  test.skipIf(!agent.isInstalled)(
    `CV-31 a sub-agent of ${agent.title} is shown with its words, its call and its end`,
    async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      const command = gated("echo found");
      const prompt = `say: I look around.\n${agent.shell(command)}\nsay: It is in parse.ts.`;
      await talk.send(LAUNCH[agent.name](prompt), "say: Launched.");
      const call = await talk.untilTool("the child's command", ({ name }) => name === command);
      expect(call.status).toBe("running");
      expect(childOf(talk)).toMatchObject({ kind: "think", status: "running", subAgent: { canStop: true } });
      await openGate(talk);
      await talk.untilTool(
        "the end of the child",
        ({ subAgent, status }) => subAgent !== undefined && status === "complete",
      );
      await talk.untilEnded();
      expect(childOf(talk)?.name).not.toContain("\n");
      expect(nested(talk)).toEqual([
        ["user", prompt],
        ["assistant", "I look around."],
        ["tool-call", "complete"],
        ["assistant", "It is in parse.ts."],
      ]);
    },
  );

  real(`CV-31 Stop on a sub-agent of ${agent.title} leaves its parent running`, async () => {
    await using scene = await openAgentScene(agent);
    const talk = await scene.newSession();
    const command = gated("echo never");
    await talk.send(LAUNCH[agent.name](`${agent.shell(command)}\nsay: Too far.`), "say: Launched.");
    await talk.untilTool("the child's command", ({ name }) => name === command);
    const { toolCallId = "" } = childOf(talk) ?? {};
    await scene.client.ask("ok", { type: "session:stop-subagent", sessionId: talk.sessionId, toolCallId });
    await talk.untilTool(
      "the end of the child",
      ({ subAgent, status }) => subAgent !== undefined && status === "cancelled",
    );
    await talk.untilEnded();
    expect(talk.state.turn.stopReason).toBe("end_turn");
  });
}
