import { describe, expect, it } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTalk } from "../integration/talk.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { tempDir } from "../support/temp-dir.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { agentPid, statusesOf } from "./agent-status.ts";
import { countedAgent, startsOf } from "./counted-agent.ts";

const AT_ONCE_MS = [1, 1, 1, 1, 1];
const NEVER_MS = [30_000];

describe("a crash", () => {
  it("TC-5.2a TC-5.2b TC-5.2c shows connected, disconnected, reconnecting, connected, and leaves other agents alone", async () => {
    await using server = await startTestServer({ agents: { fragile: { ...guideWith(), retryMs: [1] } } });
    const other = await startTalk(server);
    const talk = await startTalk(server, "fragile");
    const mark = talk.client.mark();
    process.kill(await agentPid(server, "fragile"), "SIGKILL");
    await talk.client.next(
      "agent:status",
      ({ cliType, status }) => cliType === "fragile" && status === "connected",
      mark,
    );
    expect(statusesOf(talk.client, "fragile", mark)).toEqual(["disconnected", "reconnecting", "connected"]);
    expect(statusesOf(talk.client, "builtin", mark)).toEqual([]);
    await other.say("stream 3 words");
    expect(other.answer).toContain("w1 w2 w3");
    await talk.say("stream 2 words");
    expect(talk.answer).toContain("w1 w2");
  });

  it("is retried five times and no sixth time; only then it is the user's turn", async () => {
    await using dir = await tempDir();
    await using server = await startTestServer({ agents: { counted: countedAgent(dir.path, AT_ONCE_MS) } });
    const talk = await startTalk(server, "counted");
    await writeFile(join(dir.path, "broken"), "");
    const mark = talk.client.mark();
    process.kill(await agentPid(server, "counted"), "SIGKILL");
    await nthStatus(talk.client, "counted", "disconnected", 6, mark);
    expect(startsOf(dir.path)).toBe(1 + 5);
    const { code } = await reconnectInVain(talk.client, "counted");
    expect(code).toBe("AGENT_UNAVAILABLE");
    // Had a sixth retry been on its way, it would stand between the fifth and the user's own.
    expect(startsOf(dir.path)).toBe(1 + 5 + 1);
  });

  it("that follows every connection ends all the same: connecting alone resets nothing", async () => {
    await using dir = await tempDir();
    await using server = await startTestServer({ agents: { counted: countedAgent(dir.path, AT_ONCE_MS) } });
    const talk = await startTalk(server, "counted");
    await writeFile(join(dir.path, "loop"), "");
    const mark = talk.client.mark();
    process.kill(await agentPid(server, "counted"), "SIGKILL");
    await nthStatus(talk.client, "counted", "disconnected", 6, mark);
    expect(startsOf(dir.path)).toBe(1 + 5);
  });

  it("after a completed turn starts a new row of retries", async () => {
    await using dir = await tempDir();
    await using server = await startTestServer({ agents: { counted: countedAgent(dir.path, [1]) } });
    const talk = await startTalk(server, "counted");
    for (let round = 0; round < 3; round++) {
      const mark = talk.client.mark();
      process.kill(await agentPid(server, "counted"), "SIGKILL");
      await nthStatus(talk.client, "counted", "connected", 1, mark);
      await talk.say("stream 1 words");
    }
    expect(startsOf(dir.path)).toBe(1 + 3);
  });

  it("W-4 a send brings a waiting retry forward", async () => {
    await using server = await startTestServer({ agents: { slow: { ...guideWith(), retryMs: NEVER_MS } } });
    const talk = await startTalk(server, "slow");
    await talk.say("stream 2 words");
    const mark = talk.client.mark();
    process.kill(await agentPid(server, "slow"), "SIGKILL");
    await nthStatus(talk.client, "slow", "disconnected", 1, mark);
    await talk.say("stream 3 words");
    expect(talk.answer).toBe("w1 w2w1 w2 w3");
    expect(statusesOf(talk.client, "slow", mark)).toEqual(["disconnected", "reconnecting", "connected"]);
  });
});

describe("a reconnect by hand", () => {
  it("TC-5.2d answers reconnecting under its request id, then connected; a retry never shows starting", async () => {
    await using server = await startTestServer({ agents: { fragile: { ...guideWith(), retryMs: [] } } });
    const talk = await startTalk(server, "fragile");
    const mark = talk.client.mark();
    process.kill(await agentPid(server, "fragile"), "SIGKILL");
    await nthStatus(talk.client, "fragile", "disconnected", 1, mark);
    const answer = await talk.client.ask("agent:status", { type: "session:reconnect", cliType: "fragile" });
    expect(answer).toMatchObject({ cliType: "fragile", status: "reconnecting" });
    await nthStatus(talk.client, "fragile", "connected", 1, mark);
    expect(statusesOf(talk.client, "fragile", mark)).not.toContain("starting");
  });

  it("TC-5.5b that fails shows the reason, with the last lines of stderr", async () => {
    await using dir = await tempDir();
    await using server = await startTestServer({ agents: { counted: countedAgent(dir.path, []) } });
    const talk = await startTalk(server, "counted");
    await writeFile(join(dir.path, "broken"), "");
    process.kill(await agentPid(server, "counted"), "SIGKILL");
    await nthStatus(talk.client, "counted", "disconnected", 1, 0);
    const failure = await reconnectInVain(talk.client, "counted");
    expect(failure).toMatchObject({
      code: "AGENT_UNAVAILABLE",
      message: "Could not connect to Counted",
      cliType: "counted",
    });
    expect(failure.details).toContain("broken on purpose");
    await rm(join(dir.path, "broken"));
    await talk.client.ask("agent:status", { type: "session:reconnect", cliType: "counted" });
    await talk.say("stream 1 words");
    expect(talk.answer).toContain("w1");
  });

  it("restarts a process that is connected when asked to; its running turn is interrupted", async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.send("sleep");
    await talk.until("the turn runs", ({ turn }) => turn.state === "running");
    const before = await agentPid(server, "builtin");
    await talk.client.ask("agent:status", { type: "session:reconnect", cliType: "builtin", restart: true });
    const { turn } = await talk.untilIdle();
    expect(turn.stopReason).toBe("interrupted");
    await talk.say("stream 1 words");
    expect(await agentPid(server, "builtin")).not.toBe(before);
  });
});

it("TC-5.2b every client gets the current state when it connects", async () => {
  await using server = await startTestServer({ agents: { fragile: { ...guideWith(), retryMs: [] } } });
  const talk = await startTalk(server, "fragile");
  process.kill(await agentPid(server, "fragile"), "SIGKILL");
  await nthStatus(talk.client, "fragile", "disconnected", 1, 0);
  const late = await server.connect();
  const hello = late.all("hello")[0];
  expect(hello?.agents.find(({ id }) => id === "fragile")).toMatchObject({
    status: "disconnected",
    message: "Test Guide stopped. Reconnect to continue.",
  });
});

function nthStatus(
  client: SocketClient,
  cliType: string,
  status: string,
  count: number,
  mark: number,
): Promise<number> {
  return client.until(`${count} times ${status}`, () => {
    const seen = statusesOf(client, cliType, mark).filter((one) => one === status).length;
    return seen >= count && seen;
  });
}

/** The answer under way and the refusal that follows it carry the same request id. */
async function reconnectInVain(client: SocketClient, cliType: string) {
  const requestId = client.post({ type: "session:reconnect", cliType });
  return client.next("error", (error) => error.requestId === requestId, 0);
}
