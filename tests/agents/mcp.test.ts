import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";
import { openAgentScene } from "./agent-scene.ts";
import { labMcpServer } from "./lab-mcp-server.ts";
import { expectSettled } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS)
  describe(`tool servers with ${agent.title}`, () => {
    test.skipIf(!agent.isInstalled)(
      "O-2 a session's agent starts the MCP server it is given and asks for its tools",
      async () => {
        await using dir = await tempDir();
        const asked = dir.join("asked.txt");
        const mcpServers = { lab: labMcpServer(asked) };
        await using scene = await openAgentScene(agent, { mcpServers });
        const talk = await scene.newSession();
        await talk.run("say: Hello.");
        const methods = await waitFor(
          async () => (existsSync(asked) ? (await readFile(asked, "utf8")).split("\n") : []),
          (seen) => seen.includes("tools/list"),
          "the agent to ask for the tools",
        );
        expect(methods).toContain("initialize");
        expect(talk.entries.at(-1)?.content).toBe("Hello.");
        expectSettled(talk);
      },
    );
  });
