import { expect, test } from "bun:test";
import { gradientPng } from "../../builtin-agent/skills/media.ts";
import type { Part } from "../../src/protocol/entry.ts";
import { ATTACHMENT_BYTES_MAX, FRAME_BYTES_MAX, MESSAGE_ATTACHMENT_BYTES_MAX } from "../../src/protocol/limits.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { reopen, startTalk, type Talk } from "./talk.ts";

const PNG = gradientPng(3, 2).toString("base64");
const IMAGE = { type: "image" as const, mimeType: "image/png", data: PNG, name: "dot.png" };
const bytes = (count: number) => Buffer.alloc(count, 7).toString("base64");

const send = (talk: Talk, content: string, attachments: readonly Part[], commandId?: string) =>
  talk.client.request({
    type: "session:send",
    sessionId: talk.sessionId,
    content,
    attachments: [...attachments],
    ...(commandId !== undefined && { commandId }),
  });

test("X-7 an image, a file and a link reach the agent whole and stay with the message", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const file = {
    type: "resource" as const,
    uri: "attachment:///notes.txt",
    mimeType: "text/plain",
    text: "hello notes",
  };
  const link = { type: "link" as const, uri: "file:///demo/a.ts", name: "a.ts" };
  await send(talk, "look at these", [IMAGE, file, link]);
  await talk.untilTurnsEnded(1);
  expect(talk.answer).toContain("an image of 3 x 2 pixels (image/png,");
  expect(talk.answer).toContain("`attachment:///notes.txt` with 11 characters");
  expect(talk.answer).toContain("a link to `a.ts` (file:///demo/a.ts)");
  expect(talk.entries[0]).toMatchObject({ type: "user", attachments: [IMAGE, file, link] });
  const again = await reopen(await server.connect(), talk);
  expect(again.entries).toEqual(talk.entries);
});

test("X-7 what must not be attached is refused before it is a fact, and the connection stays open", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const mark = talk.client.mark();
  const refusals: readonly (readonly [Part, string])[] = [
    [{ ...IMAGE, mimeType: "image/svg+xml" }, "INVALID_MESSAGE"],
    [{ ...IMAGE, data: "%%%%" }, "INVALID_MESSAGE"],
    [{ type: "audio", mimeType: "audio/wav", data: "AAAA" }, "INVALID_MESSAGE"],
    [{ type: "link", uri: "javascript:alert(1)", name: "x" }, "INVALID_MESSAGE"],
    [{ type: "terminal", terminalId: "t" }, "INVALID_MESSAGE"],
    [{ ...IMAGE, data: bytes(ATTACHMENT_BYTES_MAX + 3) }, "LIMIT_EXCEEDED"],
  ];
  for (const [part, code] of refusals) expect(await send(talk, "x", [part])).toMatchObject({ type: "error", code });
  expect(
    await send(
      talk,
      "x",
      Array.from({ length: 21 }, () => IMAGE),
    ),
  ).toMatchObject({ code: "INVALID_MESSAGE" });
  // Its agent may still report its capabilities; nothing else has become a fact.
  const facts = talk.client.received.slice(mark).filter((message) => "seq" in message && message.type !== "ok");
  expect(facts.filter(({ type }) => type !== "session:config")).toEqual([]);
  expect(talk.entries).toEqual([]);
  await talk.say("stream 1 words");
  expect(talk.answer).toContain("w1");
});

test("X-7 the largest message that is allowed fits one frame and reaches the agent", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const half = { ...IMAGE, data: bytes(MESSAGE_ATTACHMENT_BYTES_MAX / 2 - 3) };
  const content = "x".repeat(900_000);
  const frame = JSON.stringify({ content, attachments: [half, half] });
  expect(frame.length).toBeLessThan(FRAME_BYTES_MAX);
  expect(await send(talk, content, [half, half])).toMatchObject({ type: "ok" });
  await talk.untilTurnsEnded(1);
  expect(talk.answer.match(/an image/g)).toHaveLength(2);
  expect(await send(talk, "", [half, half, IMAGE])).toMatchObject({ code: "LIMIT_EXCEEDED" });
});

test("X-7 the page gets the content types that the agent accepts, also without a running agent", async () => {
  await using server = await startTestServer({ agents: { plain: guideWith("--without", "steering") } });
  const talk = await startTalk(server);
  const abilities = { image: true, audio: false, embeddedContext: true, steering: true };
  expect((await talk.until("the abilities", ({ config }) => config.abilities !== undefined)).config.abilities).toEqual(
    abilities,
  );
  const plain = await startTalk(server, "plain");
  await plain.until("the abilities", ({ config }) => config.abilities?.steering === false);
  await server.stop();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect(again.state.config.abilities).toEqual(abilities);
});

test("X-6 a queued message keeps its attachments through edits, a restart and a retry", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { sessionId } = talk;
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  await send(talk, "what is this", [IMAGE], "shown");
  await talk.send("other", "other");
  const items = [
    { commandId: "other", content: "other" },
    { commandId: "shown", content: "what is that" },
  ];
  await talk.client.ask("ok", { type: "session:queue-edit", sessionId, items });
  await talk.cancel();
  await talk.untilIdle();
  await server.stop();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect(again.state.queue).toMatchObject([{ content: "other" }, { content: "what is that", attachments: [IMAGE] }]);
  await again.client.ask("ok", { type: "session:send-now", sessionId, queuedId: "shown" });
  await again.untilAnswer("an image of 3 x 2 pixels");
});

test("drafts keep their attachments, and two windows agree on them", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { sessionId, client } = talk;
  const other = await reopen(await server.connect(), talk);
  const draft = (content: string, attachments?: Part[]) =>
    client.request({ type: "session:draft", sessionId, content, ...(attachments && { attachments }) });
  await draft("half", [IMAGE]);
  await other.client.until("the draft", () =>
    other.client.received.some((message) => message.type === "session:draft" && message.attachments?.length === 1),
  );
  await draft("half a thought");
  expect(await draft("x", [{ ...IMAGE, mimeType: "text/html" }])).toMatchObject({ code: "INVALID_MESSAGE" });
  await server.stop();
  await server.start();
  const again = await server.connect();
  const history = await again.ask("session:history", { type: "session:open", sessionId });
  expect(history).toMatchObject({ draft: "half a thought", draftAttachments: [IMAGE] });
  await again.ask("ok", { type: "session:draft", sessionId, content: "", attachments: [] });
  const empty = await again.ask("session:history", { type: "session:open", sessionId });
  expect([empty.draft, empty.draftAttachments]).toEqual([undefined, undefined]);
});
