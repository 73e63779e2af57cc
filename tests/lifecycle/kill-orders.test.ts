import { describe, expect, it } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isLockHeld } from "../../src/operations/instance-lock.ts";
import { expectUnbrokenWords } from "../integration/expect-kept.ts";
import { reopen, startTalk, type Talk } from "../integration/talk.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { agentPid } from "./agent-status.ts";

const STREAM = "stream 100000 words at 500/s";

/** A turn that streams, with a message waiting behind it. */
async function streaming(server: TestServer, cliType = "builtin"): Promise<Talk> {
  const talk = await startTalk(server, cliType);
  await talk.send(STREAM);
  await talk.send("stream 3 words", "queued");
  await talk.untilAnswer("w20 ");
  return talk;
}

async function comeBack(server: TestServer, talk: Talk): Promise<Talk> {
  return reopen(await server.connect(), talk);
}

function heldIn(server: TestServer): string[] {
  return readdirSync(join(server.dataDir, "held"));
}

/** The file that its only holder writes to now. */
function lastJournal(server: TestServer): { readonly name: string; readonly bytes: number } {
  const dir = join(server.dataDir, "held", heldIn(server)[0] ?? "");
  const name =
    readdirSync(dir)
      .filter((file) => file.startsWith("journal-"))
      .sort()
      .at(-1) ?? "";
  return { name, bytes: Bun.file(join(dir, name)).size };
}

function holderPid(server: TestServer): number {
  return server.holders()[0]?.pid ?? 0;
}

/** A server that has the lock and has not reported yet that it runs. */
function starterPid(server: TestServer): Promise<number> {
  const starters = () => server.processes.alive().filter(({ commandLine }) => /main\.[jt]s serve/.test(commandLine));
  const found = waitFor(
    () => (isLockHeld(server.dataDir) ? starters() : []),
    ({ length }) => length === 1,
    "a server that is starting",
  );
  return found.then(([starter]) => starter?.pid ?? 0);
}

async function nothingHeld(server: TestServer): Promise<void> {
  await waitFor(
    () => heldIn(server),
    (held) => held.length === 0,
    "the files of the dead one to be gone",
  );
}

async function gone(server: TestServer, pid: number): Promise<void> {
  await waitFor(
    () => server.processes.alive(),
    (alive) => alive.every((process) => process.pid !== pid),
    `the end of ${pid}`,
  );
}

describe("X-19 X-21 kills of any process, in any order", () => {
  it("the holder: its agent ends with it, the turn is interrupted, and the next message continues", async () => {
    await using server = await startTestServer({ agents: { fragile: { ...guideWith(), retryMs: [1] } } });
    const talk = await streaming(server, "fragile");
    const agent = await agentPid(server, "fragile");
    process.kill(holderPid(server), "SIGKILL");
    const { turn } = await talk.until("the end of the turn", ({ turn: { state } }) => state === "idle");
    expect(turn.stopReason).toBe("interrupted");
    expectUnbrokenWords(talk.answer);
    await gone(server, agent);
    await talk.client.ask("ok", { type: "session:queue-edit", sessionId: talk.sessionId, items: [] });
    await talk.say("stream 2 words");
    expect(talk.entries.at(-1)).toMatchObject({ type: "assistant", content: "w1 w2" });
    await waitFor(
      () => heldIn(server),
      (held) => held.length === 1,
      "the files of the dead one to be gone",
    );
  });

  it("the server, then the holder: the agent's output in between is read from the journal", async () => {
    await using server = await startTestServer();
    const talk = await streaming(server);
    const shown = talk.answer;
    const agent = await agentPid(server, "builtin");
    await server.kill();
    const before = lastJournal(server);
    // A note of the server that was killed may still make the holder drop a file; those after it have later names.
    await waitFor(
      () => lastJournal(server),
      ({ name, bytes }) => name > before.name || bytes > before.bytes,
      "the agent to go on alone",
    );
    process.kill(holderPid(server), "SIGKILL");
    await gone(server, agent);
    await server.start();
    const again = await comeBack(server, talk);
    expect(again.state.turn).toMatchObject({ state: "idle", stopReason: "interrupted" });
    expect(again.state).toMatchObject({ queue: [{ content: "stream 3 words" }], queuePaused: true });
    expect(again.answer.length).toBeGreaterThan(shown.length);
    expectUnbrokenWords(again.answer);
    await nothingHeld(server);
  });

  it("the server, then the agent: its last output and its end are reported by the holder", async () => {
    await using server = await startTestServer({ agents: { fragile: { ...guideWith(), retryMs: [] } } });
    const talk = await streaming(server, "fragile");
    const agent = await agentPid(server, "fragile");
    await server.kill();
    process.kill(agent, "SIGKILL");
    await gone(server, agent);
    await server.start();
    const again = await comeBack(server, talk);
    const { turn } = await again.until("the interruption", ({ turn: { state } }) => state === "idle");
    expect(turn).toMatchObject({ stopReason: "interrupted", error: { message: expect.stringContaining("SIGKILL") } });
    expectUnbrokenWords(again.answer);
    await waitFor(
      () => server.holders(),
      (holders) => holders.length === 0,
      "the holder to go",
    );
    await nothingHeld(server);
  });

  it("the server, twice in a row: the turn continues, and its message is sent once", async () => {
    await using server = await startTestServer();
    const talk = await streaming(server);
    const agent = await agentPid(server, "builtin");
    for (let round = 0; round < 2; round++) {
      await server.kill();
      await server.start();
    }
    const again = await comeBack(server, talk);
    expect(await agentPid(server, "builtin")).toBe(agent);
    expect(again.state.turn.state).toBe("running");
    await again.cancel();
    await again.send("stream 4 words", "after");
    await again.untilAllSaid(["queued", "after"]);
    expect(again.messages).toEqual([STREAM, "stream 4 words", "stream 3 words"]);
    expectUnbrokenWords(again.entries.find(({ type }) => type === "assistant")?.content ?? "");
  });

  it("none: a server that gets a detach leaves its agents to the next, and the turn continues", async () => {
    await using server = await startTestServer();
    const talk = await streaming(server);
    const agent = await agentPid(server, "builtin");
    expect(await server.detach()).toBe(0);
    expect(server.log).toContain("Agents keep running");
    await server.start();
    const again = await comeBack(server, talk);
    const words = again.answer.length;
    await again.until("more words", () => again.answer.length > words);
    expect(await agentPid(server, "builtin")).toBe(agent);
    await waitFor(
      () => server.log,
      (log) => log.includes("1 turn(s) of the last run continue"),
      "the word about the turn",
    );
  });

  it("TC-5.3a none: a server that gets a stop ends everything, held or not, and leaves no file", async () => {
    await using server = await startTestServer();
    await streaming(server);
    await server.kill();
    await server.start();
    expect(await server.stop()).toBe(0);
    expect(server.processes.alive()).toEqual([]);
    expect(heldIn(server)).toEqual([]);
  });

  it("TC-5.3a the server, by a signal while it is still taking over: it ends everything all the same", async () => {
    await using server = await startTestServer();
    await streaming(server);
    const holder = holderPid(server);
    await server.kill();
    // It waits for its holder, which cannot answer now: the signal comes in the middle of the start.
    process.kill(holder, "SIGSTOP");
    const starting = server.startInVain();
    const pid = await starterPid(server);
    process.kill(pid, "SIGTERM");
    process.kill(holder, "SIGCONT");
    expect((await starting).code).toBe(0);
    expect(server.processes.alive()).toEqual([]);
    expect(heldIn(server)).toEqual([]);
  });

  it("the server, and holders are switched off then: running turns are still taken over", async () => {
    await using server = await startTestServer();
    const talk = await streaming(server);
    const agent = await agentPid(server, "builtin");
    await server.kill();
    await server.start({ LIMINAL_HOLD_MS: "0" });
    const again = await comeBack(server, talk);
    expect(again.state.turn.state).toBe("running");
    expect(await agentPid(server, "builtin")).toBe(agent);
    await again.cancel();
    await again.untilIdle();
    expectUnbrokenWords(again.entries.find(({ type }) => type === "assistant")?.content ?? "");
  });

  it("the server, where agents are not to outlive it: they end with it, and the turn is interrupted", async () => {
    await using server = await startTestServer({ env: { LIMINAL_HOLD_MS: "0" } });
    const talk = await streaming(server);
    expect(server.holders()).toEqual([]);
    await server.kill();
    expect(await server.processes.leftAfter(20_000)).toEqual([]);
    await server.start();
    const again = await comeBack(server, talk);
    expect(again.state.turn).toMatchObject({ state: "idle", stopReason: "interrupted" });
    expectUnbrokenWords(again.answer);
  });
});

it("X-19 a form that an agent waits for outlives the server, and can be answered under its id", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.send("ask");
  const { pending } = await talk.until("the question", (state) => state.pending.length > 0);
  await server.kill();
  await server.start();
  const again = await comeBack(server, talk);
  expect(again.state.pending).toEqual(pending);
  const [question] = pending;
  if (!question || !("elicitationId" in question)) throw new Error("a question must be open");
  const { elicitationId } = question;
  await again.client.request({ type: "elicitation:respond", elicitationId, action: "decline" });
  const { turn } = await again.until("the end of the turn", ({ turn: { state } }) => state === "idle");
  expect(turn.stopReason).toBe("end_turn");
});
