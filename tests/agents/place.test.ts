import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { CAN_SSH, Sshd, WHERE_SSH } from "../places/sshd.ts";
import { watchProcesses } from "../support/leftover-processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { START, TestServer } from "../support/test-server.ts";
import { AgentScene, AgentTalk, EDITED_FILE, EDITED_TEXT } from "./agent-scene.ts";
import { startModelServer } from "./model-server/model-server.ts";
import { numberedWords } from "./model-server/script.ts";
import { expectSettled } from "./outline.ts";
import { REAL_AGENTS, type RealAgent } from "./real-agents.ts";

const LEFT_MS = 20_000;
const STORY_MS_MAX = 120_000;

for (const agent of REAL_AGENTS)
  test.skipIf(!agent.isInstalled || !CAN_SSH)(
    `[SC-26] [SC-27] [SC-29] [SC-34] ${agent.title} works at a place ${WHERE_SSH}: it asks and edits there, and goes on when the connection is cut and when the server is killed`,
    async () => {
      await using far = await tempDir();
      await using model = startModelServer();
      using processes = watchProcesses();
      // The agent is signed in there, and not where the server is.
      const settled = await agent.settle(far.path, model.origin);
      const PATH = process.env["PATH"] ?? "";
      await using sshd = await Sshd.start({ PATH, ...settled, HOME: far.path, ...processes.env });
      const program = far.join("liminal");
      writeFileSync(program, `#!/bin/sh\nexec ${START.join(" ")} "$@"\n`);
      chmodSync(program, 0o755);
      const box = { kind: "ssh", host: "box", program, agents: { [agent.cliType]: commandThere(agent, settled) } };
      const server = await TestServer.prepare({
        env: { PATH: `${sshd.bin}:${PATH}` },
        prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ places: { box } })),
      });
      {
        await using _server = server;
        await server.start();
        const scene = new AgentScene({ agent, home: far, model, server, client: await server.connect(), env: settled });
        let talk = await sessionAt(scene, far.join("app"));

        await talk.askFirst();
        await talk.send(agent.edit(talk.file, "line two", "line 2"), "say: Edited.");
        await talk.answer(await talk.untilAsked(), "allow_once");
        await talk.untilEnded();
        expect(readFileSync(talk.file, "utf8")).toBe(EDITED_TEXT.replace("line two", "line 2"));
        expect(talk.entries.at(-1)?.content).toBe("Edited.");

        await talk.send("say: Half an answer", "hold: cut", "say: , and the other half.");
        await model.untilHeld("cut");
        await scene.client.until("the half", () => talk.entries.find(({ content }) => content === "Half an answer"));
        const mark = scene.client.mark();
        process.kill(runnerPid(far.path), "SIGKILL");
        await scene.client.next("agent:status", ({ status }) => status === "reconnecting", mark);
        model.release("cut");
        await talk.untilEnded();
        expect(talk.entries.at(-1)?.content).toBe("Half an answer, and the other half.");

        await talk.send("long: 300", "hold: kill", "say: Over.");
        await model.untilHeld("kill");
        await server.kill();
        model.release("kill");
        await server.start();
        talk = await scene.reopen(talk);
        await talk.untilEnded();
        expect(talk.state.turn.stopReason).toBe("end_turn");
        expect(talk.entries.at(-1)?.content).toBe(`${numberedWords(300)}Over.`);
        expectSettled(talk);
      }
      expect(await processes.leftAfter(LEFT_MS)).toEqual([]);
    },
    STORY_MS_MAX,
  );

/** The words that start the agent. */
function commandThere(agent: RealAgent, settled: Readonly<Record<string, string>>): string[] {
  return [...(settled[agent.variable] ?? "").matchAll(/'([^']*)'/g)].map(([, word = ""]) => word);
}

/** A session in a project of the place, which the server reaches by its name only. */
async function sessionAt(scene: AgentScene, directory: string): Promise<AgentTalk> {
  mkdirSync(directory);
  writeFileSync(join(directory, EDITED_FILE), EDITED_TEXT);
  const { client, agent } = scene;
  const { project } = await client.ask("project:added", { type: "project:add", path: `box:${directory}` });
  const create = { type: "session:create", projectId: project.id, cliType: agent.cliType } as const;
  const { sessionId } = await client.ask("session:created", create);
  await client.ask("session:history", { type: "session:open", sessionId });
  return new AgentTalk(scene, sessionId, directory);
}

/** The process that serves the connection now. */
function runnerPid(home: string): number {
  const root = join(home, ".liminal-runner");
  const [server = ""] = readdirSync(root);
  const state: unknown = JSON.parse(readFileSync(join(root, server, "state.json"), "utf8"));
  return z.object({ pid: z.int() }).parse(state).pid;
}
