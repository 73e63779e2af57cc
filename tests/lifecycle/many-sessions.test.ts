import { expect, it } from "bun:test";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anotherTalk, startTalk, type Talk } from "../integration/talk.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { readStatus } from "./agent-status.ts";

const AGENTS = 5;
const SESSIONS = 50;
const PROCESSES_MAX = 3;

it("W-1 W-6 fifty sessions over five agent processes with eviction on: every session still answers", async () => {
  const ids = Array.from({ length: AGENTS }, (_, index) => `agent-${index + 1}`);
  const config = {
    agents: Object.fromEntries(ids.map((id) => [id, guideWith()])),
    pool: { processesMax: PROCESSES_MAX, idleMs: 60_000 },
  };
  await using server = await startTestServer({
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify(config)),
  });
  const first = await startTalk(server, ids[0]);
  const talks: Talk[] = [first];
  for (let index = 1; index < SESSIONS; index++)
    talks.push(await anotherTalk(first.client, first.projectId, ids[index % AGENTS]));
  await Promise.all(talks.map((talk) => talk.say("stream 50 words")));
  const peak = memoryMb(server.pid);
  // One agent after the other, so that each round finds the others put away.
  for (const talk of talks) await talk.say("stream 5 words");
  for (const talk of talks) {
    expect(talk.messages).toEqual(["stream 50 words", "stream 5 words"]);
    expect(talk.answer.split(/\s+/).length).toBeGreaterThanOrEqual(54);
  }
  // One that still worked when another one was started is put away later.
  const connected = await waitFor(
    async () => (await readStatus(server)).agents.filter(({ status }) => status === "connected"),
    ({ length }) => length <= PROCESSES_MAX,
    `no more than ${PROCESSES_MAX} processes`,
  );
  const agentMb = connected.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0) / 1024 / 1024;
  console.log(
    `${SESSIONS} sessions, ${AGENTS} agents, at most ${PROCESSES_MAX} processes: server peak ${peak} MB, ` +
      `settled ${memoryMb(server.pid)} MB; ${connected.length} agent processes hold ${Math.round(agentMb)} MB`,
  );
}, 120_000);

function memoryMb(pid: number): number {
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024);
}
