import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, invite, signInBy, TestPerson } from "../support/person.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, reopen, startTalk, type Talk } from "./talk.ts";

let shared: TestServer;
beforeAll(async () => {
  shared = await startTestServer({ agents: { scripted: scriptedAgent() } });
});
afterAll(() => shared[Symbol.asyncDispose]());

const userEntries = (talk: Talk) => talk.entries.flatMap((entry) => (entry.type === "user" ? [entry] : []));

test("[SC-39] with only the owner no one is named; with others each message and each answer names its person", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { projectId, sessionId } = talk;
  expect(talk.client.received[0]).not.toHaveProperty("person");
  await talk.send("run echo alone");
  const first = await talk.asked();
  const alone = await talk.client.ask("permission:resolved", {
    ...{ type: "permission:respond", sessionId, permissionId: first.permissionId, optionId: "allow-once" },
  });
  expect(alone).not.toHaveProperty("person");
  await talk.untilIdle();
  expect(userEntries(talk)[0]).not.toHaveProperty("person");
  expect(talk.tools[0]).not.toHaveProperty("answered");

  const mia = await TestPerson.add(server, "Mia", { roles: { [projectId]: "member" } });
  await talk.client.next("person:standing", ({ person }) => person?.role === "owner", 0);
  using client = await mia.connect();
  const hers = await reopen(client, talk);
  const together = await talk.send("run echo together");
  const second = await hers.asked();
  const answer = { type: "permission:respond", sessionId, permissionId: second.permissionId } as const;
  const mine = { id: mia.id, name: "Mia" };
  // A client's own statements about its person are ignored.
  const told = { ...answer, optionId: "allow-once", person: { id: "owner", name: "Somebody" } } as typeof answer;
  expect(await client.ask("permission:resolved", told)).toMatchObject({ person: mine });
  const late = await talk.client.ask("error", { ...answer, optionId: "reject-once" });
  expect(late.message).toContain("Mia answered it");
  await talk.untilIdle(together);
  expect(talk.tools.at(-1)).toMatchObject({ answered: { answer: "allowed", person: mine } });

  await hers.say("stream 2 words");
  await talk.until("her message", () => userEntries(talk).length === 3);
  expect(userEntries(talk).map(({ person }) => person?.name)).toEqual([undefined, "Owner", "Mia"]);
  // A queued message is its sender's, and a person who rewrites it becomes its author.
  await talk.send("stream 3000 words at 100/s");
  await hers.send("hers", "queued-by-mia");
  await talk.until("a queue", ({ queue }) => queue.length === 1);
  expect(talk.state.queue[0]).toMatchObject({ person: mine });
  const items = [{ commandId: "queued-by-mia", content: "rewritten", person: mine }];
  await talk.client.ask("ok", { type: "session:queue-edit", sessionId, items });
  await talk.until("the edit", ({ queue }) => queue[0]?.content === "rewritten");
  expect(talk.state.queue[0]?.person?.name).toBe("Owner");
  const running = talk.state.seq;
  await talk.client.ask("ok", { type: "session:cancel", sessionId });
  await talk.untilIdle(running);
});

test("[SC-39] an answer to a question and a restore name their person", async () => {
  const server = shared;
  const talk = await startTalk(server, "scripted");
  const { sessionId } = talk;
  const mia = await TestPerson.add(server, "Mia", { roles: { [talk.projectId]: "member" } });
  const person = { id: mia.id, name: "Mia" };
  using client = await mia.connect();
  const hers = await reopen(client, talk);
  const question = { mode: "form", message: "Which one?", requestedSchema: { type: "object", properties: {} } };
  const asking = await talk.send(
    script({ ask: { id: "q", method: "elicitation/create", params: question } }, { end: "end_turn" }),
  );
  const { elicitationId } = await hers.questioned();
  // Without the session, which the server finds.
  const answered = await client.ask("elicitation:resolved", {
    ...{ type: "elicitation:respond", elicitationId, action: "decline" },
  });
  expect(answered).toMatchObject({ person });
  await talk.untilIdle(asking);
  const notice = talk.entries.find((entry) => entry.type === "notice" && entry.content.includes("Which one?"));
  expect(notice).toMatchObject({ person, content: "Question: Which one?\nMia declined to answer." });

  await hers.say(script({ shell: "echo x > new.txt" }, { end: "end_turn" }));
  await talk.until("the changes", () => talk.entries.some(({ type }) => type === "changes"));
  const { checkpoints } = await client.ask("checkpoint:list", { type: "checkpoint:list", sessionId });
  const first = checkpoints.findLast(({ phase }) => phase === "before");
  const checkpointId = first?.checkpointId ?? "";
  const { version } = await client.ask("checkpoint:preview", { type: "checkpoint:preview", sessionId, checkpointId });
  await client.ask("checkpoint:restored", { type: "checkpoint:restore", sessionId, checkpointId, expect: version });
  await talk.until("the restore", () =>
    talk.entries.some(
      (entry) => entry.type === "notice" && entry.restore !== undefined && entry.person?.name === "Mia",
    ),
  );
});

test("[SC-40] a person who is disabled, removed or given fewer rights is cut off at once and keeps no access", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { projectId, sessionId } = talk;
  const mia = await TestPerson.add(server, "Mia", { roles: { [projectId]: "member" } });
  const vera = await TestPerson.add(server, "Vera", { roles: { [projectId]: "viewer" } });
  const path = `/api/v1/people/${mia.id}`;
  const events = `/api/v1/sessions/${encodeURIComponent(sessionId)}/events`;

  // Less: the socket and the stream end, and what comes back is less.
  using first = await mia.connect();
  using bystander = await vera.connect();
  const stream = await mia.fetch(events);
  const streamed = stream.text();
  await ask(server, `${path}/roles`, { projectId, role: null });
  await first.untilClosed();
  expect(await streamed).toContain("session:history");
  expect(bystander.isOpen).toBe(true);
  using second = await mia.connect();
  expect(second.received[0]).toMatchObject({ projects: [] });
  expect(await second.request({ type: "session:open", sessionId })).toMatchObject({ code: "SESSION_NOT_FOUND" });

  // Disabled: neither devices nor tokens nor links open anything, until they are enabled again.
  const link = await invite(server, mia.id);
  await ask(server, path, { disabled: true }, "PATCH");
  await second.untilClosed();
  expect((await mia.fetch("/api/v1/projects")).status).toBe(401);
  expect((await mia.browse("/api/devices")).status).toBe(401);
  expect((await fetch(link)).status).toBe(401);
  await expect(mia.connect()).rejects.toThrow();
  await ask(server, path, { disabled: false }, "PATCH");
  expect((await mia.fetch("/api/v1/projects")).status).toBe(200);

  // Removed: nothing of them is left, over a restart too.
  using third = await mia.connect();
  await ask(server, path, {}, "DELETE");
  await third.untilClosed();
  expect((await mia.fetch("/api/v1/projects")).status).toBe(401);
  expect(bystander.isOpen).toBe(true);
  talk.client[Symbol.dispose]();
  bystander[Symbol.dispose]();
  await server.stop();
  await server.start();
  expect((await mia.fetch("/api/v1/projects")).status).toBe(401);
  expect((await vera.fetch("/api/v1/projects")).status).toBe(200);
});

test("[SC-40] people manage only their own devices and tokens", async () => {
  const server = shared;
  const [mia, vera] = [await TestPerson.add(server, "Pia"), await TestPerson.add(server, "Vito")];
  const listOf = async (person: TestPerson) => (await (await person.browse("/api/devices")).json()).devices;
  const [hers] = await listOf(vera);
  expect(await listOf(mia)).toMatchObject([{ isThis: true, person: { id: mia.id } }]);
  const revoke = (person: TestPerson, body: object) =>
    person.browse("/api/devices/revoke", { method: "POST", body: JSON.stringify(body) });
  expect((await revoke(mia, { id: hers.id })).status).toBe(404);
  expect(await (await revoke(mia, { others: true })).json()).toEqual({ revoked: [] });
  const { tokens } = await (await vera.browse("/api/v1/tokens")).json();
  expect(tokens).toMatchObject([{ name: "Program of Vito", personId: vera.id }]);
  expect((await mia.browse(`/api/v1/tokens/${tokens[0].id}`, { method: "DELETE" })).status).toBe(404);
  // A link of their own makes another device of theirs; signed in there, the owner's browser is theirs alone.
  const paired = await (await mia.browse("/api/pairing", { method: "POST", body: "{}" })).json();
  expect((await mia.browse(`/api/pairing?id=${paired.id}`)).status).toBe(200);
  expect((await vera.browse(`/api/pairing?id=${paired.id}`)).status).toBe(404);
  await signInBy(server, paired.links[0]);
  expect((await listOf(mia)).length).toBe(2);
  const { people } = await (await server.fetch("/api/v1/people")).json();
  const devicesOf = (name: string) => people.find((one: { name: string }) => one.name === name)?.devices;
  expect([people[0]?.name, devicesOf("Pia"), devicesOf("Vito")]).toEqual(["Owner", 2, 1]);
  // Only a person who assigns roles sees the list of people.
  expect((await (await mia.browse("/api/v1/people")).json()).people).toMatchObject([{ name: "Pia", isThis: true }]);
});

test("[SC-39] viewers of a session are shown to its other viewers, and not with only the owner", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { sessionId, projectId } = talk;
  const show = { type: "session:seen", sessionId, seq: 0, showing: true } as const;
  await talk.client.ask("ok", show);
  await talk.client.ask("ok", { type: "ping" });
  expect(talk.client.received.some(({ type }) => type === "session:presence")).toBe(false);
  const vera = await TestPerson.add(server, "Vera", { roles: { [projectId]: "viewer" } });
  await talk.client.ask("ok", show);
  using client = await vera.connect();
  await client.ask("session:history", { type: "session:open", sessionId });
  await client.next("session:presence", ({ people }) => people.map(({ name }) => name).join() === "Owner", 0);
  await client.ask("ok", show);
  await talk.client.next("session:presence", ({ people }) => people.map(({ name }) => name).join() === "Owner,Vera", 0);
  const mark = talk.client.mark();
  client[Symbol.dispose]();
  await talk.client.next("session:presence", ({ people }) => people.map(({ name }) => name).join() === "Owner", mark);
});

test("[SC-38] a project's owner assigns roles only there, and no one can remove their own rights", async () => {
  const server = shared;
  const [talk, other] = [await startTalk(server), await startTalk(server)];
  const { projectId } = talk;
  const olga = await TestPerson.add(server, "Olga", { roles: { [projectId]: "owner" } });
  const mia = await TestPerson.add(server, "Nora");
  const give = (body: object, id = mia.id) =>
    olga.browse(`/api/v1/people/${id}/roles`, { method: "POST", body: JSON.stringify(body) });
  expect((await give({ projectId, role: "member" })).status).toBe(200);
  expect((await give({ projectId: other.projectId, role: "member" })).status).toBe(404);
  expect((await give({ projectId, role: "viewer" }, "owner")).status).toBe(409);
  const { people } = await (await olga.browse("/api/v1/people")).json();
  expect(people.find(({ id }: { id: string }) => id === mia.id)).toMatchObject({
    roles: [{ projectId, role: "member" }],
  });
  expect((await olga.browse("/api/v1/people", { method: "POST", body: '{"name":"Max"}' })).status).toBe(403);
  // The token is the owner's, and stays that.
  const change = (id: string, body: object) =>
    server.fetch(`/api/v1/people/${id}`, { method: "PATCH", body: JSON.stringify(body) });
  expect((await change("owner", { disabled: true })).status).toBe(400);
  expect((await change("owner", { name: "Ada" })).status).toBe(200);
  expect((await change(mia.id, { name: "ada" })).status).toBe(409);
  expect((await server.fetch("/api/v1/people/owner", { method: "DELETE" })).status).toBe(400);
});

test("[SC-45] one working session more than a person or a place may have is refused, with the name of the limit", async () => {
  const limits = { runningPerPersonMax: 1, runningPerPlaceMax: 2 };
  await using server = await startTestServer({
    prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ limits })),
  });
  const talk = await startTalk(server);
  const { projectId, client } = talk;
  const people = await Promise.all(
    ["Mia", "Ben"].map((name) => TestPerson.add(server, name, { roles: { [projectId]: "member" } })),
  );
  using mia = await (people[0] ?? raise()).connect();
  using ben = await (people[1] ?? raise()).connect();
  const [first, second] = [await anotherTalk(client, projectId), await anotherTalk(client, projectId)];
  const work = "stream 3000 words at 100/s";
  const sendBy = (who: SocketClient, { sessionId }: Talk, content = work) =>
    who.request({ type: "session:send", sessionId, content });
  expect(await sendBy(mia, first)).toMatchObject({ type: "ok" });
  expect(await sendBy(mia, second)).toMatchObject({ code: "LIMIT_EXCEEDED" });
  expect((await sendBy(mia, second)) as { message?: string }).toMatchObject({
    message: expect.stringMatching(/of 1 .* for one person/),
  });
  // A queued message starts nothing, and another person has a limit of their own.
  expect(await sendBy(mia, first, "later")).toMatchObject({ type: "ok" });
  expect(await sendBy(ben, second)).toMatchObject({ type: "ok" });
  expect((await sendBy(client, talk)) as { message?: string }).toMatchObject({
    message: expect.stringMatching(/of 2 .* on this machine/),
  });
  await client.ask("ok", { type: "session:cancel", sessionId: second.sessionId });
  await second.untilIdle();
  expect(await sendBy(client, talk, "stream 1 words")).toMatchObject({ type: "ok" });
  await client.ask("ok", { type: "session:cancel", sessionId: first.sessionId });
  await first.untilIdle();
});

function raise(): never {
  throw new Error("nobody was added");
}
