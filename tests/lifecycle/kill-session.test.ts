import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { cliTypeOf, SessionId } from "../../src/protocol/ids.ts";
import { isTurnActive } from "../../src/protocol/session-schema.ts";
import { startTalk, Talk } from "../integration/talk.ts";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { DIG, DIG_EVERY_MS, deafAgent } from "./deaf-agent.ts";

/**
 * From the user's word to the last byte that the agent or its child writes, counted by these bytes: on a busy machine both
 * get as little time as the server that has to stop them.
 */
const STOPPED_MS_MAX = 2_000;
const ENDINGS = ["session:kill", "session:archive", "session:delete"] as const;
const RESTARTED = /Deaf was restarted because it kept working on a session that was stopped/;

interface Digging {
  readonly pid: number;
  /** The bytes that the agent and its child have written. */
  written(): readonly number[];
}

/** Sends the prompt that the agent never stops working on, and waits until both it and its child are at it. */
async function startDigging(talk: Talk): Promise<Digging> {
  const { projects } = await talk.client.ask("project:list", { type: "project:list" });
  const cwd = projects.find(({ id }) => id === talk.projectId)?.path ?? "";
  await talk.send(DIG);
  const path = join(cwd, cliTypeOf(talk.sessionId));
  const files = [`${path}-dug`, `${path}-dug-by-child`];
  await waitFor(
    () => files.every((file) => existsSync(file)),
    (both) => both,
    "the agent and its child to dig",
  );
  return {
    pid: Number(readFileSync(`${path}-digger`, "utf8")),
    written: () => files.map((file) => statSync(file).size),
  };
}

/** Nothing that dug is left, so that nothing more can be written; then what was written since tells when it stopped. */
async function expectStopped(server: TestServer, { pid, written }: Digging, since: readonly number[]): Promise<void> {
  await waitFor(
    () => server.processes.alive().filter((found) => found.pid === pid || found.commandLine.includes("dug-by-child")),
    (left) => left.length === 0,
    "the agent and its child to be gone",
  );
  for (const [nth, bytes] of written().entries())
    expect((bytes - (since[nth] ?? 0)) * DIG_EVERY_MS).toBeLessThan(STOPPED_MS_MAX);
}

describe.each(ENDINGS)("(A1) %s", (type) => {
  test.each([["per-session"], ["shared"]] as const)("ends the work of a deaf agent, %s process", async (topology) => {
    await using server = await startTestServer({ agents: { deaf: deafAgent(topology, "--close", "--delete") } });
    const talk = await startTalk(server, "deaf");
    const digging = await startDigging(talk);
    const since = digging.written();
    const { sessionId, client } = talk;
    if (type === "session:kill") await client.ask("ok", { type, sessionId });
    else if (type === "session:archive") await client.ask("session:archived", { type, sessionId });
    else await client.ask("session:deleted", { type, sessionId });
    await expectStopped(server, digging, since);
  });
});

test("(A1) W-4 a deaf agent on a shared process is restarted, its other sessions go on and are told why", async () => {
  await using server = await startTestServer({ agents: { deaf: deafAgent("shared", "--close") } });
  const killed = await startTalk(server, "deaf");
  const idle = await startTalk(server, "deaf");
  const busy = await startTalk(server, "deaf");
  await idle.say("hello");
  const digging = await startDigging(killed);
  const alsoDigging = await startDigging(busy);
  expect(alsoDigging.pid).toBe(digging.pid);
  const mark = idle.client.mark();
  const since = digging.written();
  await killed.client.ask("ok", { type: "session:kill", sessionId: killed.sessionId });
  // Reported as stopped only when it has stopped.
  await killed.untilIdle();
  expect(server.processes.alive().some(({ pid }) => pid === digging.pid)).toBe(false);
  await expectStopped(server, digging, since);
  expect(killed.state.turn.stopReason).toBe("cancelled");
  expect(noticesOf(killed)).toContainEqual(
    expect.stringMatching(/Deaf did not stop when asked, so its process was killed/),
  );

  const restarting = await idle.client.next("agent:status", ({ status }) => status === "reconnecting", mark);
  expect(restarting.message).toMatch(RESTARTED);
  await idle.client.next("agent:status", ({ status }) => status === "connected", mark);
  const interrupted = await busy.untilIdle();
  expect(interrupted.turn.stopReason).toBe("interrupted");
  expect(interrupted.turn.error?.message).toMatch(RESTARTED);
  await idle.until("the notice", () => noticesOf(idle).some((content) => RESTARTED.test(content)));
  for (const talk of [idle, busy]) {
    await talk.say("go on");
    expect(talk.answer).toMatch(/done by \d+$/);
    expect(talk.answer.endsWith(`done by ${digging.pid}`)).toBe(false);
  }
  expect(idle.shape).toEqual(["user", "assistant", "notice", "user", "assistant"]);
});

test("(A1) O-3 killing a parent ends the work of its deaf children, and of their children", async () => {
  await using server = await startTestServer({
    agents: { deaf: deafAgent("per-session"), shared: deafAgent("shared") },
  });
  const parent = await startTalk(server);
  const talks: Talk[] = [];
  await using caller = await McpCaller.overHttp(server, sessionToken(server, parent.sessionId));
  for (const cliType of ["deaf", "shared"]) talks.push(await childOf(caller, parent, cliType));
  const digging = await Promise.all(talks.map((talk) => startDigging(talk)));
  const since = digging.map((one) => one.written());
  await parent.client.ask("ok", { type: "session:kill", sessionId: parent.sessionId });
  for (const [nth, one] of digging.entries()) await expectStopped(server, one, since[nth] ?? []);
  await parent.say("stream 2 words");
  expect(parent.answer).toBe("w1 w2");
});

test("(A1) kill_agent ends a well-behaved child's own process", async () => {
  await using server = await startTestServer({ agents: { own: { ...guideWith(), process: "per-session" } } });
  const parent = await startTalk(server);
  await using caller = await McpCaller.overHttp(server, sessionToken(server, parent.sessionId));
  const child = await childOf(caller, parent, "own");
  await child.say("stream 1 words");
  const before = ownPids(server);
  expect(before).toHaveLength(1);
  await caller.call("kill_agent", { agentId: child.sessionId });
  await waitFor(
    () => ownPids(server),
    (pids) => pids.length === 0,
    "the child's process to be gone",
  );
});

test("(A1) a session that is killed while its own process starts leaves no process", async () => {
  await using server = await startTestServer({ agents: { own: { ...guideWith(), process: "per-session" } } });
  const talk = await startTalk(server, "own");
  await talk.say("stream 1 words");
  await talk.client.ask("ok", { type: "session:kill", sessionId: talk.sessionId });
  await waitFor(
    () => ownPids(server),
    (pids) => pids.length === 0,
    "the process to be gone",
  );
  const mark = talk.client.mark();
  await talk.send("sleep");
  await talk.client.next("agent:status", ({ status }) => status === "starting", mark);
  await talk.client.ask("ok", { type: "session:kill", sessionId: talk.sessionId });
  await talk.until("the turn's end", ({ turn }) => !isTurnActive(turn));
  await waitFor(
    () => [...ownPids(server), ...server.holders()],
    (left) => left.length === 0,
    "nothing of it to be left",
  );
  await talk.say("stream 2 words");
  expect(talk.answer.endsWith("w1 w2")).toBe(true);
});

test("(A1) X-19 a server that dies right after a kill: the next one ends the deaf agent", async () => {
  await using server = await startTestServer({ agents: { deaf: deafAgent("shared"), own: deafAgent("per-session") } });
  const talks = [await startTalk(server, "deaf"), await startTalk(server, "own")];
  const digging = await Promise.all(talks.map((talk) => startDigging(talk)));
  for (const { client, sessionId } of talks) await client.ask("ok", { type: "session:kill", sessionId });
  await server.kill();
  await server.start();
  const since = digging.map((one) => one.written());
  for (const [nth, one] of digging.entries()) await expectStopped(server, one, since[nth] ?? []);
});

test("(A1) a server that stops while the process of a deleted session is being ended leaves no process", async () => {
  await using server = await startTestServer({ agents: { deaf: deafAgent("per-session", "--close", "--delete") } });
  const { client, sessionId } = await startTalk(server, "deaf");
  await client.ask("session:deleted", { type: "session:delete", sessionId });
  // Once for the session, and once for the process that deleted the agent's copy of its conversation.
  await waitFor(
    () => server.log.split("its session ended; stopping the process").length - 1,
    (count) => count === 2,
    "both processes to be told to end",
  );
  await server.stop();
  expect(server.holders()).toEqual([]);
});

/** A child that the parent's agent made. */
async function childOf(caller: McpCaller, { client, projectId }: Talk, agent: string): Promise<Talk> {
  const sessionId = SessionId.parse(await caller.create({ agent }));
  await client.ask("session:history", { type: "session:open", sessionId });
  return new Talk(client, projectId, sessionId);
}

function noticesOf({ entries }: Talk): string[] {
  return entries.flatMap((entry) => (entry.type === "notice" ? [entry.content] : []));
}

/** Processes of the built-in agent that was configured as another one. */
function ownPids(server: TestServer): number[] {
  return server
    .agentProcesses()
    .filter(({ commandLine }) => commandLine.includes("builtin-agent/main.ts"))
    .flatMap(({ pid }) => (environmentOf(pid).includes("LIMINAL_AGENT=own") ? [pid] : []));
}

/** Empty for a process that has ended since it was listed. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
