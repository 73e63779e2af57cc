import { afterAll, beforeAll, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { AcpAgent } from "../../src/agents/acp/acp-agent.ts";
import { WireTrace } from "../../src/agents/acp/connection/wire-trace.ts";
import { ClientTerminals } from "../../src/agents/client/client-terminals.ts";
import type { AgentEvent, RestoreRequest } from "../../src/ports/agents.ts";
import { CliType } from "../../src/protocol/ids.ts";
import type { SessionState } from "../../src/protocol/session-schema.ts";
import { NO_DESK, PLAIN_HOST } from "../core/acp-scene.ts";
import { countingWorld } from "../core/counting-world.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { ONCE_OPTIONS } from "./asking-agent.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { startTalk, type Talk } from "./talk.ts";

// The rows of docs/agent-quirks.md about messages around turns: sessions, choices, files.

const END = { end: "end_turn" };
const LOADING = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
const MODES = { currentModeId: "ask", availableModes: ["ask", "edits"].map((id) => ({ id, name: id })) };
const MODELS = { currentModelId: "large", availableModels: [{ modelId: "large", name: "Large" }] };
/** Agents' answers for an unknown conversation. */
const GONE = [
  { code: -32603, words: "Internal error: Session 0199-ab not found" },
  { code: -32602, words: "Unknown sessionId: 0199-ab" },
  { code: -32002, words: "Resource not found" },
];
/** What they answer for one that they cannot open now. */
const REFUSED = [
  { code: -32600, words: "This Codex session is in use by another Codex client." },
  { code: -32603, words: "Internal error" },
  { code: 500, words: "service failure" },
];
const nameOf = (words: string) => `load-${words.replace(/\W+/g, "").toLowerCase().slice(0, 20)}`;
const AGENTS = {
  scripted: scriptedAgent(),
  older: scriptedAgent({ answers: { "session/new": { sessionId: "s", modes: MODES, models: MODELS } } }),
  silent: scriptedAgent({
    answers: { "session/new": { sessionId: "s", modes: MODES, configOptions: null }, "session/set_mode": null },
  }),
  ...Object.fromEntries(
    [...GONE, ...REFUSED].map(({ code: refuseCode, words: refuseWords }) => [
      nameOf(refuseWords),
      scriptedAgent({ refuse: "session/load", refuseCode, refuseWords, answers: { initialize: LOADING } }),
    ]),
  ),
  gemini: scriptedAgent({ answers: { initialize: { ...LOADING, agentInfo: { name: "gemini-cli" } } } }),
};

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ agents: AGENTS });
});

afterAll(() => server[Symbol.asyncDispose]());

test("quirk: modes and models of older agents are choices, and follow the agent's own change", async () => {
  const talk = await startTalk(server, "older");
  const choices = () => talk.state.config.options.map(({ category, currentValue }) => [category, currentValue]);
  await talk.until("the choices", () => choices().length === 2);
  expect(choices()).toEqual([
    ["mode", "ask"],
    ["model", "large"],
  ]);
  await talk.say(script({ update: { sessionUpdate: "current_mode_update", currentModeId: "edits" } }, END));
  expect(choices()).toEqual([
    ["mode", "edits"],
    ["model", "large"],
  ]);
});

test("quirk: null as the result of a choice and of a prompt counts as an empty one", async () => {
  const talk = await startTalk(server, "silent");
  const { sessionId } = talk;
  await talk.until("the mode", ({ config }) => config.options.length === 1);
  await talk.client.ask("session:config", {
    type: "session:configure",
    sessionId,
    configId: "legacy:mode",
    value: "edits",
  });
  await talk.until("the new mode", ({ config }) => config.options[0]?.currentValue === "edits");
  const { turn } = await talk.say(script(chunk("Said."), { answer: null }));
  expect(turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
  await talk.say(script(chunk(" Next."), END));
  expect(talk.answer).toBe("Said. Next.");
});

test("quirk: updates for an unknown session are dropped, and a question in it is answered with cancelled", async () => {
  const other = { sessionId: "of another life" };
  const talk = await startTalk(server, "scripted");
  await talk.say(
    script(
      { send: { method: "session/update", params: { ...other, ...chunk("Lost.") } } },
      {
        ask: {
          id: "q",
          method: "session/request_permission",
          params: { ...other, toolCall: {}, options: ONCE_OPTIONS },
        },
      },
      END,
    ),
  );
  expect(talk.answer).toBe('{"outcome":{"outcome":"cancelled"}}');
  expect(talk.shape).toEqual(["user", "assistant"]);
});

test.each(GONE)(
  "CV-2 quirk: a conversation that is gone ($code $words) begins anew, with a notice before the answer",
  async ({ words }) => {
    const talk = await startTalk(server, nameOf(words));
    await talk.say(script(chunk("Before."), { exit: 1 }));
    expect(talk.state.turn.stopReason).toBe("interrupted");
    await talk.say(script(chunk("After."), END));
    expect(talk.shape).toEqual(["user", "assistant", "notice", "user", "notice", "assistant"]);
    expect(talk.entries[4]).toMatchObject({ severity: "warning", content: expect.stringContaining("starts over") });
  },
);

test.each(REFUSED)(
  "CV-2 quirk: a conversation that cannot be opened now ($code $words) is not given up",
  async ({ words }) => {
    const talk = await startTalk(server, nameOf(words));
    await talk.say(script(chunk("Before."), { exit: 1 }));
    for (const sent of ["[]", "[ ]"]) {
      const { turn } = await talk.say(sent);
      expect(turn).toMatchObject({ stopReason: "error", error: { code: "AGENT_SESSION_REFUSED" } });
      expect(turn.error?.message).toContain(words);
    }
    expect(talk.shape).toEqual(["user", "assistant", "notice", "user", "notice", "user", "notice"]);
    await talk.client.ask("ok", { type: "session:retry", sessionId: talk.sessionId, afresh: true });
    await talk.until("a running turn", ({ turn: { state } }) => state === "running");
    await talk.until("the notice", () => talk.entries.at(-1)?.content.includes("starts over") ?? false);
    await talk.cancel();
    await talk.untilIdle();
    await talk.say(script(chunk("After."), END));
    expect(talk.answer).toBe("Before.After.");
  },
);

test("quirk: a missing file is an empty one for gemini, and an error for others", async () => {
  const answers = ["gemini", "scripted"].map(async (cliType) => {
    const talk = await startTalk(server, cliType);
    const { path } = await projectOf(talk);
    await talk.say(
      script({ ask: { id: "f", method: "fs/read_text_file", params: { path: `${path}/none.txt` } } }, END),
    );
    return talk.answer;
  });
  const [gemini, other] = await Promise.all(answers);
  expect(gemini).toBe('{"content":""}');
  expect(other).toContain('"code":-32002');
});

async function projectOf({ client, projectId }: Talk): Promise<{ readonly path: string }> {
  const { projects } = await client.ask("project:list", { type: "project:list" });
  const project = projects.find(({ id }) => id === projectId);
  if (!project) throw new Error("the project is listed");
  return project;
}

/** The minute in which gemini makes its session ends this long after the load is asked for. */
const REST_OF_MINUTE_MS = 120;
const MINUTE_MS = 60_000;

/** The scripted agent under gemini's name, without a server around it, at a time of our choice. */
function geminiAt(now: number, trace: WireTrace): AcpAgent {
  const { command, args = [] } = AGENTS.gemini;
  return new AcpAgent({
    id: CliType.parse("gemini"),
    name: "Gemini",
    host: PLAIN_HOST,
    processId: "process1",
    held: null,
    onError: (error) => {
      throw error;
    },
    command: [command, ...args],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "" },
    epoch: "epoch",
    trace,
    world: { ...countingWorld(), now: () => now },
    clientVersion: "1",
    onTurnCompleted: () => undefined,
    onUnstoppable: () => undefined,
    desk: NO_DESK,
    guarded: [],
    serves: { fs: false, terminal: false },
  });
}

function madeAt(createdAt: number): RestoreRequest {
  return {
    agentSessionId: "s",
    createdAt,
    seenAt: null,
    userMessages: 1,
    last: async () => ({ message: "", answer: "" }),
  };
}

function sentIn(trace: WireTrace, method: string) {
  const line = trace.recent().find(({ direction, text }) => direction === "out" && text.includes(method));
  if (!line) throw new Error(`${method} was never sent`);
  return line;
}

test("quirk: gemini is asked to load a session only after the minute that made it, in exactly its directory", async () => {
  const now = 10 * MINUTE_MS - REST_OF_MINUTE_MS;
  const trace = new WireTrace(() => performance.now());
  const agent = geminiAt(now, trace);
  try {
    await agent.initialize();
    const asked = performance.now();
    const told: AgentEvent[] = [];
    const { signal } = new AbortController();
    const restored = await agent.restoreSession(madeAt(now - 1_000), {
      cwd: tmpdir(),
      sink: (event) => told.push(event),
      signal,
    });
    expect(restored.origin).toBe("loaded");
    expect(told.filter(({ type }) => type === "notice")).toMatchObject([
      { content: expect.stringContaining("sent in 1 s") },
    ]);
    const { at, text } = sentIn(trace, "session/load");
    // A timer may fire a millisecond early.
    expect(at).toBeGreaterThanOrEqual(asked + REST_OF_MINUTE_MS - 1);
    expect(JSON.parse(text)).toMatchObject({ params: { sessionId: "s", cwd: tmpdir(), mcpServers: [] } });
  } finally {
    await agent.stop();
  }
});

test("quirk: the wait for gemini's minute ends when the user gives up, and the session is never loaded", async () => {
  const now = 10 * MINUTE_MS - REST_OF_MINUTE_MS;
  const trace = new WireTrace(() => performance.now());
  const agent = geminiAt(now, trace);
  try {
    await agent.initialize();
    const giveUp = new AbortController();
    const told = (event: AgentEvent) => event.type === "notice" && giveUp.abort();
    await expect(
      agent.restoreSession(madeAt(now), { cwd: tmpdir(), sink: told, signal: giveUp.signal }),
    ).rejects.toMatchObject({
      refusal: { message: "Stopped waiting for Gemini." },
    });
    expect(trace.recent().filter(({ text }) => text.includes("session/load"))).toEqual([]);
    expect(agent.isBusy).toBe(false);
  } finally {
    await agent.stop();
  }
});

test("quirk: a message that waits for gemini's minute shows how long, and can be cancelled", async () => {
  const isWait = ({ content }: { readonly content: string }) => content.includes("would lose this conversation");
  const minute = () => Math.floor(Date.now() / MINUTE_MS);
  const waitAndCancel = async () => {
    const talk = await startTalk(server, "gemini");
    await talk.say(script(chunk("Before."), { exit: 1 }));
    const sent = await talk.send(script(chunk("Never."), END));
    const isOver = ({ seq, turn }: SessionState) => seq > sent && turn.state === "idle";
    const waiting = await talk.until("a notice or the end", (state) => talk.entries.some(isWait) || isOver(state));
    const { shape, entries } = talk;
    await talk.cancel();
    const { turn } = await talk.untilTurnsEnded(2);
    const wire = await (await server.fetch(`/api/trace?sessionId=${encodeURIComponent(talk.sessionId)}`)).text();
    return { shape, notice: entries[4]?.content, waiting: waiting.turn, turn, wire };
  };
  let made = minute();
  let seen = await waitAndCancel();
  // A minute that ends in between has to be waited for no more; the next try is at the beginning of one.
  while (minute() !== made) {
    made = minute();
    seen = await waitAndCancel();
  }
  expect(seen.shape).toEqual(["user", "assistant", "notice", "user", "notice"]);
  expect(seen.notice).toMatch(
    /^Scripted would lose this conversation .* sent in \d+ s\. Press Cancel to stop waiting\.$/,
  );
  expect(seen.waiting.state).toBe("running");
  expect(seen.turn.stopReason).toBe("cancelled");
  expect(seen.wire).not.toContain("session/load");
});

test("quirk: a list of MCP servers is sent with a new session even when there is none", async () => {
  const trace = new WireTrace(() => performance.now());
  const agent = geminiAt(0, trace);
  try {
    await agent.initialize();
    await agent.newSession({ cwd: tmpdir(), sink: () => undefined, signal: new AbortController().signal });
    expect(JSON.parse(sentIn(trace, "session/new").text)).toMatchObject({ params: { mcpServers: [] } });
  } finally {
    await agent.stop();
  }
});

test("quirk: a terminal that is killed after its end keeps its output and how it ended", async () => {
  const terminals = new ClientTerminals({ newId: () => "t", onOutput: () => undefined });
  const env = { PATH: process.env["PATH"] ?? "" };
  const id = terminals.create({ command: "echo", args: ["done"], env, cwd: tmpdir() });
  await terminals.waitForExit(id);
  terminals.kill(id);
  expect(terminals.output(id)).toMatchObject({ output: "done\n", exit: { exitCode: 0, signal: null } });
  terminals.release(id);
  expect(terminals.has(id)).toBe(false);
});
