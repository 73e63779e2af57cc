import { expect, test } from "bun:test";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { useServer } from "../support/use-server.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { reopen, startTalk, type Talk } from "./talk.ts";

const shared = useServer();

const steer = (talk: Talk, content: string, commandId = content) =>
  talk.client.request({ type: "session:steer", sessionId: talk.sessionId, content, commandId });
const ADVERTISED = { agentCapabilities: {}, protocolVersion: 1, _meta: { steering: { supported: true } } };

test("X-6 a steered message joins the running turn in every window, and the turn continues with it", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  const { turn } = talk.state;
  expect(await steer(talk, "turn left")).toMatchObject({ type: "ok" });
  await other.untilAnswer("Received while working: turn left");
  expect(other.shape).toEqual(["user", "assistant", "user", "assistant"]);
  expect(other.entries[2]).toMatchObject({
    content: "turn left",
    steered: true,
    commandId: "turn left",
    turnId: turn.turnId,
  });
  expect([other.state.turn, other.state.queue]).toEqual([turn, []]);
  await talk.cancel();
  await talk.untilIdle();
  await other.until("the same state", ({ seq }) => seq === talk.state.seq);
  expect(other.entries).toEqual(talk.entries);
});

test("X-6 steering sent twice is done once; without a turn it is an ordinary message", async () => {
  const server = shared();
  const talk = await startTalk(server);
  await steer(talk, "stream 1 words");
  await talk.untilTurnsEnded(1);
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  await Promise.all([steer(talk, "once"), steer(talk, "once")]);
  await talk.untilAnswer("Received while working: once");
  await talk.cancel();
  await talk.untilIdle();
  expect(talk.messages).toEqual(["stream 1 words", "sleep", "once"]);
  expect(talk.answer.match(/Received while working/g)).toHaveLength(1);
});

test("X-6 an agent that does not offer it is never asked", async () => {
  await using server = await startTestServer({ agents: { plain: guideWith("--without", "steering") } });
  const talk = await startTalk(server, "plain");
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  expect(await steer(talk, "left")).toMatchObject({ type: "error", code: "INVALID_MESSAGE" });
  await talk.cancel();
  await talk.untilIdle();
  expect([talk.messages, talk.state.queue]).toEqual([["sleep"], []]);
});

test.each([
  ["an empty yes to a method it does not know", { "_session/steering": {} }],
  ["a no", { "_session/steering": { outcome: "failed" } }],
  ["that it is ours to send", { "_session/steering": { outcome: "promptRequired" } }],
])("X-6 a message the agent answers with %s stays first in the queue", async (_what, answer) => {
  await using server = await startTestServer({
    agents: { scripted: scriptedAgent({ answers: { initialize: ADVERTISED, ...answer } }) },
  });
  const talk = await startTalk(server, "scripted");
  await talk.send("[]");
  await talk.send("[]", "later");
  await steer(talk, "[ ]", "steered");
  const { queue } = await talk.until(
    "the answer",
    ({ queue: waiting }) => waiting[0]?.steering === undefined && waiting.length === 2,
  );
  expect(queue.map(({ commandId }): string => commandId)).toEqual(["steered", "later"]);
  await talk.cancel();
  await talk.untilIdle();
  expect(talk.messages).toEqual(["[]"]);
});

test("X-6 a retry of a failed turn sends the message that began it, not the steered ones", async () => {
  const server = shared();
  const talk = await startTalk(server);
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  await steer(talk, "left");
  await talk.untilAnswer("Received while working");
  await talk.cancel();
  await talk.untilIdle();
  const { seq } = talk.state;
  await talk.client.ask("ok", { type: "session:retry", sessionId: talk.sessionId });
  await talk.until(
    "the turn to run again",
    (state) => state.seq > seq && (talk.answer.match(/Sleeping/g) ?? []).length === 2,
  );
  await talk.cancel();
  await talk.untilIdle(seq + 1);
});
