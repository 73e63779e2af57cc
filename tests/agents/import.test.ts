import { expect, test } from "bun:test";
import { z } from "zod";
import { rows, untilDone } from "../transfer/import-steps.ts";
import { AgentTalk, openAgentScene } from "./agent-scene.ts";
import { outline } from "./outline.ts";
import { PlainAcpRun } from "./plain-acp-run.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS)
  test.skipIf(!agent.isInstalled)(
    `X-12 TC-2.4c a session ${agent.title} had outside the app is listed, comes in with its texts in order, and goes on`,
    async () => {
      await using scene = await openAgentScene(agent);
      const { client, server } = scene;
      const directory = await server.directory("outside");
      {
        await using run = await PlainAcpRun.start(agent, scene.env, directory);
        await run.prompt("think: A thought.\nsay: The first answer.");
        await run.prompt("say: The second answer.");
      }
      const { project } = await client.ask("project:added", { type: "project:add", path: directory });
      expect(await rows(client, project.id)).toEqual([]);
      const from = { projectId: project.id, cliType: agent.cliType };
      const found = await client.ask("import:found", { type: "import:list", ...from });
      expect(found).toMatchObject({ brings: "words", known: 0 });
      const ids = found.sessions.map(({ agentSessionId }) => agentSessionId);
      expect(ids).toHaveLength(1);
      const { importId } = await client.ask("import:started", { type: "import:start", ...from, agentSessionIds: ids });
      expect(await untilDone(client, importId)).toMatchObject({ adopted: 1, failedCount: 0 });
      const [row] = await rows(client, project.id);
      const sessionId = z.string().parse(row?.id);
      await client.ask("session:history", { type: "session:open", sessionId });
      const talk = new AgentTalk(scene, sessionId, directory);
      const said = outline(talk.entries).filter(([type]) => type === "user" || type === "assistant");
      expect(said).toEqual([
        ["user", "think: A thought.\nsay: The first answer."],
        ["assistant", "The first answer."],
        ["user", "say: The second answer."],
        ["assistant", "The second answer."],
      ]);
      expect(await client.ask("import:found", { type: "import:list", ...from })).toMatchObject({
        sessions: [],
        known: 1,
      });
      await talk.run("say: The third answer.");
      expect(talk.entries.at(-1)?.content).toBe("The third answer.");
      expect(talk.entries.some(({ type }) => type === "notice")).toBe(false);
    },
  );
