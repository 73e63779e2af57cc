import { expect, it } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reopen, startTalk } from "../integration/talk.ts";
import { ROOT, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { agentPid, readStatus } from "./agent-status.ts";

const GATE = "gate";

/** The built-in agent, which starts to listen when a file is there. */
function gatedGuide(gate: string) {
  const start = `while [ ! -e '${gate}' ]; do sleep 0.02; done; exec '${process.execPath}' '${join(ROOT, "builtin-agent/main.ts")}'`;
  return { name: "Gated", command: "/bin/sh", args: ["-c", start], retryMs: [1, 1, 1, 1] };
}

async function gatedServer(): Promise<{ server: TestServer; gate: string }> {
  let gate = "";
  const server = await startTestServer({
    prepare: async (dataDir) => {
      gate = join(dataDir, GATE);
      writeFileSync(gate, "");
      await Bun.write(join(dataDir, "config.json"), JSON.stringify({ agents: { gated: gatedGuide(gate) } }));
    },
  });
  return { server, gate };
}

it("TC-2.2c (A5) a session that is discarded while its agent starts is gone, and so is the agent", async () => {
  const { server, gate } = await gatedServer();
  await using _ = server;
  rmSync(gate);
  using client = await server.connect();
  const path = await server.directory("demo");
  const { project } = await client.ask("project:added", { type: "project:add", path });
  const projectId = project.id;
  const create = { type: "session:create", projectId, cliType: "gated", waitForAgent: false } as const;
  const { sessionId, session } = await client.ask("session:created", create);
  expect(session.start).toEqual({ state: "starting" });
  await waitFor(
    () => server.processes.alive(),
    (alive) => alive.some(({ commandLine }) => commandLine.startsWith("/bin/sh -c while")),
    "the start of the agent",
  );
  await client.ask("ok", { type: "session:discard", sessionId });
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId, includeArchived: true });
  expect(sessions).toEqual([]);
  await waitFor(
    () => server.agentProcesses(),
    (left) => left.length === 0,
    "the end of the agent",
  );
  writeFileSync(gate, "");
  // The agent itself is fine: what is asked for next is made.
  await client.ask("session:created", { type: "session:create", projectId, cliType: "gated" });
});

it("X-19 kill -9 of the server while an agent starts for a turn: the turn begins and completes", async () => {
  const { server, gate } = await gatedServer();
  await using _ = server;
  const talk = await startTalk(server, "gated");
  await talk.say("stream 2 words");
  rmSync(gate);
  process.kill(await agentPid(server, "gated"), "SIGKILL");
  await waitFor(
    () => server.processes.alive(),
    (alive) => alive.some(({ commandLine }) => commandLine.startsWith("/bin/sh -c while")),
    "the next start of the agent",
  );
  await talk.send("stream 3 words", "meanwhile");
  await server.kill();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  writeFileSync(gate, "");
  await again.until("the end of the turn", ({ turn: { state } }) => state === "idle");
  expect(again.state.turn).toMatchObject({ stopReason: "end_turn" });
  expect(again.entries.at(-1)).toMatchObject({ type: "assistant", content: "w1 w2 w3" });
});

for (const isHolderKilled of [true, false])
  it(`X-19 kill -9 of the server${isHolderKilled ? " and the holder" : ""} while an agent restores a session: the turn begins`, async () => {
    const { server } = await gatedServer();
    await using _ = server;
    const talk = await startTalk(server, "gated");
    await talk.say("stream 2 words");
    const second = await nextProcess(server);
    // It is there, and does not answer the request that restores the session.
    process.kill(second, "SIGSTOP");
    await talk.send("stream 3 words", "meanwhile");
    await server.kill();
    if (isHolderKilled) for (const { pid } of server.holders()) process.kill(pid, "SIGKILL");
    else process.kill(second, "SIGCONT");
    await server.start();
    const again = await reopen(await server.connect(), talk);
    await again.until("the end of the turn", ({ turn: { state } }) => state === "idle");
    expect(again.state.turn).toMatchObject({ stopReason: "end_turn" });
    expect(again.entries.at(-1)).toMatchObject({ type: "assistant", content: "w1 w2 w3" });
  });

/** The agent is killed; the process that comes after it. */
async function nextProcess(server: TestServer): Promise<number> {
  const first = await agentPid(server, "gated");
  process.kill(first, "SIGKILL");
  const { pid } = await waitFor(
    async () => (await readStatus(server)).agents.find(({ id }) => id === "gated") ?? { pid: null },
    (found) => found.pid !== null && found.pid !== first,
    "the next process",
  );
  if (pid === null) throw new Error("no process");
  return pid;
}
