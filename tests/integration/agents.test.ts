import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { liminal } from "../cli/liminal.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { anotherTalk, startTalk } from "./talk.ts";

const Status = z.object({
  agents: z.array(
    z.object({ id: z.string(), status: z.string(), busy: z.boolean(), pid: z.int().nullable(), restarts: z.int() }),
  ),
  sessions: z.array(z.object({ id: z.string(), turn: z.string(), agentState: z.string(), pid: z.int().optional() })),
});

async function statusOf(server: TestServer): Promise<z.infer<typeof Status>> {
  return Status.parse(await (await server.fetch("/api/status")).json());
}

function untilDisconnected(client: SocketClient, cliType: string) {
  return client.next("agent:status", (told) => told.cliType === cliType && told.status === "disconnected", 0);
}

const isGuide = ({ commandLine }: { commandLine: string }) => commandLine.includes("builtin-agent/main.ts");

/** A failed start is reported at once; its process is ended then, and a busy machine takes a moment for that. */
function untilNoGuide(server: TestServer) {
  return waitFor(
    () => server.agentProcesses().filter(isGuide),
    ({ length }) => length === 0,
    "the end of the agent's process",
  );
}

test("TC-5.1a TC-5.1b W-1 the first session starts the agent's process, later ones and other clients reuse it", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  expect(server.agentProcesses().filter(isGuide)).toEqual([]);
  const first = await startTalk(server);
  const guides = server.agentProcesses().filter(isGuide);
  expect(guides).toHaveLength(1);
  const second = await anotherTalk(first.client, first.projectId);
  const third = await anotherTalk(client, first.projectId);
  await Promise.all([first.say("stream 5 words"), second.say("think"), third.say("plan")]);
  expect(server.agentProcesses().filter(isGuide)).toEqual(guides);
  const { agents, sessions } = await statusOf(server);
  const pid = guides[0]?.pid;
  expect(agents.find(({ id }) => id === "builtin")).toMatchObject({
    status: "connected",
    pid,
    busy: false,
    restarts: 0,
  });
  expect(sessions.map((session) => session.pid)).toEqual([pid, pid, pid]);
});

test("TC-5.1b sessions created at the same moment share one start, which everyone sees", async () => {
  await using server = await startTestServer({ agents: { slow: guideWith("--start-delay-ms", "300") } });
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("one") });
  const create = { type: "session:create", projectId: project.id, cliType: "slow" } as const;
  const made = await Promise.all([1, 2, 3].map(() => client.ask("session:created", create)));
  expect(new Set(made.map(({ sessionId }) => sessionId)).size).toBe(3);
  expect(client.all("agent:status").map(({ cliType, status }) => `${cliType} ${status}`)).toEqual([
    "slow starting",
    "slow connected",
  ]);
  expect(server.agentProcesses().filter(isGuide)).toHaveLength(1);
});

test("TC-5.3a after a shutdown no agent is left and nothing that it started, daemons included", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("scenario spawn-children");
  const other = await anotherTalk(talk.client, talk.projectId);
  await other.send("run sleep 1000 & exec sleep 1001");
  await other.answerWith("allow-once");
  const running = await waitFor(
    () => server.agentProcesses().filter(({ commandLine }) => commandLine.startsWith("sleep ")),
    (found) => found.length === 4,
    "a child, a daemon, a command and its own child",
  );
  expect(running.map(({ commandLine }) => commandLine).toSorted()).toEqual([
    "sleep 1000",
    "sleep 1001",
    "sleep 300",
    "sleep 300",
  ]);
  expect(await server.stop()).toBe(0);
  expect(server.processes.alive()).toEqual([]);
  await server.start();
  const again = await talk.joinedBy(await server.connect());
  expect(again.answer).toContain("daemon");
  const interrupted = await other.joinedBy(again.client);
  const error = { message: "Liminal Builder was stopped, and Liminal Guide with it." };
  expect(interrupted.state.turn).toMatchObject({ state: "idle", stopReason: "interrupted", error });
  expect(interrupted.tools.map(({ status }) => status)).toEqual(["error"]);
});

test("TC-5.5a an agent that is not installed is refused with what to do, and shown as disconnected", async () => {
  await using server = await startTestServer({
    agents: { missing: { name: "Missing Agent", command: "/nowhere/at/all", process: "shared" } },
    env: { CODEX_ACP_CMD: "", PATH: "/usr/bin:/bin" },
  });
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("one") });
  for (const [cliType, name] of [
    ["missing", "Missing Agent"],
    ["codex", "Codex"],
  ] as const) {
    const refused = await client.ask("error", { type: "session:create", projectId: project.id, cliType });
    const message = `Could not start ${name}. Check that it's installed.`;
    expect(refused).toMatchObject({ code: "AGENT_UNAVAILABLE", message, cliType });
    const told = await untilDisconnected(client, cliType);
    expect(told.message).toBe(message);
  }
  const { agents } = await client.ask("agent:list", { type: "agent:list" });
  expect(agents.find(({ id }) => id === "codex")?.availability).toBe("needs-install");
  expect(agents.find(({ id }) => id === "missing")).toMatchObject({ status: "disconnected" });
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId: project.id });
  expect(sessions).toEqual([]);
});

test("TC-5.5b a failed handshake is reported with the last lines of stderr, and is not retried automatically", async () => {
  await using server = await startTestServer({
    agents: {
      dying: { ...guideWith("--scenario", "crash-at-start"), retryMs: [0] },
      refusing: { ...guideWith("--scenario", "initialize-error"), retryMs: [0] },
      future: { ...guideWith("--scenario", "future-version"), retryMs: [0] },
    },
  });
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("one") });
  const details: Record<string, string> = {
    dying: "liminal-guide: cannot start: the scenario says so",
    refusing: "The guide refuses to start, as asked.",
    future: "99",
  };
  for (const [cliType, expected] of Object.entries(details)) {
    const refused = await client.ask("error", { type: "session:create", projectId: project.id, cliType });
    const message = "Could not connect to Test Guide";
    expect(refused).toMatchObject({ code: "AGENT_UNAVAILABLE", message, cliType });
    expect(refused.details).toContain(expected);
    expect((await untilDisconnected(client, cliType)).message).toBe(message);
  }
  for (const cliType of Object.keys(details)) {
    const told = client.all("agent:status").filter((each) => each.cliType === cliType);
    expect(told.map(({ status }) => status)).toEqual(["starting", "disconnected"]);
  }
  await untilNoGuide(server);
});

test("TC-5.5b an agent that never answers is given up after ACP_START_TIMEOUT_MS, and its process is gone", async () => {
  await using server = await startTestServer({
    agents: { hanging: guideWith("--scenario", "hang-at-start") },
    env: { ACP_START_TIMEOUT_MS: "400" },
  });
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("one") });
  const create = { type: "session:create", projectId: project.id, cliType: "hanging" } as const;
  const refused = await client.ask("error", create);
  expect(refused).toMatchObject({ code: "AGENT_UNAVAILABLE", message: "Could not connect to Test Guide" });
  expect(refused.details).toContain("0.4 s");
  expect((await untilDisconnected(client, "hanging")).message).toBe(refused.message);
  await untilNoGuide(server);
});

test("TC-5.2b TC-5.2c an agent that crashes is shown as disconnected and restarts automatically", async () => {
  await using server = await startTestServer({ agents: { guide: { ...guideWith(), retryMs: [1, 1] } } });
  const talk = await startTalk(server, "guide");
  await talk.say("stream 1 words");
  const mark = talk.client.mark();
  process.kill(server.agentProcesses().find(isGuide)?.pid ?? 0, "SIGKILL");
  await talk.client.next("agent:status", ({ status }) => status === "connected", mark);
  const told = talk.client.all("agent:status", mark);
  expect(told.map(({ cliType, status }) => `${cliType} ${status}`)).toEqual([
    "guide disconnected",
    "guide reconnecting",
    "guide connected",
  ]);
  expect(told[0]?.message).toContain("Test Guide stopped");
  await talk.say("stream 2 words");
  expect(talk.answer).toBe("w1w1 w2");
});

test("TC-5.2d a manual reconnect shows reconnecting, then connected, or disconnected and an error", async () => {
  await using server = await startTestServer({ agents: { guide: guideWith() } });
  const talk = await startTalk(server, "guide");
  const { client } = talk;
  await talk.say("stream 1 words");
  process.kill(server.agentProcesses().find(isGuide)?.pid ?? 0, "SIGKILL");
  await client.next("agent:status", ({ status }) => status === "disconnected", 0);
  const mark = client.mark();
  const answer = await client.ask("agent:status", { type: "session:reconnect", cliType: "guide" });
  expect(answer).toMatchObject({ cliType: "guide", status: "reconnecting" });
  await client.next("agent:status", ({ status }) => status === "connected", mark);
  expect(client.all("agent:status", mark).map(({ status }) => status)).not.toContain("starting");
  await talk.say("stream 2 words");
  expect(talk.answer).toBe("w1w1 w2");

  const unknown = await client.ask("error", { type: "session:reconnect", cliType: "nobody" });
  expect(unknown.code).toBe("AGENT_UNKNOWN");
});

test("TC-5.2d a reconnect that fails answers reconnecting and then an error with the same request id", async () => {
  await using server = await startTestServer({ agents: { dying: guideWith("--scenario", "crash-at-start") } });
  const client = await server.connect();
  const requestId = client.post({ type: "session:reconnect", cliType: "dying" });
  const answers = await client.until("both answers", () => {
    const found = client.answersTo(requestId);
    return found.length === 2 && found;
  });
  expect(answers.map(({ type }) => type)).toEqual(["agent:status", "error"]);
  expect(answers[0]).toMatchObject({ status: "reconnecting" });
  expect(answers[1]).toMatchObject({ code: "AGENT_UNAVAILABLE", message: "Could not connect to Test Guide" });
  await untilDisconnected(client, "dying");
});

test("X-4 a mistake in config.json is reported to the log, to clients and to commands; the rest is used (A16)", async () => {
  const config = { agents: { Wrong: { name: "x" }, builtin: { permissions: "edits" } }, pool: { idleMs: "soon" } };
  await using server = await startTestServer({
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify(config, null, 1)),
  });
  const file = join(server.dataDir, "config.json");
  const places = [`${file}, line 3: agents.Wrong: `, `${file}, line 11: pool.idleMs: `];
  const talk = await startTalk(server);
  await talk.say("hello");
  const hello = await talk.client.next("hello", () => true, 0);
  const { stderr, code } = await liminal(server, ["ls"]);
  expect(code).toBe(0);
  for (const place of places) {
    expect(server.log).toContain(place);
    expect(hello.startProblems?.join("\n")).toContain(place);
    expect(stderr).toContain(`Warning: ${place}`);
  }
});
