import { expect, test } from "bun:test";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer } from "../support/test-server.ts";
import { startTalk, type Talk } from "./talk.ts";

async function unreadIn(client: SocketClient, { projectId, sessionId }: Talk): Promise<boolean | undefined> {
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId });
  return sessions.find(({ id }) => id === sessionId)?.unread;
}

test("X-11 a turn that ends, waits or fails without a viewer makes its session unread, for every client, over a restart", async () => {
  await using server = await startTestServer();
  const other = await server.connect();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await talk.say("hello");
  await other.next(
    "session:changed",
    ({ id, unread, turn }) => id === sessionId && unread === true && turn.state === "idle",
    0,
  );
  expect(await unreadIn(other, talk)).toBe(true);
  await server.stop();
  await server.start();
  const back = await server.connect();
  expect(await unreadIn(back, talk)).toBe(true);
  const { seq } = await back.ask("session:history", { type: "session:open", sessionId });
  const told = back.mark();
  await back.ask("ok", { type: "session:seen", sessionId, seq });
  await back.next("session:changed", ({ id, unread }) => id === sessionId && unread === false, told);
  expect(await unreadIn(back, talk)).toBe(false);
  for (const prompt of ["run true", "fail"]) {
    const mark = back.mark();
    await back.ask("ok", { type: "session:send", sessionId, content: prompt });
    await back.next("session:changed", ({ id, unread }) => id === sessionId && unread === true, mark);
    await back.ask("ok", { type: "session:cancel", sessionId });
    await back.untilState(sessionId, "the turn's end", ({ turn, seq: at }) => turn.state === "idle" && at > seq);
    await back.ask("ok", { type: "session:seen", sessionId, seq: back.sessions.state(sessionId).seq });
  }
  expect(client.violations).toEqual([]);
});

test("X-11 what a client shows is read as it happens, until it hides it, shows another one, or is gone", async () => {
  await using server = await startTestServer();
  const watcher = await server.connect();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  const show = (showing: boolean) =>
    client.ask("ok", { type: "session:seen", sessionId, seq: talk.state.seq, showing });
  await show(true);
  await talk.say("hello");
  expect(await unreadIn(watcher, talk)).toBe(false);
  expect(watcher.all("session:changed").some(({ unread }) => unread === true)).toBe(false);
  await show(false);
  await talk.say("hello");
  expect(await unreadIn(watcher, talk)).toBe(true);
  await show(true);
  expect(await unreadIn(watcher, talk)).toBe(false);
  await watcher.ask("session:history", { type: "session:open", sessionId });
  await watcher.ask("ok", { type: "session:send", sessionId, content: "sleep" });
  client[Symbol.dispose]();
  await client.untilClosed();
  await watcher.ask("ok", { type: "session:cancel", sessionId });
  await watcher.next("session:changed", ({ id, unread }) => id === sessionId && unread === true, 0);
});

test("X-11 a client that has not received the news yet does not mark them read", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  const { seq: before } = talk.state;
  await talk.say("hello");
  await client.ask("ok", { type: "session:seen", sessionId, seq: before });
  expect(await unreadIn(client, talk)).toBe(true);
});
