import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { QUEUE_ITEMS_MAX } from "../../src/protocol/limits.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer } from "../support/test-server.ts";
import { chunk, scriptedAgent } from "./scripted-agent.ts";
import { reopen, startTalk, type Talk } from "./talk.ts";

const END = { end: "end_turn" };

/** A turn that lasts until someone cancels it, with these messages waiting behind it. */
async function queueUp(talk: Talk, ...contents: string[]): Promise<void> {
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  for (const content of contents) await talk.send(content, content);
  await talk.until("the queue", ({ queue }) => queue.length === contents.length);
}

test("X-6 messages sent during a turn wait in order, are no entries yet, and then each gets a turn of its own", async () => {
  await using dir = await tempDir();
  const thinks = { update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm." } } };
  const scripts = {
    first: [chunk("1"), { untilFile: dir.join("go-on") }, END],
    second: [chunk("2"), END],
    third: [chunk("3"), END],
    fourth: [thinks, chunk("4"), END],
  };
  await using server = await startTestServer({ agents: { scripted: scriptedAgent({ scripts }) } });
  const talk = await startTalk(server, "scripted");
  const other = await reopen(await server.connect(), talk);
  await talk.send("first");
  for (const content of ["second", "third", "fourth"]) await talk.send(content, `id of ${content}`);
  const { queue } = await other.until("three in the queue", (state) => state.queue.length === 3);
  expect<unknown>(queue).toEqual([
    { commandId: "id of second", content: "second" },
    { commandId: "id of third", content: "third" },
    { commandId: "id of fourth", content: "fourth" },
  ]);
  expect(other.messages).toEqual(["first"]);

  await writeFile(dir.join("go-on"), "");
  await talk.untilTurnsEnded(4);
  expect(talk.messages).toEqual(["first", "second", "third", "fourth"]);
  expect(talk.shape).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
    "thinking",
    "assistant",
  ]);
  const turns = talk.entries.map(({ turnId }) => turnId);
  expect(new Set(turns).size).toBe(4);
  expect(talk.entries.flatMap((entry) => (entry.type === "user" ? [entry.commandId] : [])).slice(1)).toEqual(
    queue.map(({ commandId }) => commandId),
  );
  await other.until("the same state", ({ seq }) => seq === talk.state.seq);
  expect(other.entries).toEqual(talk.entries);
});

test("X-6 waiting messages can be changed, reordered and removed", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await queueUp(talk, "one", "two", "three");
  const items = [
    { commandId: "three", content: "stream 3 words" },
    { commandId: "one", content: "stream 1 words" },
  ];
  await client.ask("ok", { type: "session:queue-edit", sessionId, items });
  expect((await talk.until("the edit", ({ queue }) => queue.length === 2)).queue).toMatchObject(items);
  await talk.cancel();
  await talk.untilIdle();
  await talk.send("stream 2 words");
  await talk.untilTurnsEnded(4);
  expect(talk.messages).toEqual(["sleep", "stream 2 words", "stream 3 words", "stream 1 words"]);
});

test("X-6 an edit that comes too late does not send a message twice", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await queueUp(talk, "sleep 1000");
  const { queue } = talk.state;
  await talk.cancel();
  await talk.untilIdle();
  const seq = await talk.send("stream 1 words");
  await talk.until("the queued turn to run", (state) => state.seq > seq && state.queue.length === 0);
  // The other window still showed it in the queue, and its user changed its words.
  const items = queue.map((item) => ({ ...item, content: "stream 2 words" }));
  await client.ask("ok", { type: "session:queue-edit", sessionId, items });
  await talk.until("the message to run", () => talk.messages.length === 3);
  await talk.cancel();
  await talk.untilIdle();
  expect(talk.state.queue).toEqual([]);
  expect(talk.messages).toEqual(["sleep", "stream 1 words", "sleep 1000"]);
});

test("X-6 an edit cannot make a waiting message empty", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await queueUp(talk, "one");
  const items = [{ commandId: "one", content: "  " }];
  const { code } = await client.ask("error", { type: "session:queue-edit", sessionId, items });
  expect(code).toBe("INVALID_MESSAGE");
  expect(talk.state.queue).toMatchObject([{ commandId: "one", content: "one" }]);
  await talk.cancel();
  await talk.untilIdle();
});

test("X-6 cancel pauses the queue; the next message goes first and the queue follows it", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await queueUp(talk, "stream 1 words", "stream 2 words");
  await talk.cancel();
  const { queue, queuePaused } = await talk.untilIdle();
  expect({ waiting: queue.length, queuePaused }).toEqual({ waiting: 2, queuePaused: true });

  await server.stop();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect({ queue: again.state.queue, queuePaused: again.state.queuePaused }).toEqual({ queue, queuePaused: true });
  expect(again.messages).toEqual(["sleep"]);
  await again.send("stream 3 words");
  await again.untilTurnsEnded(4);
  expect(again.messages).toEqual(["sleep", "stream 3 words", "stream 1 words", "stream 2 words"]);
  expect(again.state.queuePaused).toBe(false);
});

test("X-6 a message sent after Cancel, while the agent still stops, runs as soon as it has, before those that waited", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await queueUp(talk, "stream 1 words");
  client.post({ type: "session:cancel", sessionId });
  client.post({ type: "session:send", sessionId, content: "stream 2 words" });
  await talk.untilTurnsEnded(3);
  expect(talk.messages).toEqual(["sleep", "stream 2 words", "stream 1 words"]);
  expect(talk.state).toMatchObject({ queue: [], queuePaused: false });
});

test("X-6 a failed or interrupted turn holds the queue back", async () => {
  await using dir = await tempDir();
  const scripts = {
    "before fail": [{ untilFile: dir.join("fail") }, END],
    "before crash": [{ untilFile: dir.join("crash") }, END],
    fail: [{ fail: { code: -32_603, message: "It failed." } }],
    crash: [{ exit: 3 }],
    next: [chunk("Here."), END],
  };
  await using server = await startTestServer({ agents: { scripted: scriptedAgent({ scripts }) } });
  const talk = await startTalk(server, "scripted");
  const { client, sessionId } = talk;
  for (const end of ["fail", "crash"]) {
    await talk.send(`before ${end}`);
    await talk.send(end);
    await talk.send("held back");
    await writeFile(dir.join(end), "");
    const { queue } = await talk.until(`the queue to be held back by ${end}`, ({ queuePaused }) => queuePaused);
    expect(queue.map(({ content }) => content)).toEqual(["held back"]);
    await client.ask("ok", { type: "session:queue-edit", sessionId, items: [] });
    await talk.until("an empty queue", (state) => state.queue.length === 0 && !state.queuePaused);
    await talk.say("next");
  }
  const round = (end: string) => [`before ${end}`, end, "next"];
  expect(talk.messages).toEqual([...round("fail"), ...round("crash")]);
});

test("X-6 more waiting messages than the limit are refused by name and value", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await talk.send("sleep");
  for (let index = 0; index < QUEUE_ITEMS_MAX; index += 1) await talk.send(`message ${index}`);
  const refused = await client.ask("error", { type: "session:send", sessionId, content: "one too many" });
  expect(refused).toMatchObject({ code: "LIMIT_EXCEEDED", message: expect.stringContaining(String(QUEUE_ITEMS_MAX)) });
  expect((await talk.until("a full queue", ({ queue }) => queue.length >= QUEUE_ITEMS_MAX)).queue).toHaveLength(
    QUEUE_ITEMS_MAX,
  );
  await talk.cancel();
  await talk.untilIdle();
});
