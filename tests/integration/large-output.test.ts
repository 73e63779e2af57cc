import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { reopen, startTalk } from "./talk.ts";

const HUGE_TEXT_CHARS = 64 * 1024 * 1024;
/** More than the server holds for one slow socket. */
const OVER_BUFFER_CHARS = 24 * 1024 * 1024;
const ENTRY_CHARS_MAX = 1_000_000;

test("a line of 64 MB survives: all of its text is kept, in order, in entries of bounded size", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.send("scenario huge-line");
  await talk.untilTurnsEnded(1);
  const { answer } = talk;
  const [before, after] = ["Before the huge line. ", "After the huge line."];
  expect(answer.length).toBe(before.length + HUGE_TEXT_CHARS + after.length);
  expect(answer.startsWith(`${before}x`)).toBe(true);
  expect(answer.endsWith(`x${after}`)).toBe(true);
  expect(/^x*$/.test(answer.slice(before.length, -after.length))).toBe(true);
  expect(Math.max(...talk.entries.map(({ content }) => content.length))).toBeLessThanOrEqual(ENTRY_CHARS_MAX);

  await server.kill();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  while (again.state.hasMore) {
    const before = again.entries[0]?.entryId ?? "";
    await again.client.ask("session:page", { type: "session:page", sessionId: again.sessionId, before });
  }
  expect(again.entries).toEqual(talk.entries);
  await again.say("stream 1 words");
});

test("a client that opens a session in the middle of a turn larger than its buffer gets it, and stays connected", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  await talk.send(script(chunk("first "), { fill: OVER_BUFFER_CHARS }, chunk(" last")));
  await talk.untilAnswer(" last");
  const late = await reopen(await server.connect(), talk);
  const bystander = await reopen(await server.connect(), talk);
  await late.client.ask("session:title-updated", { type: "session:rename", sessionId: late.sessionId, title: "One" });
  await talk.cancel();
  await Promise.all([talk, late, bystander].map((each) => each.untilTurnsEnded(1)));
  expect(late.answer.length).toBe(talk.answer.length);
  expect(late.entries).toEqual(talk.entries);
  expect(bystander.client.isOpen).toBe(true);
});
