import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ShownNoticeTarget } from "../../src/protocol/notices.ts";
import { NoticeReceiver } from "../support/notice-receiver.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { startTalk } from "./talk.ts";

const NOTICE_MS_MAX = 5_000;
const ALL = ["asks", "failed", "limit", "done"] as const;

/** A server whose config.json sends notices at once. */
async function serverNotifying(receiver: NoticeReceiver, extra: object = {}): Promise<TestServer> {
  const target = { url: receiver.url(), format: "json", on: ALL, afterMs: 0, ...extra };
  return startTestServer({
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify({ notify: [target] })),
  });
}

async function targetsOf(client: SocketClient): Promise<readonly ShownNoticeTarget[]> {
  return (await client.ask("notify:targets", { type: "notify:list" })).targets;
}

/** The newest outcome of the only target, once there is one. */
async function outcomeAfter(client: SocketClient, mark: number): Promise<NonNullable<ShownNoticeTarget["last"]>> {
  const { targets } = await client.next("notify:targets", (message) => message.targets[0]?.last !== undefined, mark);
  const last = targets[0]?.last;
  if (last === undefined) throw new Error("there is an outcome");
  return last;
}

test("CV-50 a turn that asks, fails or ends without a viewer is one POST each, with title, project and a link", async () => {
  await using receiver = new NoticeReceiver();
  await using server = await serverNotifying(receiver);
  const talk = await startTalk(server);
  await talk.say("hello there");
  const endedMs = performance.now();
  const [done] = await receiver.until(1);
  expect((done?.atMs ?? Number.NaN) - endedMs).toBeLessThan(NOTICE_MS_MAX);
  const project = (await talk.client.ask("project:list", { type: "project:list" })).projects[0];
  const body = JSON.parse(done?.body ?? "");
  expect(body).toMatchObject({
    event: "done",
    title: "hello there",
    project: project?.name,
    sessionId: talk.sessionId,
  });
  expect(body.link).toBe(`${server.origin}/#session=${encodeURIComponent(talk.sessionId)}`);
  await talk.send("run true");
  await talk.asked();
  expect(JSON.parse((await receiver.until(2))[1]?.body ?? "")).toMatchObject({ event: "asks" });
  await talk.cancel();
  await talk.until("the end", ({ turn }) => turn.state === "idle");
  await talk.say("fail");
  expect(JSON.parse((await receiver.until(3))[2]?.body ?? "")).toMatchObject({ event: "failed" });
  expect(receiver.received.map(({ body: text }) => JSON.parse(text).event)).toEqual(["done", "asks", "failed"]);
});

test("API-10 a signed hook is sent also while a page shows the session, and again with the same id until it is taken", async () => {
  await using receiver = new NoticeReceiver();
  const secret = "a secret of sixteen or more";
  await using server = await serverNotifying(receiver, { secret, always: true });
  receiver.replies = [503];
  const talk = await startTalk(server);
  await talk.say("stream 1 words");
  const { sessionId, state } = talk;
  await talk.client.ask("ok", { type: "session:seen", sessionId, seq: state.seq, showing: true });
  const [first, second] = await receiver.until(2);
  const deliveries = [first, second].map((one) => one?.headers.get("idempotency-key"));
  expect(deliveries[0]).toBeTruthy();
  expect(deliveries[1]).toBe(deliveries[0] ?? "");
  const at = second?.headers.get("x-liminal-timestamp") ?? "";
  const sign = (key: string) => `sha256=${createHmac("sha256", key).update(`${at}.${second?.body}`).digest("hex")}`;
  expect(second?.headers.get("x-liminal-signature")).toBe(sign(secret));
  expect(second?.headers.get("x-liminal-signature")).not.toBe(sign("another secret of sixteen"));
  const [target] = await targetsOf(talk.client);
  expect(target).toMatchObject({ isSigned: true, always: true });
  expect(JSON.stringify(target) + second?.body).not.toContain(secret);
  // An edit in the settings keeps what it does not show.
  const { targetId = "", format = "json", afterMs = 0 } = target ?? {};
  await talk.client.ask("notify:targets", { type: "notify:save", targetId, format, on: ["done"], afterMs });
  expect(await readFile(join(server.dataDir, "config.json"), "utf8")).toContain(secret);
});

test("CV-50 a notice has neither the token nor the agent's words, and a secret in a title is hidden", async () => {
  await using receiver = new NoticeReceiver();
  await using server = await serverNotifying(receiver);
  const talk = await startTalk(server);
  await talk.say("deploy with sk-abcdefghijklmnopqrstuvwx");
  await receiver.until(1);
  await talk.say("fail");
  await receiver.until(2);
  const failure = talk.state.turn.error?.message ?? "";
  expect(failure).not.toBe("");
  expect(talk.answer).not.toBe("");
  for (const { body, headers, path } of receiver.received) {
    const sent = `${path} ${JSON.stringify([...headers])} ${body}`;
    for (const secret of [server.token, "sk-abcdef", failure, talk.answer]) expect(sent).not.toContain(secret);
  }
});

test("CV-50 nothing is sent while a client shows the session, or for an event that was not chosen", async () => {
  await using receiver = new NoticeReceiver();
  await using server = await serverNotifying(receiver, { on: ["done"] });
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await client.ask("ok", { type: "session:seen", sessionId, seq: talk.state.seq, showing: true });
  await talk.say("first");
  await client.ask("ok", { type: "session:seen", sessionId, seq: talk.state.seq, showing: false });
  await talk.say("fail");
  await talk.say("third");
  // Notices leave in order: what was wrongly sent would be there first.
  await receiver.until(1);
  expect(receiver.received.map(({ body }) => JSON.parse(body).event)).toEqual(["done"]);
});

test("CV-50 a restart, clean or by kill -9, repeats no notice, and sends the one that was still to come", async () => {
  await using receiver = new NoticeReceiver();
  await using server = await serverNotifying(receiver);
  const talk = await startTalk(server);
  await talk.say("first");
  await receiver.until(1);
  await outcomeAfter(talk.client, 0);
  await server.kill();
  await server.start();
  await server.stop();
  // The next one is due in an hour, so the server ends before it.
  const path = join(server.dataDir, "config.json");
  const prompt = await readFile(path, "utf8");
  await writeFile(path, prompt.replace('"afterMs":0', '"afterMs":3600000'));
  await server.start();
  const client = await server.connect();
  await client.ask("session:history", { type: "session:open", sessionId: talk.sessionId });
  await client.ask("ok", { type: "session:send", sessionId: talk.sessionId, content: "fail" });
  await client.next("session:changed", ({ turn }) => turn.error !== undefined, 0);
  await server.kill();
  await writeFile(path, prompt);
  await server.start();
  await receiver.until(2);
  expect(receiver.received.map(({ body }) => JSON.parse(body).event)).toEqual(["done", "failed"]);
});

test("CV-50 [CV-42] a kill -9 while a notice is under way: it is sent again, with the id by which its receiver detects the repetition", async () => {
  await using receiver = new NoticeReceiver();
  await using server = await startTestServer({
    prepare: (dataDir) => {
      const notify = [{ url: receiver.url(), format: "json", on: ALL, afterMs: 0 }];
      const agents = { broken: { name: "Broken", command: "/nowhere/agent" } };
      return writeFile(join(dataDir, "config.json"), JSON.stringify({ notify, agents }));
    },
  });
  const talk = await startTalk(server);
  receiver.replies = ["hang"];
  await talk.say("first");
  await receiver.until(1);
  await server.kill();
  await server.start();
  await receiver.until(2);
  const ids = () => receiver.received.map(({ body, headers }) => [JSON.parse(body).id, headers.get("idempotency-key")]);
  const [[first]] = ids() as [[string]];
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(ids()).toEqual([
    [first, first],
    [first, first],
  ]);
  // A run that could not start has no session that would show it.
  const client = await server.connect();
  const { projectId } = talk;
  const { schedules } = await client.ask("schedule:list", {
    ...{ type: "schedule:save", projectId, name: "Look", prompt: "hello", missed: "latest" },
    cadence: { kind: "cron", cron: "0 0 1 1 *", zone: "UTC" },
    target: { kind: "new", cliType: "broken" },
  });
  receiver.replies = ["hang"];
  await client.ask("schedule:list", { type: "schedule:run", scheduleId: schedules[0]?.id ?? "" });
  await receiver.until(3);
  await server.kill();
  await server.start();
  const runs = (await receiver.until(4)).slice(2).map(({ body }) => JSON.parse(body));
  expect(runs[0]).toMatchObject({ event: "failed", title: "Look", agent: "Broken" });
  expect(runs[0].text).toStartWith("A scheduled run could not start: Look");
  expect(runs[1].id).toBe(runs[0].id);
  expect(runs[0].id).not.toBe(first);
});

test("CV-50 a service that fails or hangs up is tried three times; its last answer counts", async () => {
  await using receiver = new NoticeReceiver();
  receiver.replies = [503, 429, 200];
  await using server = await serverNotifying(receiver);
  const talk = await startTalk(server);
  await talk.say("hello");
  expect((await outcomeAfter(talk.client, 0)).problem).toBeUndefined();
  expect(receiver.received).toHaveLength(3);
  receiver.replies = [500, 500, 500];
  const mark = talk.client.mark();
  await talk.say("hello again");
  expect((await outcomeAfter(talk.client, mark)).problem).toContain("HTTP 500");
  expect(receiver.received).toHaveLength(6);
});

test("CV-51 a rejected notice is shown in the settings with what to do, to every client and over a restart", async () => {
  await using receiver = new NoticeReceiver();
  await using server = await serverNotifying(receiver);
  const talk = await startTalk(server);
  receiver.replies = [403];
  await talk.say("hello");
  const { problem } = await outcomeAfter(talk.client, 0);
  expect(problem).toBe("The service rejected the notice (HTTP 403). Check the token in the address.");
  expect(receiver.received).toHaveLength(1);
  await server.stop();
  await server.start();
  const client = await server.connect();
  expect((await targetsOf(client))[0]?.last?.problem).toBe(problem);
});

test("CV-51 a test reports the error: a refused connection, a redirect that is not followed, no answer", async () => {
  await using elsewhere = new NoticeReceiver();
  await using receiver = new NoticeReceiver();
  await using server = await serverNotifying(receiver);
  const client = await server.connect();
  const test = async () => {
    const [target] = await targetsOf(client);
    return client.request({ type: "notify:test", targetId: target?.targetId ?? "" });
  };
  expect(await test()).toMatchObject({ type: "ok" });
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ event: "test" });
  receiver.replies = [{ redirect: elsewhere.url("/secret-path") }];
  const redirected = await test();
  expect(redirected).toMatchObject({ type: "error", code: "NOTICE_NOT_SENT" });
  expect(JSON.stringify(redirected)).toContain("redirect (307), which is not followed");
  expect(JSON.stringify(redirected)).not.toContain("secret-path");
  expect(elsewhere.received).toHaveLength(0);
  receiver.replies = ["hang"];
  expect(await test()).toMatchObject({ code: "NOTICE_NOT_SENT", message: expect.stringContaining("No answer within") });
  await receiver[Symbol.asyncDispose]();
  expect(await test()).toMatchObject({
    code: "NOTICE_NOT_SENT",
    message: expect.stringContaining("Could not connect"),
  });
  expect(await client.request({ type: "notify:test", targetId: "nobody" })).toMatchObject({
    code: "NOTICE_TARGET_NOT_FOUND",
  });
});

test("CV-50 targets are added, edited and removed in config.json; the rest of the file and its comments stay", async () => {
  await using receiver = new NoticeReceiver();
  const before = '{\n  // mine\n  "editor": "code", // stays\n}\n';
  await using server = await startTestServer({ prepare: (dir) => writeFile(join(dir, "config.json"), before) });
  const client = await server.connect();
  const url = `${receiver.url("/t")}?auth=secret`;
  const wanted = { format: "ntfy" as const, on: [...ALL], afterMs: 0 };
  const added = await client.ask("notify:targets", { type: "notify:save", url, ...wanted });
  const [target] = added.targets;
  expect(target).toMatchObject({ address: receiver.url("/t"), format: "ntfy" });
  expect(JSON.stringify(added)).not.toContain("secret");
  const file = () => readFile(join(server.dataDir, "config.json"), "utf8");
  expect(await file()).toContain("// mine");
  expect(await file()).toContain('"editor": "code", // stays');
  expect(await file()).toContain("auth=secret");
  const again = await client.request({ type: "notify:save", url, ...wanted });
  expect(again).toMatchObject({ code: "INVALID_MESSAGE", details: expect.stringContaining("already in the list") });
  const targetId = target?.targetId ?? "";
  await client.ask("notify:targets", { type: "notify:save", targetId, ...wanted, on: ["asks"] });
  expect(await file()).toContain("auth=secret");
  expect((await targetsOf(client))[0]?.on).toEqual(["asks"]);
  const talk = await startTalk(server);
  await talk.send("run true");
  const [notice] = await receiver.until(1);
  expect(notice?.path).toBe("/t?auth=secret");
  expect(notice?.headers.get("title")).toContain("is waiting for you");
  expect(notice?.headers.get("click")).toContain(`#session=${encodeURIComponent(talk.sessionId)}`);
  await client.ask("notify:targets", { type: "notify:remove", targetId });
  expect(await targetsOf(client)).toEqual([]);
  for (const wrong of ["ftp://example.org/x", "nonsense", "https://user:password@example.org/x"])
    expect(await client.request({ type: "notify:save", url: wrong, ...wanted })).toMatchObject({
      code: "INVALID_MESSAGE",
    });
  await writeFile(join(server.dataDir, "config.json"), '{ "editor": }');
  const refused = await client.request({ type: "notify:save", url, ...wanted });
  expect(refused).toMatchObject({ code: "SETTINGS_UNWRITABLE" });
  expect(await file()).toBe('{ "editor": }');
});
