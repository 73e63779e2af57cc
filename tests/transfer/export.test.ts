import { expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { startTalk } from "../integration/talk.ts";
import { startTestServer } from "../support/test-server.ts";
import { exported } from "./file-steps.ts";
import { goldenFile, steadyText } from "./golden-document.ts";

/** Set: the documents of this run become the golden ones. Look at them before they are kept. */
const WRITES_GOLDEN = process.env["LIMINAL_WRITE_GOLDEN"] === "1";

test.each(["md", "html", "json"] as const)("X-12 a session with one of everything is exported as %s", async (form) => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("all");
  const { projects } = await talk.client.ask("project:list", { type: "project:list" });
  const text = steadyText(await exported(server, talk.sessionId, form), projects[0]?.path ?? "");
  if (WRITES_GOLDEN) await writeFile(goldenFile(form), text);
  expect(text).toBe(await readFile(goldenFile(form), "utf8"));
});

test("X-12 an export is an attachment with a safe name, may run nothing, and needs the token", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 1 words");
  const title = '../"Über\r\nSet-Cookie: a=b"/.. <b>';
  await talk.client.ask("session:title-updated", { type: "session:rename", sessionId: talk.sessionId, title });
  const path = `/api/export?sessionId=${encodeURIComponent(talk.sessionId)}&format=html`;
  const answer = await server.fetch(path);
  expect(answer.headers.get("content-disposition")).toBe(
    `attachment; filename="_ber-Set-Cookie-a-b-b.html"; filename*=UTF-8''%C3%9Cber-Set-Cookie-a-b-b.html`,
  );
  expect(answer.headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  const head = await server.fetch(path, { method: "HEAD", headers: { Authorization: `Bearer ${server.token}` } });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect((await server.fetch(path, { headers: {} })).status).toBe(401);
  const foreign = { Authorization: `Bearer ${server.token}`, Origin: "https://example.com" };
  expect((await server.fetch(path, { headers: foreign })).status).toBe(403);
  expect((await server.fetch("/api/export?sessionId=builtin:none&format=md")).status).toBe(404);
  expect((await server.fetch(path.replace("html", "exe"))).status).toBe(400);
});

test("X-12 a turn that still runs is exported with what there is so far", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 1 words");
  await talk.send("stream 100000 words at 1/s");
  await talk.until("the first word", () => talk.shape.length === 4);
  const document: unknown = JSON.parse(await exported(server, talk.sessionId, "json"));
  expect(document).toMatchObject({
    entries: [{ type: "user" }, {}, { content: "stream 100000 words at 1/s" }, { type: "assistant" }],
  });
  await talk.cancel();
  await talk.untilIdle();
});
