import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import type { PlainServerMessage } from "../../src/protocol/server-messages.ts";
import { tempDir } from "../support/temp-dir.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { useServer } from "../support/use-server.ts";
import { countFromTo, script, scriptedAgent } from "./scripted-agent.ts";
import { startTalk } from "./talk.ts";

const shared = useServer();

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index + 1}`).join(" ");

test("TC-3.1b an empty message is refused and changes nothing; one with only an attachment is not empty", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  // The agent sends them after the session was made: its last message of its own accord.
  const { seq } = await talk.until("the agent's commands", ({ config }) => config.commands.length > 0);
  for (const content of ["", " ", "\n\t  \r\n", " "]) {
    const refused = await client.ask("error", { type: "session:send", sessionId, content });
    expect(refused).toMatchObject({ code: "INVALID_MESSAGE", message: "Invalid request payload." });
    expect(refused.details).toContain("content");
  }
  expect(talk.state.seq).toBe(seq);
  expect(talk.entries).toEqual([]);
});

test("TC-3.1a a sent message is an entry with its command id, in a running turn, before the agent has sent anything", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const mark = talk.client.mark();
  await talk.send("sleep", "my-command");
  await talk.untilAnswer("Sleeping");
  const [message, answer] = talk.client.all("session:update", mark);
  expect(message?.entry).toMatchObject({ type: "user", content: "sleep", commandId: "my-command" });
  expect(answer?.entry.type).toBe("assistant");
  const [started] = talk.client.all("session:turn", mark);
  expect(started?.turn).toMatchObject({ state: "running", turnId: message?.entry.turnId });
  expect(started?.seq).toBeLessThan(answer?.seq ?? 0);
  await talk.cancel();
  await talk.untilIdle();
});

test("TC-3.2a the answer grows by chunks of an announced entry, in order, and ends with complete and then idle", async () => {
  await using dir = await tempDir();
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const { client } = talk;
  const mark = client.mark();
  const gates = [10, 20, 30, 40, 50].map((last) => ({ last, untilFile: dir.join(`after-${last}`) }));
  const steps = gates.flatMap(({ last, untilFile }) => [...countFromTo(last - 9, last), { untilFile }]);
  const sent = await talk.send(script(...steps, ...countFromTo(51, 60), { end: "end_turn" }));
  // Each part is on its way before the next one is said.
  for (const { last, untilFile } of gates) {
    await talk.untilAnswer(words(last));
    await writeFile(untilFile, "");
  }
  await talk.untilIdle(sent);
  expect(talk.answer).toBe(words(60));
  const chunks = client.all("session:chunk", mark);
  expect(chunks.length).toBeGreaterThanOrEqual(gates.length);
  const { entryId } = chunks[0] ?? {};
  expect(new Set(chunks.map((each) => each.entryId)).size).toBe(1);
  const announced = client.all("session:update", mark).find(({ entry }) => entry.entryId === entryId);
  expect(announced?.entry.type).toBe("assistant");
  const order = client.received.slice(mark).filter((message) => "seq" in message && message.type !== "ok");
  const tail = order.slice(-2).map(({ type }) => type);
  expect(tail).toEqual(["session:complete", "session:turn"]);
  expect(talk.state.turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
});

test("TC-3.2a a hundred thousand words as fast as they come: none lost, none twice, in far fewer frames", async () => {
  const server = shared();
  const talk = await startTalk(server);
  await talk.say("stream 100000 words");
  expect(talk.answer === words(100_000)).toBe(true);
  expect(talk.client.all("session:chunk").length).toBeLessThan(5_000);
});

test("TC-3.7b W-2 cancel stops the turn, keeps the partial text, and the same process serves the next turn", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client } = talk;
  await talk.send("stream 100000 words at 50/s");
  await talk.untilAnswer("w5");
  const agents = () =>
    server.agentProcesses().filter(({ commandLine }) => commandLine.includes("builtin-agent/main.ts"));
  const before = agents();
  const mark = client.mark();
  await talk.cancel();
  const { turn } = await talk.untilIdle();
  expect(turn.stopReason).toBe("cancelled");
  const kept = talk.answer;
  expect(words(100_000).startsWith(kept.trimEnd())).toBe(true);
  expect(kept).toContain("w5");
  expect(client.all("session:cancelled", mark)).toHaveLength(1);
  expect(client.all("session:complete", mark)).toEqual([]);
  await talk.say("stream 2 words");
  expect(talk.answer).toBe(`${kept}w1 w2`);
  expect(agents()).toEqual(before);
});

test("W-2 a cancel that comes while the agent still starts means the prompt is never sent", async () => {
  await using server = await startTestServer({ agents: { slow: guideWith("--start-delay-ms", "700") } });
  const talk = await startTalk(server, "slow");
  await talk.say("stream 1 words");
  const agent = server.agentProcesses().find(({ commandLine }) => commandLine.includes("builtin-agent/main.ts"));
  process.kill(agent?.pid ?? 0, "SIGKILL");
  await talk.client.next("agent:status", ({ status }) => status === "disconnected", 0);
  // Both at once: the agent cannot have started before the cancel comes.
  const [seq] = await Promise.all([talk.send("stream 9 words"), talk.cancel()]);
  const { turn } = await talk.untilIdle(seq);
  expect(turn.stopReason).toBe("cancelled");
  await talk.say("stream 3 words");
  expect(talk.answer).toBe("w1w1 w2 w3");
});

test("W-2 a cancel sent in the same breath as the message stops that turn", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  for (let round = 1; round <= 20; round += 1) {
    const sent = client.post({ type: "session:send", sessionId, content: "sleep" });
    client.post({ type: "session:cancel", sessionId });
    const answer = await client.until("the send's answer", () => client.answersTo(sent)[0]);
    const { turn } = await talk.untilIdle(okSeq(answer));
    expect({ round, stopReason: turn.stopReason }).toEqual({ round, stopReason: "cancelled" });
  }
});

test("TC-3.7b a cancel with nothing running is answered ok and changes nothing", async () => {
  const server = shared();
  const talk = await startTalk(server);
  await talk.say("hello");
  const { state } = talk;
  await talk.cancel();
  await talk.cancel();
  expect(talk.state).toEqual(state);
  await talk.say("stream 1 words");
  expect(talk.state.turn.stopReason).toBe("end_turn");
});

test("a turn that fails ends with the agent's own words and the next one works", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { turn } = await talk.say("fail");
  expect(turn).toMatchObject({
    state: "idle",
    stopReason: "error",
    error: { code: "AGENT_PROTOCOL_ERROR", message: expect.stringContaining("The guide failed, as you asked.") },
  });
  await talk.say("stream 1 words");
  expect(talk.state.turn).toMatchObject({ stopReason: "end_turn" });
  expect(talk.state.turn.error).toBeUndefined();
});

test("session:kill ends the agent's session; the transcript stays and the next message brings the agent back", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  await client.ask("ok", { type: "session:kill", sessionId });
  const { turn } = await talk.untilIdle();
  expect(turn.stopReason).toBe("cancelled");
  await talk.say("stream 2 words");
  expect(talk.answer).toBe("Sleeping until you cancel.w1 w2");
  const notices = talk.entries.flatMap((entry) => (entry.type === "notice" ? [entry.turnEnd] : []));
  expect(notices).toEqual(["cancelled"]);
});

function okSeq(answer: PlainServerMessage | { type: string; seq?: number | undefined }): number {
  if (answer.type !== "ok" || !("seq" in answer)) throw new Error(`not ok: ${Bun.inspect(answer)}`);
  return answer.seq ?? 0;
}
