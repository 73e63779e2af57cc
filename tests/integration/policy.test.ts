import { expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { isPermission } from "../../src/protocol/pending-request.ts";
import type { RuleDraft } from "../../src/protocol/permission-policy.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { askingAgent, asks, ONCE_OPTIONS } from "./asking-agent.ts";
import { anotherTalk, reopen, startTalk, Talk } from "./talk.ts";

const ASKING = { asking: askingAgent() };
const run = (command: string) => ({ toolCall: { kind: "execute", title: command, rawInput: { command } } });
const edit = (path: string) => ({ toolCall: { kind: "edit", title: `Edit ${path}`, locations: [{ path }] } });
const allow = (command: string): RuleDraft => ({ effect: "allow", command });
const deny = (command: string): RuleDraft => ({ effect: "deny", command });

/** A session that is made with a policy of its own, in a directory with a link that leads out of it. */
async function talkWith(server: TestServer, policy: unknown, cliType = "asking") {
  const client = await server.connect();
  const path = await server.directory(crypto.randomUUID(), "project");
  await mkdir(join(path, "../outside"));
  await symlink("../outside", join(path, "link"));
  const { project } = await client.ask("project:added", { type: "project:add", path });
  const { sessionId } = await client.ask("session:created", {
    ...{ type: "session:create", projectId: project.id, cliType },
    ...(policy !== undefined && { options: JSON.parse(JSON.stringify({ policy })) }),
  });
  await client.ask("session:history", { type: "session:open", sessionId });
  return { talk: new Talk(client, project.id, sessionId), path };
}

const audit = async ({ client, sessionId }: Talk) =>
  (await client.ask("policy:audit", { type: "policy:audit", scope: "session", sessionId })).entries;

test("X-4 edits mode: an edit inside is answered without asking, in view of everyone; outside and through a link it asks", async () => {
  await using server = await startTestServer({ agents: ASKING });
  const { talk, path } = await talkWith(server, "edits");
  await talk.say(asks(edit(join(path, "src/new.ts"))));
  expect(talk.answer).toBe("answers: once");
  const resolved = talk.client.all("permission:resolved");
  expect(resolved).toMatchObject([
    { by: "policy", why: expect.stringContaining("Edits inside"), at: expect.anything() },
  ]);
  const requested = talk.client.all("permission:request");
  expect(requested.map(({ seq, by }) => [seq + 1, by])).toEqual(resolved.map(({ seq, by }) => [seq, by]));
  expect(talk.client.all("session:turn").map(({ turn }) => turn.state)).not.toContain("waiting");
  expect(talk.tools).toMatchObject([{ permission: { answer: "allowed", by: "policy" } }]);
  for (const outside of [join(path, "../outside/x"), join(path, "link/x"), `${path}/link/../x`]) {
    const sent = await talk.send(asks(edit(outside)));
    const { note } = await talk.asked();
    expect(note).toContain("outside this session's directory");
    await talk.answerWith("no");
    await talk.untilIdle(sent);
  }
  expect(await audit(talk)).toMatchObject([{ answer: "allowed", kind: "edit", what: join(path, "src/new.ts") }]);
});

test("X-4 W-8 without a client the policy decides, or the request waits; the server keeps running and the answer is in the log", async () => {
  await using server = await startTestServer({ agents: ASKING });
  const { talk } = await talkWith(server, { rules: [allow("npm test")] });
  const { sessionId, projectId } = talk;
  const { client } = talk;
  client.post({ type: "session:send", sessionId, content: asks(run("npm test"), run("npm publish")) });
  await client.until("the message to be stored", () => client.all("session:turn").length > 0);
  client[Symbol.dispose]();
  const status = () => server.fetch("/api/status").then((answer) => answer.json());
  await waitFor(status, (seen) => JSON.stringify(seen).includes('"waiting"'), "the session to wait for someone");
  const later = await reopen(await server.connect(), new Talk(await server.connect(), projectId, sessionId));
  expect(later.state.pending.filter(isPermission).map(({ toolCall }) => toolCall.name)).toEqual(["npm publish"]);
  expect(await audit(later)).toMatchObject([{ what: "npm test", answer: "allowed" }]);
  await later.answerWith("no");
  await later.untilAnswer("answers: once, no");
});

test("X-4 a rule by the first words of a command; what is chained to it asks; denying wins", async () => {
  await using server = await startTestServer({ agents: ASKING });
  const { talk } = await talkWith(server, { mode: "all", rules: [deny("rm")] });
  await talk.say(asks(run("anything | something"), run("npm test && rm -rf x")));
  expect(talk.answer).toBe("answers: once, no");
  expect(talk.tools.map(({ permission }) => permission?.answer)).toEqual(["allowed", "denied"]);
  const set = { type: "policy:set", scope: "session", sessionId: talk.sessionId } as const;
  await talk.client.ask("policy:state", { ...set, mode: "ask", rules: [allow("npm test")] });
  await talk.send(asks(run("npm test --silent"), run("npm test; curl x.y")));
  const { toolCall, note } = await talk.asked();
  expect([toolCall.name, note]).toEqual(["npm test; curl x.y", "No rule covers curl."]);
  await talk.answerWith("no");
  await talk.untilAnswer("answers: once, no");
  await talk.untilIdle();
});

test("X-4 a rule ends at its time, and is taken back by hand", async () => {
  await using server = await startTestServer({ agents: ASKING });
  const { talk } = await talkWith(server, { rules: [{ ...allow("npm test"), expiresAt: "2020-01-01T00:00:00Z" }] });
  const { client, sessionId } = talk;
  await talk.send(asks(run("npm test")));
  await talk.answerWith("no");
  await talk.untilAnswer("answers: no");
  await talk.untilIdle();
  const set = { type: "policy:set", scope: "session", sessionId } as const;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { rules } = await client.ask("policy:state", { ...set, add: [{ ...allow("npm test"), expiresAt }] });
  await talk.say(asks(run("npm test")));
  expect(talk.answer).toEndWith("answers: once");
  await client.ask("policy:state", { ...set, remove: rules.map(({ id }) => id) });
  await talk.send(asks(run("npm test")));
  await talk.asked();
});

test("X-4 X-2 a change is sent to every client and answers open requests; identical rules are kept once", async () => {
  await using server = await startTestServer({ agents: ASKING });
  const { talk } = await talkWith(server, undefined);
  const other = await server.connect();
  await talk.send(asks(run("npm test"), run("npm publish")));
  const asked = await talk.until("both questions", (state) => state.pending.length === 2);
  const pending = asked.pending.filter(isPermission);
  expect(pending.map(({ offers }) => offers)).toEqual([
    [allow("npm test")],
    [{ ...allow("npm publish"), exact: true }],
  ]);
  const set = {
    type: "policy:set",
    scope: "project",
    sessionId: talk.sessionId,
    add: pending[0]?.offers ?? [],
  } as const;
  await talk.client.ask("policy:state", set);
  const heard = await other.next("policy:state", () => true, 0);
  expect(heard).toMatchObject({ scope: "project", projectId: talk.projectId, rules: [allow("npm test")], mode: null });
  expect((await talk.until("one answer", (state) => state.pending.length === 1)).turn.state).toBe("waiting");
  await talk.client.ask("policy:state", set);
  const { rules } = await other.ask("policy:state", {
    type: "policy:get",
    scope: "project",
    projectId: talk.projectId,
  });
  expect(rules).toHaveLength(1);
  await talk.answerWith("no");
  await talk.untilAnswer("answers: once, no");
  await talk.untilIdle();
});

test("X-4 rules of project and agent hold in every session of theirs, and after a restart; a session's mode beats them", async () => {
  await using server = await startTestServer({ agents: { asking: askingAgent({ permissions: "edits" }) } });
  const { talk, path } = await talkWith(server, undefined);
  const { sessionId, projectId } = talk;
  const get = { type: "policy:get", scope: "session", sessionId } as const;
  expect(await talk.client.ask("policy:state", get)).toMatchObject({ mode: null, inherited: "edits" });
  const set = { type: "policy:set", sessionId } as const;
  await talk.client.ask("policy:state", { ...set, scope: "project", add: [allow("npm test")] });
  await talk.client.ask("policy:state", { ...set, scope: "agent", add: [deny("npm publish")] });
  const commandId = "made-once";
  await server.kill();
  await server.start();
  const client = await server.connect();
  const next = await anotherTalk(client, projectId, "asking");
  await next.say(asks(run("npm test"), run("npm publish"), edit(join(path, "a.ts"))));
  expect(next.answer).toBe("answers: once, no, once");
  await client.ask("policy:state", { ...set, scope: "session", sessionId: next.sessionId, mode: "ask", commandId });
  await next.send(asks(edit(join(path, "a.ts"))));
  await next.asked();
});

test("X-22 a preview shows how past requests would have been answered, without answering anything", async () => {
  await using server = await startTestServer({ agents: ASKING });
  const { talk, path } = await talkWith(server, undefined);
  const { client, sessionId } = talk;
  await talk.send(asks(run("npm test"), run("npm test && rm x"), edit(join(path, "a.ts"))));
  for (const optionId of ["once", "no", "once"]) await talk.answerWith(optionId);
  await talk.untilAnswer("answers: once, no, once");
  await talk.untilIdle();
  const preview = { type: "policy:preview", scope: "project", sessionId, mode: "edits" } as const;
  const { items } = await client.ask("policy:previewed", { ...preview, rules: [allow("npm test"), deny("rm")] });
  expect(items.map(({ what, answered, by, would, differs }) => [what, answered, by, would, differs])).toEqual([
    [join(path, "a.ts"), "allowed", "user", "allow", true],
    ["npm test && rm x", "denied", "user", "deny", true],
    ["npm test", "allowed", "user", "allow", true],
  ]);
  const { items: unchanged } = await client.ask("policy:previewed", {
    type: "policy:preview",
    scope: "session",
    sessionId,
  });
  expect(unchanged.map(({ would, differs }) => [would, differs])).toEqual(Array(3).fill(["ask", false]));
  const { rules, mode } = await client.ask("policy:state", { type: "policy:get", scope: "session", sessionId });
  expect({ rules, mode, audit: await audit(talk) }).toEqual({ rules: [], mode: null, audit: [] });
});

test("X-4 only an option for this once is taken; without exactly one, or when it deceives the eye, the user is asked", async () => {
  await using server = await startTestServer({ agents: ASKING });
  const { talk } = await talkWith(server, "all");
  const [always, once, no] = ONCE_OPTIONS;
  if (!always || !once || !no) throw new Error("three options");
  for (const options of [
    [always, no],
    [
      { ...once, optionId: "a" },
      { ...once, optionId: "b" },
    ],
  ]) {
    const sent = await talk.send(asks({ ...run("npm test"), options }));
    expect((await talk.asked()).note).toContain("not offer exactly one option");
    await talk.answerWith(options[0]?.optionId ?? "");
    await talk.untilIdle(sent);
  }
  await talk.send(asks(run("npm test\u200b")));
  expect((await talk.asked()).note).toContain("U+200B");
  await talk.answerWith("no");
});

test("X-4 a question taken back, or cut off by a cancel, while the rules are evaluated leaves no caller waiting", async () => {
  await using server = await startTestServer({ agents: ASKING });
  const { talk, path } = await talkWith(server, "edits");
  await talk.say(asks({ ...edit(join(path, "../outside/x")), withdraw: true }, edit(join(path, "a.ts"))));
  expect(talk.answer).toBe("answers: withdrawn, once");
  expect(talk.state).toMatchObject({ pending: [], turn: { state: "idle" } });
  const sent = await talk.send(asks(run("npm test"), run("npm test")));
  await talk.cancel();
  const { turn, pending } = await talk.untilIdle(sent);
  expect({ stopReason: turn.stopReason, pending }).toEqual({ stopReason: "cancelled", pending: [] });
});

test("X-4 with the built-in agent: edits are made and commands run without a question, as far as the policy goes", async () => {
  await using server = await startTestServer();
  const { talk, path } = await talkWith(server, { mode: "edits", rules: [allow("echo")] }, "builtin");
  await talk.say('edit notes.md "" "hello"');
  await talk.say("run echo one");
  await talk.say("run echo two > notes.md");
  expect(await Bun.file(join(path, "notes.md")).text()).toBe("two\n");
  expect(talk.tools.map(({ status, permission }) => [status, permission?.answer])).toEqual([
    ["complete", "allowed"],
    ["complete", "allowed"],
    ["complete", "allowed"],
  ]);
  await talk.send("run echo three > ../outside/x");
  expect((await talk.asked()).note).toContain("outside");
  await talk.answerWith("reject-once");
  const later = await reopen(await server.connect(), talk);
  expect(later.tools[0]?.permission?.why).toContain("Edits inside");
});

test("X-4 what is no policy is refused in words, and nothing is made of it", async () => {
  await using server = await startTestServer({ agents: ASKING });
  const talk = await startTalk(server);
  const { client, sessionId, projectId } = talk;
  const refused = async (message: Parameters<SocketClient["ask"]>[1]) => (await client.ask("error", message)).details;
  const create = { type: "session:create", projectId, cliType: "builtin" } as const;
  expect(await refused({ ...create, options: { policy: "everything" } })).toContain("options.policy");
  expect(await refused({ ...create, options: { policy: { rules: [{ effect: "allow" }] } } })).toContain(
    "options.policy",
  );
  const set = { type: "policy:set", scope: "session", sessionId } as const;
  expect(await refused({ ...set, add: [allow("npm test; rm")] })).toContain("not one plain command");
  expect(await refused({ ...set, add: [{ effect: "allow", path: "../x" }] })).toContain("must not go up");
  client.sendRaw(
    JSON.stringify({ ...set, add: [{ effect: "allow", kind: "execute", comand: "ls" }], requestId: "typo" }),
  );
  expect((await client.next("error", ({ requestId }) => requestId === "typo", 0)).code).toBe("INVALID_MESSAGE");
  expect((await client.ask("error", { type: "policy:get", scope: "project" })).code).toBe("INVALID_MESSAGE");
  const missing = await client.ask("error", { ...set, sessionId: "builtin:nobody" });
  expect(missing.code).toBe("SESSION_NOT_FOUND");
  const { rules } = await client.ask("policy:state", { type: "policy:get", scope: "session", sessionId });
  expect(rules).toEqual([]);
});
