import { expect, test } from "bun:test";
import { openAgentScene } from "./agent-scene.ts";
import { REAL_AGENTS } from "./real-agents.ts";

/** Often, so that a busy machine may miss some. */
const PROGRESS_EVERY_MS = 2_000;
/** Longer than the time between two notices of progress, shorter than the child's work. */
const CLIENT_TIMEOUT_MS = 14_000;
const WORK_SECONDS = 20;

const claude = REAL_AGENTS.find(({ name }) => name === "claude");
if (!claude) throw new Error("Claude is needed");

test.skipIf(!claude.isInstalled)(
  "(C1, C2, C7) a Claude parent is told how to run agents, is asked for nothing, and waits longer than its client would without progress",
  async () => {
    const env = { CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: String(CLIENT_TIMEOUT_MS) };
    await using scene = await openAgentScene(claude, {
      agents: { "claude-code": { env } },
      orchestration: { progressEveryMs: PROGRESS_EVERY_MS },
    });
    const talk = await scene.newSession();
    const call = (tool: string, input: Parameters<typeof claude.mcpTool>[2]) => claude.mcpTool("liminal", tool, input);
    await talk.run(
      call("create_coding_agent", { agent: "builtin", plan: `sleep ${WORK_SECONDS}` }),
      call("wait_for_agents", { timeoutMs: 120_000 }),
      "say: It is done.",
    );
    expect(talk.entries.at(-1)?.content).toBe("It is done.");
    const waited = talk.tools.findLast(({ name }) => name.includes("wait_for_agents"));
    expect(waited?.status).toBe("complete");
    expect(JSON.stringify(waited)).toContain("done");
    expect(scene.model.bodies.some((body) => body.includes("list_agent_kinds lists the available agents"))).toBe(true);
    expect(scene.client.all("permission:request").filter(({ by }) => by === undefined)).toEqual([]);
  },
);

/** Longer than the calls before it take, shorter than the wait. */
const HARD_LIMIT_MS = 5_000;

test.skipIf(!claude.isInstalled)(
  "quirk: a tool call of Claude's ends after its MCP_TOOL_TIMEOUT in spite of progress, and the agents go on working",
  async () => {
    const env = { MCP_TOOL_TIMEOUT: String(HARD_LIMIT_MS) };
    const settings = { agents: { "claude-code": { env } }, orchestration: { progressEveryMs: 500 } };
    await using scene = await openAgentScene(claude, settings);
    const talk = await scene.newSession();
    const call = (tool: string, input: Parameters<typeof claude.mcpTool>[2]) => claude.mcpTool("liminal", tool, input);
    await talk.run(
      call("create_coding_agent", { agent: "builtin", plan: "sleep" }),
      call("wait_for_agents", { timeoutMs: 120_000 }),
      call("list_agents", {}),
      "say: I was cut off.",
    );
    expect(talk.entries.at(-1)?.content).toBe("I was cut off.");
    const waited = talk.tools.findLast(({ name }) => name.includes("wait_for_agents"));
    expect(waited?.status).toBe("error");
    expect(JSON.stringify(talk.tools.findLast(({ name }) => name.includes("list_agents")))).toContain("running");
  },
);
