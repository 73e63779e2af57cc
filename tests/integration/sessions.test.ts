import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempDir } from "../support/temp-dir.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, reopen, startTalk, type Talk } from "./talk.ts";

test("TC-2.1b the session with the most recent activity comes first", async () => {
  await using server = await startTestServer();
  const first = await startTalk(server);
  const { client, projectId } = first;
  const second = await anotherTalk(client, projectId);
  const third = await anotherTalk(client, projectId);
  const order = async () => {
    const { sessions } = await client.ask("session:list", { type: "session:list", projectId });
    return sessions.map(({ id }) => id);
  };
  expect(await order()).toEqual([third.sessionId, second.sessionId, first.sessionId]);
  await untilAfter(await lastActiveAt(third));
  await first.say("hello");
  expect(await order()).toEqual([first.sessionId, third.sessionId, second.sessionId]);
  await untilAfter(await lastActiveAt(first));
  await second.say("hello");
  expect(await order()).toEqual([second.sessionId, first.sessionId, third.sessionId]);
});

test("TC-2.2a a new session is sent to every client, with its row", async () => {
  await using server = await startTestServer();
  const other = await server.connect();
  const { sessionId, projectId, client, state } = await startTalk(server);
  const told = await other.next("session:created", (message) => message.sessionId === sessionId, 0);
  expect(told.requestId).toBeUndefined();
  expect(told.session).toMatchObject({
    id: sessionId,
    projectId,
    title: "New Session",
    cliType: "builtin",
    archived: false,
    turn: { state: "idle" },
  });
  expect(sessionId).toMatch(/^builtin:./);
  expect(new Date(told.session.createdAt).toISOString()).toBe(told.session.createdAt);
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId });
  expect(sessions).toEqual([told.session]);
  expect(state.config.options.map(({ id }) => id)).toContain("mode");
});

test("TC-2.2a a session can be made with a title, which then is the user's own", async () => {
  await using server = await startTestServer();
  const { client, projectId } = await startTalk(server);
  const made = await client.ask("session:created", {
    type: "session:create",
    projectId,
    cliType: "builtin",
    title: "  My own  ",
  });
  const { title, titleSource } = await client.ask("session:history", {
    type: "session:open",
    sessionId: made.sessionId,
  });
  expect({ title, titleSource, told: made.session.title }).toEqual({
    title: "My own",
    titleSource: "user",
    told: "My own",
  });
});

test("TC-2.2f a creation that fails reports the reason and leaves no row", async () => {
  await using server = await startTestServer({
    agents: { refusing: guideWith("--scenario", "refused-new"), locked: guideWith("--scenario", "auth-required") },
  });
  const { client, projectId } = await startTalk(server);
  const mark = client.mark();
  const create = (cliType: string) => client.ask("error", { type: "session:create", projectId, cliType });
  expect(await create("refusing")).toMatchObject({
    code: "AGENT_PROTOCOL_ERROR",
    message: expect.stringContaining("No session today, as asked."),
    cliType: "refusing",
  });
  expect(await create("locked")).toMatchObject({
    code: "AGENT_AUTH_REQUIRED",
    message: expect.stringContaining("Test Guide needs you to sign in first"),
  });
  expect(await create("nobody")).toMatchObject({ code: "AGENT_UNKNOWN", message: expect.stringContaining('"nobody"') });
  const gone = await client.ask("error", { type: "session:create", projectId: "none", cliType: "builtin" });
  expect(gone).toMatchObject({ code: "PROJECT_NOT_FOUND", message: "Project not found." });
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId, includeArchived: true });
  expect(sessions).toHaveLength(1);
  expect(client.all("session:created", mark)).toEqual([]);
});

test("TC-2.3a opening shows the whole history from our own store and starts no agent", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 300 words");
  await talk.say("plan");
  const before = talk.entries;
  await server.stop();
  await server.start();
  const client = await server.connect();
  const again = await reopen(client, talk);
  expect(again.entries).toEqual(before);
  expect(again.state.hasMore).toBe(false);
  // The session has no agent and gets none.
  const isGuide = ({ commandLine }: { commandLine: string }) => commandLine.includes("builtin-agent/main.ts");
  expect(server.agentProcesses().filter(isGuide)).toEqual([]);
  expect(client.all("agent:status")).toEqual([]);
  const { agents } = await client.ask("agent:list", { type: "agent:list" });
  expect(agents.map(({ status }) => status)).toEqual(agents.map(() => "idle"));
});

test("TC-2.4a archiving while a turn runs cancels it, hides the row, and unarchiving brings it back", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const other = await server.connect();
  const { client, sessionId, projectId } = talk;
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping until you cancel.");
  const { seq } = await client.ask("session:archived", { type: "session:archive", sessionId });
  const { turn, archived } = await talk.untilIdle(seq);
  expect({ stopReason: turn.stopReason, archived }).toEqual({ stopReason: "cancelled", archived: true });
  expect(talk.answer).toBe("Sleeping until you cancel.");
  await other.next("session:archived", (message) => message.sessionId === sessionId, 0);
  const list = async (includeArchived: boolean) => {
    const { sessions } = await client.ask("session:list", { type: "session:list", projectId, includeArchived });
    return sessions.map(({ id }) => id);
  };
  expect(await list(false)).toEqual([]);
  expect(await list(true)).toEqual([sessionId]);
  await client.ask("session:unarchived", { type: "session:unarchive", sessionId });
  expect(await list(false)).toEqual([sessionId]);
  await talk.say("stream 3 words");
  expect(talk.answer).toBe("Sleeping until you cancel.w1 w2 w3");
});

test("TC-2.4a archiving sends session/close to an agent that offers it, and not to one that does not", async () => {
  await using server = await startTestServer({ agents: { plain: guideWith("--without", "close") } });
  const archived = async (cliType: string) => {
    const talk = await startTalk(server, cliType);
    await talk.say("hello");
    await talk.client.ask("session:archived", { type: "session:archive", sessionId: talk.sessionId });
    return async () => (await server.fetch(`/api/trace?sessionId=${encodeURIComponent(talk.sessionId)}`)).text();
  };
  const [offered, plain] = [await archived("builtin"), await archived("plain")];
  await waitFor(offered, (trace) => trace.includes("session/close"), "session/close on the wire");
  await (await startTalk(server, "plain")).say("hello");
  expect(await plain()).not.toContain("session/close");
});

test("TC-2.5a TC-2.5b after a restart the sessions are there, archived ones hidden, and their history opens", async () => {
  await using server = await startTestServer();
  const kept = await startTalk(server);
  const { client, projectId } = kept;
  await kept.say("think");
  const hidden = await anotherTalk(client, projectId);
  await hidden.say("stream 20 words");
  await client.ask("session:archived", { type: "session:archive", sessionId: hidden.sessionId });
  await client.ask("ok", { type: "session:draft", sessionId: kept.sessionId, content: "half a thou" });
  const list = { type: "session:list", projectId, includeArchived: true } as const;
  const before = await client.ask("session:list", list);

  await server.stop();
  await server.start();
  const later = await server.connect();
  const visible = await later.ask("session:list", { type: "session:list", projectId });
  expect(visible.sessions.map(({ id }) => id)).toEqual([kept.sessionId]);
  const all = await later.ask("session:list", list);
  expect(all.sessions).toEqual(before.sessions);
  for (const talk of [kept, hidden]) expect((await reopen(later, talk)).entries).toEqual(talk.entries);
  const { draft, archived } = await later.ask("session:history", { type: "session:open", sessionId: kept.sessionId });
  expect({ draft, archived }).toEqual({ draft: "half a thou", archived: false });
});

test("lastActiveAt moves when something is sent or received", async () => {
  await using dir = await tempDir();
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const created = await lastActiveAt(talk);
  await untilAfter(created);
  const goOn = dir.join("go-on");
  await talk.send(script({ untilFile: goOn }, chunk("Three words, slowly.")));
  const sent = await lastActiveAt(talk);
  expect(sent > created).toBe(true);
  await untilAfter(sent);
  await writeFile(goOn, "");
  await talk.untilAnswer("slowly.");
  const received = await lastActiveAt(talk);
  expect(received > sent).toBe(true);

  await untilAfter(received);
  await talk.send("queued behind the turn");
  expect((await lastActiveAt(talk)) > received).toBe(true);
  await talk.cancel();
  await talk.untilIdle();
});

test("lastActiveAt stays when a session is opened, renamed, archived, or found again after a crash", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await talk.say("hello");
  const active = await lastActiveAt(talk);
  await untilAfter(active);
  await reopen(await server.connect(), talk);
  await client.ask("session:title-updated", { type: "session:rename", sessionId, title: "Renamed" });
  await client.ask("ok", { type: "session:draft", sessionId, content: "…" });
  await client.ask("ok", { type: "session:cancel", sessionId });
  await client.ask("session:archived", { type: "session:archive", sessionId });
  await client.ask("session:unarchived", { type: "session:unarchive", sessionId });
  expect(await lastActiveAt(talk)).toBe(active);
  await server.kill();
  await server.start();
  expect(await lastActiveAt(await reopen(await server.connect(), talk))).toBe(active);
});

async function lastActiveAt({ client, projectId, sessionId }: Talk): Promise<string> {
  const list = { type: "session:list", projectId, includeArchived: true } as const;
  const { sessions } = await client.ask("session:list", list);
  return sessions.find(({ id }) => id === sessionId)?.lastActiveAt ?? "";
}

/** Times have milliseconds: what happens from here on has a later one. */
async function untilAfter(time: string): Promise<void> {
  await waitFor(Date.now, (now) => now > Date.parse(time), "the clock to move on");
}

test("an agent whose program is gone leaves the transcript readable", async () => {
  const agents = { passing: guideWith() };
  await using server = await startTestServer({ agents });
  const talk = await startTalk(server, "passing");
  await talk.say("stream 5 words");
  await server.stop();
  await Bun.write(join(server.dataDir, "config.json"), JSON.stringify({ agents: {} }));
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect(again.answer).toBe("w1 w2 w3 w4 w5");
  const seq = await again.send("hello?");
  const { turn } = await again.untilIdle(seq);
  expect(turn).toMatchObject({ stopReason: "error", error: { code: "AGENT_UNKNOWN" } });
});
