import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { reopen, startTalk, type Talk } from "./talk.ts";

/** A turn that lasts until someone stops it, with these messages waiting behind it. */
async function queueUp(talk: Talk, ...contents: string[]): Promise<void> {
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  for (const content of contents) await talk.send(content, content);
  await talk.until("the queue", ({ queue }) => queue.length === contents.length);
}

const waiting = ({ state }: Talk) => state.queue.map(({ content }) => content);

test("X-6 send now stops the running turn, waits for its end, and goes before the others", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await queueUp(talk, "stream 1 words", "stream 2 words", "stream 3 words");
  await client.ask("ok", { type: "session:send-now", sessionId, queuedId: "stream 3 words" });
  await talk.untilTurnsEnded(4);
  expect(talk.messages).toEqual(["sleep", "stream 3 words", "stream 1 words", "stream 2 words"]);
});

test("X-6 send now twice, or of a message that runs already, stops nothing a second time", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await queueUp(talk, "sleep 1000");
  const now = { type: "session:send-now", sessionId, queuedId: "sleep 1000" } as const;
  client.post(now);
  client.post(now);
  await talk.untilAnswer("Sleeping for 1000 s");
  await client.ask("ok", now);
  expect(talk.state.turn.state).toBe("running");
  await talk.cancel();
  await talk.untilIdle();
});

test("X-6 a held queue is resumed unchanged", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await queueUp(talk, "stream 1 words", "stream 2 words");
  await talk.cancel();
  await talk.untilIdle();
  await client.ask("ok", { type: "session:queue-resume", sessionId });
  await talk.untilTurnsEnded(3);
  expect([talk.messages, talk.state.queuePaused]).toEqual([["sleep", "stream 1 words", "stream 2 words"], false]);
});

test("X-6 two windows that edit at once: the last whole list wins, and no message is lost that its editor never saw", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  const { sessionId } = talk;
  await queueUp(talk, "a", "b");
  await other.until("the queue", ({ queue }) => queue.length === 2);
  const seen = ["a", "b"];
  const item = (content: string) => ({ commandId: content, content });
  // Both start from [a, b]: one adds c and turns the rest round, the other drops a without knowing of c.
  await talk.send("c", "c");
  await talk.until("all three", ({ queue }) => queue.length === 3);
  await talk.client.ask("ok", {
    type: "session:queue-edit",
    sessionId,
    items: [item("c"), item("b"), item("a")],
    seen: [...seen, "c"],
  });
  await other.client.ask("ok", { type: "session:queue-edit", sessionId, items: [item("b")], seen });
  await talk.until("the last edit", ({ queue }) => queue.length === 2);
  expect(waiting(talk)).toEqual(["b", "c"]);
  await other.until("the same queue", ({ seq }) => seq === talk.state.seq);
  expect(other.state.queue).toEqual(talk.state.queue);
  await talk.cancel();
  await talk.untilIdle();
});

test("X-6 edits that race with the end of the turn neither lose nor repeat a message", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  const { sessionId } = talk;
  const names = Array.from({ length: 8 }, (_, index) => `stream ${index + 1} words`);
  await queueUp(talk, ...names);
  await other.until("the queue", ({ queue }) => queue.length === names.length);
  talk.client.post({ type: "session:send-now", sessionId, queuedId: "stream 8 words" });
  for (let round = 0; round < 20; round += 1) {
    const { queue } = other.state;
    const items = queue.toReversed().map(({ commandId, content }) => ({ commandId, content }));
    await other.client.ask("ok", {
      type: "session:queue-edit",
      sessionId,
      items,
      seen: queue.map(({ commandId }) => commandId),
    });
  }
  await talk.untilTurnsEnded(1 + names.length);
  expect([...talk.messages].sort()).toEqual(["sleep", ...names].sort());
});
