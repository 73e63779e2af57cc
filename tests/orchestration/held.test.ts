import { describe, expect, it } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reopen, startTalk, type Talk } from "../integration/talk.ts";
import { agentPid } from "../lifecycle/agent-status.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { eagerAgent } from "./eager-agent.ts";

const AGENTS = { web: eagerAgent(true), pipes: eagerAgent(false) };
const FOUND = "liminal over stdio: 13 tools";

async function comeBack(server: TestServer, talk: Talk): Promise<Talk> {
  return reopen(await server.connect(), talk);
}

/** What it finds where it was told to look. */
async function lookAgain(talk: Talk): Promise<string> {
  const before = talk.answer.length;
  await talk.say("look again");
  return talk.answer.slice(before);
}

describe("X-19 O-2 an agent that outlives the server has its tools under the next one", () => {
  for (const cliType of ["web", "pipes"] as const)
    it(`${cliType}: the server is killed and started again`, async () => {
      await using server = await startTestServer({ agents: AGENTS });
      const talk = await startTalk(server, cliType);
      const pid = await agentPid(server, cliType);
      await server.kill();
      await server.start();
      const again = await comeBack(server, talk);
      expect(await lookAgain(again)).toBe(FOUND);
      expect(await agentPid(server, cliType)).toBe(pid);
    });

  for (const cliType of ["web", "pipes"] as const)
    it(`${cliType}: its port is taken meanwhile, and a turn runs`, async () => {
      await using server = await startTestServer({ agents: AGENTS });
      const talk = await startTalk(server, cliType);
      const gate = join(await server.directory("gates"), "gate");
      await talk.send(`after ${gate}`);
      const { port } = server;
      const pid = await agentPid(server, cliType);
      await server.kill();
      using squatter = Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 404 }) });
      await server.start();
      expect(server.port).not.toBe(squatter.port ?? 0);
      const again = await comeBack(server, talk);
      expect(await agentPid(server, cliType)).toBe(pid);
      await writeFile(gate, "");
      const { turn } = await again.untilTurnsEnded(1);
      expect(turn.stopReason).toBe("end_turn");
      expect(again.answer).toBe(FOUND);
    });
});
