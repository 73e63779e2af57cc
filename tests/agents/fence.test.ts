import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentCache } from "../../scripts/agents/agent-packages.ts";
import { fenceProblem } from "../../src/places/fence.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer } from "../support/test-server.ts";
import { AgentScene, AgentTalk, EDITED_FILE, EDITED_TEXT } from "./agent-scene.ts";
import { startModelServer } from "./model-server/model-server.ts";
import { REAL_AGENTS, type RealAgent } from "./real-agents.ts";

const WHY_NOT = await fenceProblem({ network: true }, process.env);
const WHERE = WHY_NOT === null ? "behind a fence" : `behind a fence (skipped: ${WHY_NOT})`;

/** Allows whatever is asked until the turn is over. */
async function runAllowed(talk: AgentTalk, ...lines: string[]): Promise<void> {
  await talk.send(...lines);
  let isOver = false;
  const over = talk.untilEnded().then(() => {
    isOver = true;
  });
  while (!isOver) {
    const asked = await Promise.race([over, talk.untilAsked()]);
    if (asked) await talk.answer(asked, "allow_once");
  }
}

/** Our server, and the agent in a project of its place `fenced`. All of its settings are named, and nothing else. */
async function openFenced(agent: RealAgent): Promise<AgentTalk> {
  const home = await tempDir();
  const model = startModelServer();
  const { [agent.variable]: command = "", ...env } = await agent.settle(home.path, model.origin);
  const words = command.split(" ").map((word) => word.replaceAll("'", ""));
  const read = [agentCache(process.env), dirname(process.execPath), dirname(realpathSync(process.execPath))];
  const fence = { kind: "fence", network: true, read, write: [home.path], variables: Object.keys(env) };
  const places = { fenced: { ...fence, agents: { [agent.cliType]: words } } };
  const server = await startTestServer({
    env,
    prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ places })),
  });
  const client = await server.connect();
  const scene = new AgentScene({ agent, home, model, server, client, env });
  const directory = await server.directory("project");
  writeFileSync(join(directory, EDITED_FILE), EDITED_TEXT);
  const { project } = await client.ask("project:added", { type: "project:add", path: `fenced:${directory}` });
  const { sessionId } = await client.ask("session:created", {
    ...{ type: "session:create", projectId: project.id, cliType: agent.cliType },
  });
  await client.ask("session:history", { type: "session:open", sessionId });
  return new AgentTalk(scene, sessionId, directory);
}

describe.skipIf(WHY_NOT !== null)(`${WHERE}`, () => {
  for (const agent of REAL_AGENTS)
    test.skipIf(!agent.isInstalled)(
      `[SC-49] ${agent.title} edits its project and runs commands there, and gets nothing of another one`,
      async () => {
        const talk = await openFenced(agent);
        await using scene = talk.scene;
        const other = join(await scene.server.directory("other"), "secret.txt");
        writeFileSync(other, "of another project");
        mkdirSync(join(talk.directory, "seen"));
        await talk.askFirst();
        await runAllowed(
          talk,
          agent.edit(talk.file, "line two", "line 2"),
          agent.shellWithQuestion(`cat ${other} > seen/other.txt; echo ran > seen/ran.txt; echo x > ${other}`),
          "say: Both done.",
        );
        expect(talk.entries.at(-1)?.content).toBe("Both done.");
        expect(readFileSync(talk.file, "utf8")).toBe(EDITED_TEXT.replace("line two", "line 2"));
        expect(readFileSync(join(talk.directory, "seen/ran.txt"), "utf8")).toBe("ran\n");
        expect(readFileSync(join(talk.directory, "seen/other.txt"), "utf8")).toBe("");
        expect(existsSync(other) && readFileSync(other, "utf8")).toBe("of another project");
      },
    );
});
