import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { tempDir } from "../support/temp-dir.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, reopen, startTalk, type Talk } from "./talk.ts";

function killAgent(server: TestServer): void {
  const agent = server.agentProcesses().find(({ commandLine }) => commandLine.includes("builtin-agent/main.ts"));
  if (!agent) throw new Error("no agent runs");
  process.kill(agent.pid, "SIGKILL");
}

/** After this the agent's own session remembers that commands need no question. */
async function teachAlways(talk: Talk): Promise<void> {
  const sent = await talk.send("run echo taught");
  await talk.answerWith("allow-always");
  await talk.untilIdle(sent);
}

/** Whether the agent asks again, which it does only when it has forgotten. */
async function asksAgain(talk: Talk): Promise<boolean> {
  const seq = await talk.send("run echo again");
  const state = await talk.until("a question or the end", ({ pending, turn, ...rest }) => {
    return pending.length > 0 || (rest.seq > seq && turn.state === "idle");
  });
  return state.pending.length > 0;
}

test("W-4 an agent killed in the middle of a turn: what had arrived is kept, and the turn ends as interrupted", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const other = await anotherTalk(talk.client, talk.projectId);
  await other.say("stream 1 words");
  await teachAlways(talk);
  await talk.send("run echo before; sleep 1000");
  await talk.until("its output", () => talk.tools.at(-1)?.result === "before\n");
  const mark = talk.client.mark();
  killAgent(server);
  const { turn, pending } = await talk.untilIdle();
  expect(turn).toMatchObject({ stopReason: "interrupted", error: { code: "AGENT_UNAVAILABLE" } });
  expect(turn.error?.message).toContain("Liminal Guide stopped");
  expect(pending).toEqual([]);
  expect(talk.tools.at(-1)).toMatchObject({ status: "error", result: "before\n" });
  expect(other.state.turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
  await talk.client.next("agent:status", ({ status }) => status === "disconnected", mark);

  expect(await asksAgain(talk)).toBe(false);
  expect(talk.tools.at(-1)).toMatchObject({ status: "complete", result: "again\n" });
  const notices = talk.entries.flatMap((entry) => (entry.type === "notice" ? [entry.turnEnd] : []));
  expect(notices).toEqual(["interrupted"]);
  await other.say("stream 2 words");
  expect(other.answer).toBe("w1w1 w2");
});

test("CV-2 (A3) a conversation that is refused for a while keeps its memory: Try again opens the same one", async () => {
  await using dir = await tempDir();
  const held = dir.join("held");
  const agent = scriptedAgent({ refuse: "session/resume", refuseCode: -32600, refuseWhile: held });
  await using server = await startTestServer({ agents: { scripted: agent } });
  const talk = await startTalk(server, "scripted");
  await talk.say(script(chunk("Before."), { exit: 1 }));
  await Bun.write(held, "");
  const { turn } = await talk.say(script(chunk("After."), { end: "end_turn" }));
  expect(turn).toMatchObject({ stopReason: "error", error: { code: "AGENT_SESSION_REFUSED" } });
  await rm(held);
  const { seq } = await talk.client.ask("ok", { type: "session:retry", sessionId: talk.sessionId });
  await talk.untilIdle(seq);
  expect(talk.answer).toBe("Before.After.");
  expect(talk.shape).toEqual(["user", "assistant", "notice", "user", "notice", "assistant"]);
  const wire = await (await server.fetch(`/api/trace?sessionId=${encodeURIComponent(talk.sessionId)}`)).text();
  const asked = [...wire.matchAll(/method\\":\\"session\/(new|resume)/g)].map(([, method]) => method);
  expect(asked).toEqual(["new", "resume", "resume"]);
});

for (const { name, flags, replays } of [
  { name: "by session/resume when the agent offers it", flags: [], replays: false },
  { name: "by session/load when it does not", flags: ["--without", "resume"], replays: true },
  {
    name: "by session/load that replays after its answer",
    flags: ["--without", "resume", "--scenario", "late-replay"],
    replays: true,
  },
  {
    name: "by session/resume that replays, which it must not",
    flags: ["--scenario", "replay-on-resume"],
    replays: true,
  },
]) {
  test(`W-4 the next message restores the agent ${name}; nothing is repeated`, async () => {
    await using record = await tempDir();
    const file = record.join("wire.jsonl");
    const agent = { ...guideWith(...flags), env: { LIMINAL_GUIDE_RECORD: file } };
    await using server = await startTestServer({ agents: { guide: agent } });
    const talk = await startTalk(server, "guide");
    await talk.say("stream 3 words");
    await teachAlways(talk);
    const before = talk.entries;
    killAgent(server);
    await talk.client.next("agent:status", ({ status }) => status === "disconnected", 0);
    expect(await asksAgain(talk)).toBe(false);
    await talk.untilTurnsEnded(3);
    expect(talk.entries.slice(0, before.length)).toEqual(before);
    expect(talk.shape.slice(before.length)).toEqual(["user", "tool-call", "assistant"]);
    expect((await Bun.file(file).text()).includes("user_message_chunk")).toBe(replays);
    await server.stop();
    await server.start();
    const again = await reopen(await server.connect(), talk);
    expect(again.entries).toEqual(talk.entries);
    expect(await asksAgain(again)).toBe(false);
  });
}

test("W-4 an agent that can neither resume nor load starts over, with a notice before its answer", async () => {
  await using server = await startTestServer({ agents: { guide: guideWith("--without", "resume,load") } });
  const talk = await startTalk(server, "guide");
  await teachAlways(talk);
  const before = talk.entries;
  killAgent(server);
  await talk.client.next("agent:status", ({ status }) => status === "disconnected", 0);
  expect(await asksAgain(talk)).toBe(true);
  await talk.answerWith("allow-once");
  await talk.untilTurnsEnded(2);
  expect(talk.entries.slice(0, before.length)).toEqual(before);
  expect(talk.shape.slice(before.length)).toEqual(["user", "notice", "tool-call", "assistant"]);
  const notice = talk.entries.find(({ type }) => type === "notice");
  expect(notice).toMatchObject({ severity: "warning", content: expect.stringContaining("starts over") });
  await talk.say("stream 2 words");
  expect(talk.entries.filter(({ type }) => type === "notice")).toHaveLength(1);
});

test("W-4 TC-2.5b after a restart of the server a session continues where its agent left it", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await teachAlways(talk);
  await server.stop();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect(await asksAgain(again)).toBe(false);
  await again.untilTurnsEnded(2);
  expect(again.entries.slice(0, talk.entries.length)).toEqual(talk.entries);
  expect(again.shape).not.toContain("notice");
});

test("W-4 crash: the agent's own exit in a turn is an interruption, and the session continues", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { turn } = await talk.say("crash");
  expect(turn.stopReason).toBe("interrupted");
  expect(talk.answer).toBe("Crashing now.");
  const { turn: second } = await talk.say("scenario crash-mid-turn");
  expect(second.stopReason).toBe("interrupted");
  expect(talk.tools).toMatchObject([{ name: "Walk the plank", status: "error" }]);
  await talk.say("stream 2 words");
  expect(talk.answer).toBe("Crashing now.This turn will not end well.w1 w2");
});
