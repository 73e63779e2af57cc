import { describe, expect, test } from "bun:test";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import { openAgentScene } from "./agent-scene.ts";
import { expectSettled } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS)
  describe(`agents run by ${agent.title}`, () => {
    test.skipIf(!agent.isInstalled)(
      "O-1 O-2 O-6 X-20 its model creates agents, waits, reads, answers a permission and kills",
      async () => {
        const call = (tool: string, input: Parameters<typeof agent.mcpTool>[2]) =>
          agent.mcpTool("liminal", tool, input);
        await using scene = await openAgentScene(agent);
        const talk = await scene.newSession();
        const { sessionId } = talk;
        await scene.client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, mode: "all" });
        await talk.run(
          call("create_coding_agent", { agent: "builtin", plan: "stream 3 words", title: "Reader" }),
          call("create_coding_agent", { agent: "builtin", plan: "run echo hello", title: "Asker", policy: "ask" }),
          call("wait_for_agents", {}),
          "say: They stand still.",
        );
        expect(talk.entries.at(-1)?.content).toBe("They stand still.");
        // Seen with the session's own eyes, as its agent sees it.
        await using caller = await McpCaller.overHttp(scene.server, sessionToken(scene.server, sessionId));
        const [reader, asker, ...others] = await caller.list();
        expect(others).toEqual([]);
        expect([reader?.outcome, asker?.outcome]).toEqual(["done", "blocked"]);
        expect(resultOf("wait_for_agents")).toContain("w1 w2 w3");

        const [readerId = "", askerId = ""] = [reader?.agentId, asker?.agentId];
        await talk.run(
          call("answer_agent", { agentId: askerId, answer: "allow" }),
          call("wait_for_agents", { agentIds: [askerId] }),
          call("get_agent_output", { agentId: askerId, range: { limit: 10 } }),
          call("kill_agent", { agentId: readerId }),
          call("get_agent_status", { agentId: "builtin:nobody" }),
          "say: One is gone.",
        );
        expect(talk.entries.at(-1)?.content).toBe("One is gone.");
        expect(resultOf("get_agent_output")).toContain("hello");
        expect(resultOf("get_agent_status")).toContain("Agent not found");
        expect((await caller.list()).map(({ outcome }) => outcome)).toEqual(["killed", "done"]);
        expectSettled(talk);

        function resultOf(tool: string): string {
          const found = talk.tools.findLast(({ name }) => name.includes(tool));
          return `${found?.result ?? ""}${found?.error ?? ""}${found?.content ?? ""}`;
        }
      },
    );
  });
