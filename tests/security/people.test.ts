import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { ClientMessage } from "../../src/protocol/client-messages.ts";
import { API_OPERATIONS, pathParametersOf } from "../../src/protocol/http-api.ts";
import type { ServerMessage } from "../../src/protocol/server-messages.ts";
import { sessionMention } from "../../src/protocol/session-mention.ts";
import { startTalk, type Talk } from "../integration/talk.ts";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import { everyMessage } from "../support/every-message.ts";
import { TestPerson } from "../support/person.ts";
import type { Request, SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const SECRET = "zebrawort";
const MADE_UP = "0a1b2c3d4e5f";

let server: TestServer;
/** The owner's, of which nobody else may know anything. */
let hidden: Talk;
/** In which Vera looks and Mia works. */
let shown: Talk;
let stranger: TestPerson;
let viewer: TestPerson;
let member: TestPerson;
let ids: Readonly<Record<string, string>>;
let shownIds: Readonly<Record<string, string>>;

/** Ids of everything that a project can have, with that word in all of it. */
async function idsOf(talk: Talk, word: string): Promise<Record<string, string>> {
  const { client, projectId, sessionId } = talk;
  const { terminalId } = await client.ask("terminal:opened", { type: "terminal:open", projectId });
  const cadence = { kind: "cron", cron: "0 0 1 1 *", zone: "UTC" } as const;
  const schedule = { name: word, cadence, prompt: word, missed: "latest", enabled: false } as const;
  const target = { kind: "session", sessionId } as const;
  const { schedules } = await client.ask("schedule:list", { type: "schedule:save", projectId, target, ...schedule });
  const name = `s-${crypto.randomUUID().slice(0, 8)}`;
  const { snippets } = await client.ask("snippet:list", { type: "snippet:save", name, body: word, projectId });
  const entry = talk.entries.find(({ type }) => type === "assistant");
  return {
    projectId,
    sessionId,
    terminalId,
    scheduleId: schedules[0]?.id ?? "",
    snippetId: snippets.find((snippet) => snippet.name === name)?.id ?? "",
    worktreeId: MADE_UP,
    importId: MADE_UP,
    checkpointId: MADE_UP,
    permissionId: MADE_UP,
    elicitationId: MADE_UP,
    entryId: entry?.entryId ?? "",
    before: entry?.entryId ?? "",
  };
}

/** What must never reach somebody who may not look, besides what they have sent themselves. */
function tracesIn(text: string, sent: readonly string[] = []): string[] {
  const { projectId, sessionId, terminalId = "", scheduleId = "", snippetId = "", entryId = "" } = ids;
  const marks = [SECRET, hidden.projectId, hidden.sessionId, terminalId, scheduleId, snippetId, entryId];
  return [...marks, projectId ?? "", sessionId ?? ""].filter(
    (mark) => mark !== "" && !sent.includes(mark) && text.includes(mark),
  );
}

const said = (client: SocketClient, mark = 0) => JSON.stringify(client.received.slice(mark));

/** The answer without what the sender named, so that answers about different ids can be compared. */
function plain(answer: ServerMessage): object {
  const { requestId: _, sessionId: __, ...rest } = answer as { requestId?: string; sessionId?: string };
  return rest;
}

beforeAll(async () => {
  server = await startTestServer();
  shown = await startTalk(server);
  await shown.say("stream 3 words");
  hidden = await startTalk(server);
  await hidden.client.ask("session:title-updated", {
    type: "session:rename",
    sessionId: hidden.sessionId,
    title: SECRET,
  });
  await hidden.say(`stream 3 words about ${SECRET}`);
  [ids, shownIds] = [await idsOf(hidden, SECRET), await idsOf(shown, "plain")];
  stranger = await TestPerson.add(server, "Nils");
  viewer = await TestPerson.add(server, "Vera", { roles: { [shown.projectId]: "viewer" } });
  member = await TestPerson.add(server, "Mia", { roles: { [shown.projectId]: "member" } });
}, 60_000);
afterAll(() => server[Symbol.asyncDispose]());

describe("[SC-38] somebody without a role in a project", () => {
  it("finds nothing of it in the greeting or in any list", async () => {
    for (const person of [stranger, viewer, member]) {
      using client = await person.connect();
      const [hello] = client.received;
      expect(hello).toMatchObject({ type: "hello", person: { id: person.id, name: person.name, role: "member" } });
      const projects = hello?.type === "hello" ? hello.projects.map(({ id }) => id) : [];
      expect(projects).toEqual(person === stranger ? [] : [shown.projectId]);
      for (const message of [
        { type: "project:list" },
        { type: "inbox:list" },
        { type: "search", query: SECRET },
        { type: "search", query: SECRET, includeArchived: true, limit: 200 },
        { type: "usage:get", days: 300 },
        { type: "snippet:list" },
        { type: "terminal:list" },
        { type: "agent:list" },
        { type: "session:results", sessionIds: [hidden.sessionId] },
      ] as Request[])
        await client.request(message);
      expect(tracesIn(said(client))).toEqual([]);
    }
  });

  it("is answered about its ids as about ids that nobody has, by every message of the protocol", async () => {
    using client = await member.connect();
    const guessed = everyMessage(ids);
    const madeUp = everyMessage({
      ...Object.fromEntries(Object.keys(ids).map((name) => [name, MADE_UP])),
      sessionId: `builtin:${MADE_UP}`,
    });
    const seq = hidden.state.seq;
    for (const [index, message] of guessed.entries()) {
      const mark = client.mark();
      const answers = [await client.request(message), await client.request(madeUp[index] ?? message)].map(plain);
      expect({ type: message.type, answer: answers[0] }).toEqual({ type: message.type, answer: answers[1] });
      expect({ type: message.type, traces: tracesIn(said(client, mark), Object.values(message).map(String)) }).toEqual({
        type: message.type,
        traces: [],
      });
    }
    expect(guessed.length).toBe(ClientMessage.def.options.length);
    expect(hidden.state.seq).toBe(seq);
  }, 60_000);

  it("hears nothing of what happens in it, while the owner hears everything", async () => {
    using nils = await stranger.connect();
    using vera = await viewer.connect();
    const { client, projectId, sessionId } = hidden;
    const mark = client.mark();
    const sent = await hidden.send(`run echo ${SECRET}`);
    const { permissionId } = await hidden.asked();
    await client.ask("permission:resolved", {
      ...{ type: "permission:respond", sessionId, permissionId, optionId: "allow-once" },
    });
    await hidden.untilIdle(sent);
    const made = await client.ask("session:created", { type: "session:create", projectId, cliType: "builtin" });
    await client.ask("session:title-updated", { type: "session:rename", sessionId: made.sessionId, title: SECRET });
    await client.ask("ok", { type: "session:organize", sessionId: made.sessionId, pinned: true });
    await client.ask("policy:state", { type: "policy:set", scope: "project", projectId, mode: "ask" });
    await client.ask("session:archived", { type: "session:archive", sessionId: made.sessionId });
    await client.ask("session:deleted", { type: "session:delete", sessionId: made.sessionId });
    await client.ask("snippet:list", { type: "snippet:save", name: "one-more", body: SECRET, projectId });
    await client.ask("terminal:opened", { type: "terminal:open", projectId, title: SECRET });
    // Theirs is heard by Vera, so that everything before it has passed her.
    await shown.client.ask("session:title-updated", {
      ...{ type: "session:rename", sessionId: shown.sessionId, title: "The last" },
    });
    await vera.next("session:title-updated", ({ title }) => title === "The last", 0);
    await nils.ask("ok", { type: "ping" });
    expect(tracesIn(said(vera)).concat(tracesIn(said(nils)))).toEqual([]);
    expect(said(vera)).not.toContain(made.sessionId);
    expect(said(client, mark)).toContain(SECRET);
  });

  it("finds nothing of it on any address of HTTP, with a token or a browser", async () => {
    const { sessionId } = hidden;
    const named = new URLSearchParams({ ...ids, format: "md" }).toString();
    const addresses = [
      ...["export", "trace", "status", "metrics", "crash", "devices", "push", "export-all"].map(
        (name) => `/api/${name}?${named}`,
      ),
      ...Object.values(API_OPERATIONS).flatMap(({ method, path }) => {
        const filled = pathParametersOf(path).reduce(
          (address, name) => address.replace(`{${name}}`, encodeURIComponent(ids[name] ?? MADE_UP)),
          path as string,
        );
        return method === "GET" ? [filled, `${filled}?projectId=${hidden.projectId}`] : [];
      }),
      `/api/v1/search?query=${SECRET}`,
    ];
    for (const person of [stranger, viewer, member])
      for (const ask of [person.fetch.bind(person), person.browse.bind(person)])
        for (const address of addresses) {
          const answer = await ask(address);
          const text = await answer.text();
          const isAbout = address.includes(encodeURIComponent(sessionId));
          expect({ address, traces: tracesIn(text) }).toEqual({ address, traces: [] });
          if (isAbout && !address.includes("export-all") && !address.includes("devices") && !address.includes("push"))
            expect({ address, isRefused: [401, 403, 404, 400].includes(answer.status) }).toEqual({
              address,
              isRefused: true,
            });
        }
    const all = await (await viewer.fetch("/api/export-all")).text();
    expect(all.includes("w1 w2 w3")).toBe(true);
  }, 60_000);

  it("changes nothing by any address of HTTP", async () => {
    const seq = hidden.state.seq;
    for (const person of [stranger, viewer, member])
      for (const [id, { method, path }] of Object.entries(API_OPERATIONS)) {
        if (method === "GET" || id.endsWith("Token")) continue;
        const filled = pathParametersOf(path).reduce(
          (address, name) => address.replace(`{${name}}`, encodeURIComponent(ids[name] ?? "owner")),
          path as string,
        );
        const bodies: Readonly<Record<string, object>> = {
          createSession: { projectId: hidden.projectId, cliType: "builtin" },
          sendMessage: { content: "from somebody else" },
          steerTurn: { content: "from somebody else" },
          renameSession: { title: "Taken over" },
          configureSession: { configId: "model", value: "x" },
          answerPermission: { optionId: "allow-once" },
          answerQuestion: { action: "cancel" },
          addProject: { path: server.home },
          chooseAgentOption: { configId: "model", value: "x" },
          setFavouriteModel: { model: "x", favourite: true },
          addPerson: { name: "Mallory", role: "owner" },
          changePerson: { name: "Mallory" },
          giveRole: { projectId: hidden.projectId, role: "owner" },
          saveHook: { name: "h", projectId: hidden.projectId, cliType: "builtin", template: "x" },
          changeHook: { template: "x" },
        };
        if (id === "chooseAgentOption" || id === "setFavouriteModel") continue;
        const init = { method, ...(method !== "DELETE" && { body: JSON.stringify(bodies[id] ?? {}) }) };
        for (const ask of [person.fetch.bind(person), person.browse.bind(person)]) {
          const answer = await ask(filled, init);
          expect({
            id,
            isRefused: [401, 403, 404].includes(answer.status),
            text: answer.ok && (await answer.text()),
          }).toEqual({ id, isRefused: true, text: false });
        }
      }
    for (const path of ["/api/backup", "/api/delete", "/api/crash", `/api/import?projectId=${hidden.projectId}`]) {
      const body = path === "/api/delete" ? JSON.stringify({ which: "archived" }) : "{}";
      for (const person of [stranger, viewer, member])
        expect({ path, status: (await person.fetch(path, { method: "POST", body })).status < 400 }).toEqual({
          path,
          status: false,
        });
    }
    expect(hidden.state.seq).toBe(seq);
    expect((await server.fetch(`/api/v1/sessions/${encodeURIComponent(hidden.sessionId)}`)).status).toBe(200);
  }, 60_000);

  it("finds nothing of it by the tools for programs, and starts nothing in it", async () => {
    for (const person of [stranger, viewer]) {
      await using caller = await McpCaller.overHttp(server, person.token);
      const found = await caller.call("search_sessions", { query: SECRET });
      expect(found["hits"]).toEqual([]);
      for (const project of [hidden.projectId, shown.projectId])
        await expect(caller.call("create_coding_agent", { project, plan: "stream 3 words" })).rejects.toThrow(
          "project: not found",
        );
      await expect(caller.call("create_coding_agent", { project: server.home })).rejects.toThrow("project: not found");
      await expect(caller.call("get_agent_output", { agentId: hidden.sessionId })).rejects.toThrow("Agent not found");
    }
    await using mia = await McpCaller.overHttp(server, member.token);
    const { agentId } = await mia.call("create_coding_agent", { project: shown.projectId, agent: "builtin" });
    // Somebody else's program of the same name has agents of its own.
    await using nils = await McpCaller.overHttp(server, stranger.token);
    await expect(nils.call("get_agent_status", { agentId })).rejects.toThrow("Agent not found");
  });

  it("an agent reads no session of another project, whoever mentions it", async () => {
    const { sessionId, client } = shown;
    const attachments = [sessionMention(hidden.sessionId, "that one")];
    const sent = await client.ask("ok", { type: "session:send", sessionId, content: "stream 1 words", attachments });
    await shown.untilIdle(sent.seq);
    await using agent = await McpCaller.overHttp(server, sessionToken(server, sessionId));
    await expect(agent.call("read_conversation", { sessionId: hidden.sessionId })).rejects.toThrow(
      "in another project",
    );
  });
});

describe("[SC-39] a viewer", () => {
  it("can change nothing, by any message of the protocol, and sees everything of the project", async () => {
    using client = await viewer.connect();
    await client.ask("session:history", { type: "session:open", sessionId: shown.sessionId });
    const stateOf = async () => {
      const answer = await server.fetch(`/api/v1/sessions/${encodeURIComponent(shown.sessionId)}`);
      return {
        session: await answer.json(),
        all: await (await server.fetch("/api/v1/sessions?includeArchived=true")).json(),
      };
    };
    const before = await stateOf();
    const refused: string[] = [];
    for (const message of everyMessage({ ...shownIds, worktreeId: "" })) {
      const answer = await client.request(message);
      if (answer.type === "error" && answer.code === "FORBIDDEN") {
        refused.push(message.type);
        expect(answer.message).toMatch(
          /^Your role does not allow this: it needs .+\. Ask an owner of the server for it\.$/,
        );
      }
    }
    expect(refused).toContain("session:send");
    expect(refused).toContain("permission:respond");
    expect(refused).toContain("terminal:attach");
    expect(refused).toContain("session:draft");
    expect(refused).not.toContain("session:page");
    expect(await stateOf()).toEqual(before);
    const rows = await client.ask("session:list", { type: "session:list", projectId: shown.projectId });
    expect(rows.sessions.map(({ id }) => id)).toContain(shown.sessionId);
  }, 60_000);

  it("marks nothing as read by looking", async () => {
    await shown.say("stream 2 words");
    const unread = async () => {
      const { sessions } = await shown.client.ask("session:list", { type: "session:list", projectId: shown.projectId });
      return sessions.find(({ id }) => id === shown.sessionId)?.unread;
    };
    const look = { type: "session:seen", sessionId: shown.sessionId, seq: shown.state.seq, showing: true } as const;
    expect(await unread()).toBe(true);
    using vera = await viewer.connect();
    await vera.ask("ok", look);
    expect(await unread()).toBe(true);
    using mia = await member.connect();
    await mia.ask("ok", look);
    expect(await unread()).not.toBe(true);
  });
});
