import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../src/protocol/json.ts";
import type { SessionState } from "../../src/protocol/session-schema.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { OUR_PROMPT, script, scriptedAgent } from "./scripted-agent.ts";
import { reopen, startTalk, type Talk } from "./talk.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ agents: { scripted: scriptedAgent() } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** An answer to the question that is open, by this client. */
async function respond(talk: Talk, action: "accept" | "decline" | "cancel", content?: Record<string, Json>) {
  const { elicitationId } = await talk.questioned();
  const { sessionId } = talk;
  const response = { type: "elicitation:respond", sessionId, elicitationId, action } as const;
  return talk.client.request(content === undefined ? response : { ...response, content });
}

function notices(talk: Talk): string[] {
  return talk.entries.flatMap((entry) => (entry.type === "notice" ? [entry.content] : []));
}

/** A turn in which the scripted agent asks these, one after the other, and prints each answer. */
function asks(...questions: Record<string, unknown>[]): string {
  return script(
    ...questions.map((params, index) => ({ ask: { id: `q${index}`, method: "elicitation/create", params } })),
    { end: "end_turn" },
  );
}

function form(properties: Record<string, unknown>, required: string[] = []): Record<string, unknown> {
  return { mode: "form", message: "Tell me", requestedSchema: { type: "object", properties, required } };
}

test("W-9 a question reaches every client as a form; one answers, the others see it resolved, the agent gets the answer", async () => {
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  const bystander = await server.connect();
  await talk.send("ask");
  const asked = await talk.questioned();
  expect(asked).toMatchObject({ mode: "form", title: "A few questions" });
  expect(asked.fields.map(({ name, kind, required }) => `${name} ${kind} ${required}`)).toEqual([
    "name text true",
    "email text false",
    "start text false",
    "colour choice false",
    "agents number false",
    "languages choices false",
    "newsletter boolean false",
    "remarks text false",
  ]);
  await talk.until("to wait", ({ turn }) => turn.state === "waiting");
  const { elicitationId } = asked;
  await bystander.next("elicitation:request", (message) => message.elicitationId === elicitationId, 0);
  expect((await other.questioned()).elicitationId).toBe(elicitationId);

  const content = { name: "Ada", colour: "blue", agents: 7, languages: ["Rust", "Go"], newsletter: true };
  const resolved = await respond(other, "accept", content);
  expect(resolved).toMatchObject({ type: "elicitation:resolved", elicitationId, action: "accept" });
  const heard = await bystander.next("elicitation:resolved", (message) => message.elicitationId === elicitationId, 0);
  expect(heard.requestId).toBeUndefined();
  await talk.untilIdle();
  expect(talk.state.pending).toEqual([]);
  for (const [field, value] of Object.entries(content))
    expect(talk.answer).toContain(`| ${field} | \`${JSON.stringify(value)}\` |`);
  expect(notices(talk)).toEqual([
    "Question: The guide would like to know a little about you.\nYour name: Ada\nFavourite colour: Blue\nAgents you run at once: 7\nLanguages you write: Rust, Go\nWould you ask again?: yes",
  ]);
  await other.untilIdle();
  expect(other.entries).toEqual(talk.entries);
  const sessionId = talk.sessionId;
  const late = await talk.client.ask("error", {
    type: "elicitation:respond",
    sessionId,
    elicitationId,
    action: "decline",
  });
  expect(late).toMatchObject({ code: "REQUEST_NOT_PENDING", message: expect.stringContaining("it was answered") });
});

test("W-9 an answer that does not fit names the field, and the question stays open", async () => {
  const talk = await startTalk(server);
  await talk.send("ask");
  for (const [content, field] of [
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: "x".repeat(61) }, "name"],
    [{ name: "Ada", email: "nobody" }, "email"],
    [{ name: "Ada", start: "31.3.2026" }, "start"],
    [{ name: "Ada", colour: "Green" }, "colour"],
    [{ name: "Ada", agents: 1.5 }, "agents"],
    [{ name: "Ada", agents: 101 }, "agents"],
    [{ name: "Ada", languages: ["Rust", "Rust"] }, "languages"],
    [{ name: "Ada", newsletter: "yes" }, "newsletter"],
    [{ name: "Ada", stranger: 1 }, "stranger"],
  ] as [Record<string, Json>, string][]) {
    const refused = await respond(talk, "accept", content);
    expect(refused).toMatchObject({ type: "error", code: "INVALID_MESSAGE" });
    if (refused.type !== "error") throw new Error("an answer that does not fit was taken");
    expect(refused.details).toStartWith(`${field}: `);
    expect(Object.keys(refused.fields ?? {})).toEqual([field]);
  }
  expect(talk.state.turn.state).toBe("waiting");
  await respond(talk, "accept", { name: "Ada" });
  await talk.untilIdle();
  expect(talk.answer).toContain('| name | `"Ada"` |');
});

test("W-9 a pattern that would take for ever is checked at once, and one that cannot be checked is the agent's own affair", async () => {
  const talk = await startTalk(server, "scripted");
  const properties = { slow: { type: "string", pattern: "^(a+)+$" }, odd: { type: "string", pattern: "(?<=x)y" } };
  await talk.send(asks(form(properties)));
  const refused = await respond(talk, "accept", { slow: `${"a".repeat(10_000)}!`, odd: "z" });
  expect(refused).toMatchObject({ type: "error", fields: { slow: expect.stringContaining("^(a+)+$") } });
  await respond(talk, "accept", { slow: "aaa", odd: "z" });
  await talk.untilIdle();
  expect(talk.answer).toBe('{"action":"accept","content":{"slow":"aaa","odd":"z"}}');
});

test("W-9 it can be declined and dismissed, and the transcript shows it", async () => {
  const talk = await startTalk(server);
  for (const [action, said, kept] of [
    ["decline", "you declined", "You declined to answer."],
    ["cancel", "closed the form", "You dismissed it."],
  ] as const) {
    const seq = await talk.send("ask");
    await respond(talk, action);
    await talk.untilIdle(seq);
    expect(talk.answer).toContain(said);
    expect(notices(talk).at(-1)).toContain(kept);
  }
});

test("W-3 W-9 at a cancel the agent gets cancel, and a later answer is refused with that", async () => {
  const talk = await startTalk(server, "scripted");
  await talk.send(asks(form({ a: { type: "string" } })));
  const { elicitationId } = await talk.questioned();
  await talk.cancel();
  const { turn, pending } = await talk.until("the cancelled turn", (state) => state.turn.state === "idle");
  expect({ stopReason: turn.stopReason, pending }).toEqual({ stopReason: "cancelled", pending: [] });
  await talk.untilAnswer('{"action":"cancel"}');
  expect(notices(talk)[0]).toBe("Question: Tell me\nCancelled.");
  const { sessionId, client } = talk;
  const late = await client.ask("error", { type: "elicitation:respond", sessionId, elicitationId, action: "accept" });
  expect(late).toMatchObject({ code: "REQUEST_NOT_PENDING", message: expect.stringContaining("cancelled") });
});

test("W-9 a question that its agent takes back is gone for everyone", async () => {
  const talk = await startTalk(server, "scripted");
  const params = form({ a: { type: "string" } });
  await talk.send(
    script(
      { send: { id: "taken", method: "elicitation/create", params } as { method: string } },
      { ask: { id: "q", method: "elicitation/create", params: { ...params, message: "Shall I take it back?" } } },
      { send: { method: "$/cancel_request", params: { requestId: "taken" } } },
      { end: "end_turn" },
    ),
  );
  const { pending } = await talk.until("two questions", (state) => state.pending.length === 2);
  const [, second] = pending;
  if (!second || !("elicitationId" in second)) throw new Error("the second is a question");
  const { elicitationId } = second;
  const mark = talk.client.mark();
  await talk.client.ask("elicitation:resolved", { type: "elicitation:respond", elicitationId, action: "accept" });
  await talk.untilIdle();
  expect(talk.client.all("elicitation:resolved", mark).map(({ action }) => action)).toEqual(["accept", "cancel"]);
  expect(notices(talk)[0]).toBe("Question: Tell me\nThe agent withdrew it.");
});

test("W-9 an unknown mode, and a form that cannot be shown, are refused with -32602", async () => {
  const talk = await startTalk(server, "scripted");
  await talk.say(
    asks({ mode: "telepathy", message: "Guess" }, form({ deep: { type: "object", properties: {} } }, ["deep"]), {
      mode: "url",
      message: "Go",
      elicitationId: "e",
      url: "javascript:alert(1)",
    }),
  );
  expect(talk.answer.match(/-32602/g)).toHaveLength(3);
  expect(talk.client.all("elicitation:request").filter(({ message }) => message === "Guess")).toEqual([]);
});

test("W-9 a question that names our prompt instead of the session belongs to that session", async () => {
  const talk = await startTalk(server, "scripted");
  await talk.send(asks({ ...form({ a: { type: "boolean" } }), sessionId: null, requestId: OUR_PROMPT }));
  await respond(talk, "accept", { a: false });
  await talk.untilIdle();
  expect(talk.answer).toBe('{"action":"accept","content":{"a":false}}');
});

test("W-9 a page is only agreed to at first; the agent's word closes it", async () => {
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  await talk.send("ask url");
  const { url = "", mode } = await talk.questioned();
  expect({ mode, host: new URL(url).hostname }).toEqual({ mode: "url", host: "127.0.0.1" });
  await respond(talk, "accept");
  const isAgreed = ({ visits, turn }: SessionState) => visits.length === 1 && turn.state === "running";
  expect((await other.until("the page to be agreed to", isAgreed)).pending).toEqual([]);
  await talk.untilAnswer("You agreed to visit the page.");
  expect((await fetch(url)).status).toBe(200);
  await other.untilIdle();
  expect(other.state.visits).toEqual([]);
  expect(other.answer).toContain("You have been there");
  expect(notices(other).at(-1)).toContain("the agent is done with it");
});

test("W-9 a page that is waited for can be dismissed, and a cancel ends the wait", async () => {
  const talk = await startTalk(server);
  await talk.send("ask url");
  const { elicitationId } = await talk.questioned();
  await respond(talk, "accept");
  const { sessionId, client } = talk;
  const dismiss = { type: "elicitation:respond", sessionId, elicitationId, action: "cancel" } as const;
  await client.ask("elicitation:resolved", dismiss);
  await talk.until("nothing to wait for", ({ visits }) => visits.length === 0);
  expect((await client.ask("error", dismiss)).code).toBe("REQUEST_NOT_PENDING");
  await talk.cancel();
  await talk.untilIdle();
  await talk.send("ask url");
  await respond(talk, "accept");
  await talk.until("a page to wait for", ({ visits }) => visits.length === 1);
  await talk.cancel();
  await talk.until("the end", ({ visits, turn }) => visits.length === 0 && turn.state === "idle");
});

test("W-4 W-9 X-19 a crash ends an open question as cancelled, a killed server does not, and a stopped one does", async () => {
  await using own = await startTestServer({ agents: { shaky: { ...guideWith(), retryMs: [] } } });
  const talk = await startTalk(own, "shaky");
  await talk.send("ask");
  await talk.questioned();
  const agent = own.agentProcesses().find(({ commandLine }) => commandLine.includes("builtin-agent/main.ts"));
  if (!agent) throw new Error("the agent runs");
  process.kill(agent.pid, "SIGKILL");
  const crashed = await talk.until("the end", ({ turn }) => turn.state === "idle");
  expect({ stop: crashed.turn.stopReason, pending: crashed.pending }).toEqual({ stop: "interrupted", pending: [] });

  const other = await startTalk(own);
  await other.send("ask");
  const { elicitationId } = await other.questioned();
  await own.kill();
  await own.start();
  const kept = await reopen(await own.connect(), other);
  expect(kept.state.pending).toEqual(other.state.pending);
  await own.stop();
  await own.start();
  const back = await reopen(await own.connect(), other);
  expect(back.state).toMatchObject({ pending: [], turn: { state: "idle", stopReason: "interrupted" } });
  expect(notices(back)[0]).toContain("Cancelled.");
  const late = await back.client.ask("error", {
    type: "elicitation:respond",
    sessionId: back.sessionId,
    elicitationId,
    action: "decline",
  });
  expect(late.code).toBe("REQUEST_NOT_PENDING");
});

test("W-9 with no client there, a question is declined after a while and the turn continues", async () => {
  await using own = await startTestServer({ env: { LIMINAL_QUESTION_UNWATCHED_MS: "100" } });
  const talk = await startTalk(own);
  await talk.send("ask");
  await talk.questioned();
  talk.client[Symbol.dispose]();
  await waitFor(
    async () => JSON.stringify(await (await own.fetch("/api/status")).json()),
    (status) => status.includes('"turn":"idle"'),
    "the turn to end without anybody",
  );
  const later = await reopen(await own.connect(), talk);
  expect(later.answer).toContain("you declined");
  expect(notices(later)).toEqual([
    "Question: The guide would like to know a little about you.\nDeclined automatically: nobody was available to answer.",
  ]);
});
