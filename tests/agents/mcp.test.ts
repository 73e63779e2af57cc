import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { tempDir } from "../support/temp-dir.ts";
import { openAgentScene } from "./agent-scene.ts";
import { LAB_TOOL, reversed, startHttpMcpServer, stdioMcpServer } from "./lab-mcp-server.ts";
import { textsBy } from "./model-server/model-request.ts";
import { expectSettled } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

/** An MCP server as config.json names it, and what it was asked. */
interface Lab extends AsyncDisposable {
  readonly setting: object;
  asked(): readonly string[];
}

const TRANSPORTS: Readonly<Record<string, () => Promise<Lab>>> = {
  async stdio() {
    const dir = await tempDir();
    const file = dir.join("asked.txt");
    return {
      setting: stdioMcpServer(file),
      asked: () => readFileSync(file, "utf8").split("\n"),
      [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
    };
  },
  async http() {
    const server = startHttpMcpServer();
    return {
      setting: server.setting,
      asked: () => server.asked,
      [Symbol.asyncDispose]: async () => server[Symbol.dispose](),
    };
  },
};

for (const agent of REAL_AGENTS)
  describe(`tool servers with ${agent.title}`, () => {
    test.skipIf(!agent.isInstalled).each(Object.entries(TRANSPORTS))(
      "O-2 over %s the model calls a tool of the MCP server, the user is asked, and its result is in the transcript",
      async (_, openLab) => {
        await using lab = await openLab();
        await using scene = await openAgentScene(agent, { mcpServers: { lab: lab.setting } });
        const talk = await scene.newSession();
        await talk.askFirst();
        const text = "Was it a car or a cat I saw?";
        await talk.send(agent.mcpTool("lab", LAB_TOOL, { text }), "say: It came back.");
        await talk.answer(await talk.untilAsked(), "allow_once");
        await talk.untilEnded();
        const tool = talk.tools.find(({ name }) => name.includes(LAB_TOOL));
        expect(tool).toMatchObject({ status: "complete", result: expect.stringContaining(reversed(text)) });
        expect(scene.model.requests.flatMap((request) => textsBy(request, "tool")).join()).toContain(reversed(text));
        expect(lab.asked()).toEqual(expect.arrayContaining(["initialize", "tools/list", "tools/call"]));
        expect(talk.entries.at(-1)?.content).toBe("It came back.");
        expectSettled(talk);
      },
    );
  });
