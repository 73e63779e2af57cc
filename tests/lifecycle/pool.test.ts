import { describe, expect, it } from "bun:test";
import { readlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliType } from "../../src/protocol/ids.ts";
import type { AgentInfo } from "../../src/protocol/server-messages.ts";
import { anotherTalk, startTalk, Talk } from "../integration/talk.ts";
import { guideWith, startTestServer, type TestServerOptions } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { readStatus, statusesOf } from "./agent-status.ts";

const SOON_MS = 150;
const OWN = CliType.parse("own");

function configured(config: object): Pick<TestServerOptions, "prepare"> {
  return { prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify(config)) };
}

describe("eviction", () => {
  it("W-6 an idle process is put away, and its session returns by itself with the agent's memory", async () => {
    await using server = await startTestServer(configured({ pool: { idleMs: SOON_MS } }));
    const talk = await startTalk(server);
    await talk.say("stream 3 words");
    await talk.client.next("agent:status", ({ status }) => status === "idle", 0);
    await waitFor(
      () => server.agentProcesses().filter(({ commandLine }) => commandLine.includes("main.ts")),
      (left) => left.length === 0,
      "the process to be gone",
    );
    const mark = talk.client.mark();
    await talk.say("stream 2 words");
    expect(talk.answer).toBe("w1 w2 w3w1 w2");
    expect(talk.shape).toEqual(["user", "assistant", "user", "assistant"]);
    // That it was put away may be told after its process is gone.
    const statuses = statusesOf(talk.client, "builtin", mark).filter((status) => status !== "idle");
    expect(statuses.slice(0, 2)).toEqual(["starting", "connected"]);
  });

  it("W-6 a busy process is never put away", async () => {
    await using server = await startTestServer(configured({ pool: { idleMs: SOON_MS } }));
    const talk = await startTalk(server);
    const { turn } = await talk.say(`sleep ${(SOON_MS * 6) / 1_000}`);
    expect(turn.stopReason).toBe("end_turn");
  });

  it("W-6 above the maximum the least recently used goes first", async () => {
    const agents = { one: guideWith(), two: guideWith(), three: guideWith() };
    await using server = await startTestServer(configured({ agents, pool: { processesMax: 2 } }));
    const first = await startTalk(server, "one");
    await first.say("stream 1 words");
    await startTalk(server, "two");
    await startTalk(server, "three");
    await first.client.next("agent:status", ({ cliType, status }) => cliType === "one" && status === "idle", 0);
    const { agents: seen } = await readStatus(server);
    expect(seen.filter(({ status }) => status === "connected").map(({ id }) => id)).toEqual(["two", "three"]);
    await first.say("stream 2 words");
    expect(first.answer).toBe("w1w1 w2");
  });

  it("W-6 more sessions than processes that start together: each first turn reaches its end", async () => {
    const own = { ...guideWith(), process: "per-session" as const, retryMs: [] };
    await using server = await startTestServer(configured({ agents: { own }, pool: { processesMax: 1 } }));
    const client = await server.connect();
    const { project } = await client.ask("project:added", {
      type: "project:add",
      path: await server.directory("together"),
    });
    const create = { type: "session:create", projectId: project.id, cliType: "own", waitForAgent: false } as const;
    const started = Array.from({ length: 6 }, async () => {
      const one = await server.connect();
      const { sessionId } = await one.ask("session:created", create);
      await one.ask("session:history", { type: "session:open", sessionId });
      const talk = new Talk(one, project.id, sessionId);
      const { turn } = await talk.say("stream 2 words");
      return [turn.stopReason, turn.error?.message, talk.answer];
    });
    for (const ended of await Promise.all(started)) expect(ended).toEqual(["end_turn", undefined, "w1 w2"]);
  });
});

describe("topology", () => {
  it("W-5 TC-5.1b shared: one process serves all sessions", async () => {
    await using server = await startTestServer();
    const one = await startTalk(server);
    const two = await anotherTalk(one.client, one.projectId);
    await Promise.all([one.say("stream 5 words"), two.say("stream 6 words")]);
    const { sessions } = await readStatus(server);
    expect(new Set(sessions.map(({ pid }) => pid)).size).toBe(1);
    expect([one.answer, two.answer]).toEqual(["w1 w2 w3 w4 w5", "w1 w2 w3 w4 w5 w6"]);
  });

  it("W-5 per-session: a process each, started in the session's directory, whose end touches no other", async () => {
    const own = { ...guideWith(), process: "per-session" as const, retryMs: [] };
    await using server = await startTestServer({ agents: { own } });
    const one = await startTalk(server, "own");
    const two = await startTalk(server, "own");
    const { sessions } = await readStatus(server);
    const pids = new Map(sessions.map(({ id, pid }) => [id, pid]));
    const pid = pids.get(one.sessionId) ?? 0;
    expect(pid).not.toBe(pids.get(two.sessionId) ?? 0);
    const { projects } = await one.client.ask("project:list", { type: "project:list" });
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(projects.find(({ id }) => id === one.projectId)?.path ?? "");
    const mark = two.client.mark();
    process.kill(pid, "SIGKILL");
    const lost = await two.client.next("agent:status", ({ status }) => status === "disconnected", mark);
    expect(lost.sessionId).toBe(one.sessionId);
    const { agents, ownProcesses } = await (await server.connect()).next("hello", () => true, 0);
    expect(ownProcesses).toEqual([
      { cliType: OWN, sessionId: one.sessionId, status: "disconnected", message: expect.any(String) },
      { cliType: OWN, sessionId: two.sessionId, status: "connected" },
    ]);
    expect(agents.find(({ id }) => id === "own")?.status).toBe("idle");
    await two.say("stream 2 words");
    expect(two.answer).toBe("w1 w2");
  });

  it("(B7) a crash of an agent of an unknown kind leaves the running turn of another project alone", async () => {
    const { process: _, ...unknown } = guideWith();
    await using server = await startTestServer({ agents: { unknown: { ...unknown, retryMs: [] } } });
    const one = await startTalk(server, "unknown");
    const two = await startTalk(server, "unknown");
    expect(one.projectId).not.toBe(two.projectId);
    const seq = await two.send("stream 100000 words at 200/s");
    await two.untilAnswer("w3");
    const mark = two.client.mark();
    await one.say("crash");
    await two.client.next("agent:status", ({ status }) => status === "disconnected", mark);
    const { length } = two.answer;
    await two.until("more words of the turn that runs", () => two.answer.length > length);
    expect(two.state.turn.state).toBe("running");
    await two.cancel();
    expect((await two.untilIdle(seq)).turn).toMatchObject({ state: "idle", stopReason: "cancelled" });
  });

  it("(B7) W-5 the user's choice goes before config.json, survives a restart, and leaves what runs alone", async () => {
    await using server = await startTestServer({ agents: { own: guideWith() } });
    const one = await startTalk(server, "own");
    const pid = server.agentProcesses().map((agent) => agent.pid);
    const processOf = (agents: readonly AgentInfo[]) => agents.find(({ id }) => id === "own")?.process;
    const choose = { type: "agent:topology", cliType: OWN, process: "per-session" } as const;
    expect(processOf((await one.client.ask("agent:list", { type: "agent:list" })).agents)).toBe("shared");
    const mark = one.client.mark();
    await one.client.ask("ok", choose);
    expect(processOf((await one.client.next("agent:list", () => true, mark)).agents)).toBe("per-session");
    await one.say("stream 2 words");
    expect(server.agentProcesses().map((agent) => agent.pid)).toEqual(pid);
    await server.stop();
    await server.start();
    const client = await server.connect();
    expect(processOf((await client.next("hello", () => true, 0)).agents)).toBe("per-session");
    await anotherTalk(client, one.projectId, "own");
    const three = await anotherTalk(client, one.projectId, "own");
    expect((await readStatus(server)).sessions.filter(({ pid: own }) => own !== undefined)).toHaveLength(2);
    expect(server.agentProcesses()).toHaveLength(2);
    await client.ask("ok", { ...choose, process: "shared" });
    // Its process still runs: another one would write to the same conversation.
    await three.say("stream 3 words");
    expect(server.agentProcesses()).toHaveLength(2);
  });
});

it("W-7 the status names every process with memory, age and restarts, and every session with its agent's state", async () => {
  await using server = await startTestServer({ agents: { fragile: { ...guideWith(), retryMs: [1] } } });
  const talk = await startTalk(server, "fragile");
  const before = (await readStatus(server)).agents.find(({ id }) => id === "fragile");
  expect(before).toMatchObject({ status: "connected", busy: false, restarts: 0 });
  expect(before?.memoryBytes).toBeGreaterThan(1_000_000);
  const mark = talk.client.mark();
  process.kill(before?.pid ?? 0, "SIGKILL");
  await talk.client.next("agent:status", ({ status }) => status === "connected", mark);
  await talk.send("sleep");
  await talk.until("the turn runs", ({ turn }) => turn.state === "running");
  const after = await waitFor(
    () => readStatus(server),
    ({ sessions }) => sessions.some(({ agentState, turn }) => agentState === "active" && turn === "running"),
    "the session to be active",
  );
  const again = after.agents.find(({ id }) => id === "fragile");
  expect(again).toMatchObject({ busy: true, restarts: 1 });
  expect(again?.pid).not.toBe(before?.pid);
  await talk.cancel();
});

describe("silence", () => {
  it("a turn without output is shown as stalled, not ended, and goes on when the agent speaks", async () => {
    await using server = await startTestServer({ env: { ACP_PROMPT_TIMEOUT_MS: "100" } });
    const talk = await startTalk(server);
    const seq = await talk.send("sleep 0.6");
    await talk.until("the turn stalls", ({ turn }) => turn.state === "stalled");
    const { turn } = await talk.untilIdle(seq);
    expect(turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
  });

  it("a running tool explains the silence", async () => {
    await using server = await startTestServer({ env: { ACP_PROMPT_TIMEOUT_MS: "100" } });
    const talk = await startTalk(server);
    const seq = await talk.send("run sleep 0.5");
    await talk.answerWith((await talk.asked()).options[0]?.optionId ?? "");
    await talk.untilIdle(seq);
    // Before it asks, an agent on a busy machine may be silent for long: of the tool that counts from the answer on.
    const { received } = talk.client;
    const from = received.findIndex(({ type }) => type === "permission:resolved");
    const to = received.findIndex(
      (message) =>
        message.type === "session:update" && message.entry.type === "tool-call" && message.entry.status === "complete",
    );
    expect([from > -1, to > from]).toEqual([true, true]);
    const turns = received
      .slice(from, to)
      .flatMap((message) => (message.type === "session:turn" ? [message.turn] : []));
    expect(turns.filter(({ state }) => state === "stalled")).toEqual([]);
  });

  it("W-2 a cancel that is ignored is insisted on, and the process lives", async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    const pid = (await readStatus(server)).agents.find(({ id }) => id === "builtin")?.pid;
    await talk.send("scenario never-ending-cancel");
    await talk.until("the turn runs", ({ turn }) => turn.state === "running");
    await talk.cancel();
    const { turn } = await talk.untilIdle();
    expect(turn.stopReason).toBe("cancelled");
    await talk.say("stream 1 words");
    expect((await readStatus(server)).agents.find(({ id }) => id === "builtin")?.pid).toBe(pid ?? 0);
  }, 30_000);
});
