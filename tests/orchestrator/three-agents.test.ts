import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type ModelRequest, textsBy } from "../agents/model-server/model-request.ts";
import { type ModelServer, type Plan, startModelServer } from "../agents/model-server/model-server.ts";
import { planAnswer } from "../agents/model-server/plan-answer.ts";
import { type Step, toolLine } from "../agents/model-server/script.ts";
import { startTalk } from "../integration/talk.ts";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { KEY, modelEnv } from "./model-env.ts";

const CHILDREN = 3;

/** The real server whose built-in agent has a model; `guide` is the same agent without one, for the children. */
function startWithModel(model: ModelServer, kind: "openai" | "anthropic" = "openai"): Promise<TestServer> {
  const { LIMINAL_MODEL_KEY = "", ...env } = modelEnv(model, kind);
  return startTestServer({
    env: { LIMINAL_MODEL_KEY },
    prepare: (dataDir) =>
      writeFile(join(dataDir, "config.json"), JSON.stringify({ agents: { builtin: { env }, guide: guideWith() } })),
  });
}

const Created = z.object({ agentId: z.string() });
const Waited = z.object({ reason: z.string() });
const Output = z.object({ text: z.string() });

/** Starts three agents, waits for all, reads each, and sums up what it has really read. */
const delegate: Plan = (request) => {
  if (!textsBy(request, "user").some((text) => text.includes("Ask three agents"))) return planAnswer(request);
  const results = textsBy(request, "tool");
  if (results.length < CHILDREN) {
    const plan = `stream ${results.length + 1} words`;
    return [call("create_coding_agent", { agent: "guide", plan, title: `Counter ${results.length + 1}` })];
  }
  const ids = results.slice(0, CHILDREN).map((text) => Created.parse(JSON.parse(text)).agentId);
  const waits = results.slice(CHILDREN).filter((text) => Waited.safeParse(JSON.parse(text)).success);
  if (!waits.some((text) => Waited.parse(JSON.parse(text)).reason === "done"))
    return [call("wait_for_agents", { agentIds: ids, until: "all" })];
  const outputs = results.slice(CHILDREN + waits.length).map((text) => Output.parse(JSON.parse(text)).text);
  const agentId = ids[outputs.length];
  if (agentId !== undefined) return [call("get_agent_output", { agentId })];
  return [{ does: "say", text: `They said: ${outputs.join(" | ")}` }];
};

function times(name: string): string[] {
  return Array.from({ length: CHILDREN }, () => name);
}

function call(name: string, input: Extract<Step, { does: "tool" }>["input"]): Step {
  return { does: "tool", name, input };
}

for (const kind of ["openai", "anthropic"] as const)
  test(`O-8 X-20 the orchestrator (${kind}) gives a task to three agents, waits, reads and sums up, through 429, 500 and cut connections`, async () => {
    await using model = startModelServer(delegate);
    await using server = await startWithModel(model, kind);
    const talk = await startTalk(server, "builtin");
    model.mishaps.push({ status: 429, headers: { "retry-after": "0" } }, { status: 500 }, "cut");
    await talk.say("Ask three agents to count, and tell me what they said.");
    expect(talk.answer).toEndWith("They said: w1 | w1 w2 | w1 w2 w3");
    const called = talk.tools.map(({ name }) => name);
    const created = [1, 2, 3].map((count) => `Create a coding agent: Counter ${count}`);
    const waits = called.filter((name) => name === "Wait for agents");
    expect(waits.length).toBeGreaterThan(0);
    expect(called).toEqual([...created, ...waits, ...times("Get an agent's output")]);
    const notices = talk.entries.flatMap((entry) => (entry.type === "notice" ? [entry.content] : []));
    expect(notices.map((line) => /I try again now \(\d of 5\)/.test(line))).toEqual([true, true, true]);
    expect(talk.state.config.usage?.used).toBeGreaterThan(1_234);
    await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
    expect((await caller.list()).map(({ title, outcome }) => [title, outcome])).toEqual(
      [1, 2, 3].map((count) => [`Counter ${count}`, "done"]),
    );
    expect(server.log).not.toContain(KEY);
  });

test("O-8 in the app a command is put to the user, runs in a terminal without the key, and a cancel is respected before the next question to the model", async () => {
  await using model = startModelServer();
  await using server = await startWithModel(model);
  const talk = await startTalk(server, "builtin");
  const command = "echo key=$LIMINAL_MODEL_KEY.";
  const seq = await talk.send(`${toolLine("run_command", { command })}\nsay: It ran.`);
  expect((await talk.asked()).permissionId).not.toBe("");
  await talk.answerWith("allow-once");
  await talk.untilIdle(seq);
  expect(talk.answer).toBe("It ran.");
  expect(textsBy(model.requests.at(-1), "tool").at(-1)).toContain("key=.");
  const asked = model.requests.length;
  const cancelled = await talk.send(`${toolLine("run_command", { command: "sleep 300" })}\nsay: never`);
  await talk.answerWith("allow-once");
  await talk.until("the command to run", () => talk.tools.at(-1)?.status === "running");
  await talk.cancel();
  await talk.untilIdle(cancelled);
  await talk.say("say: After.");
  expect(model.requests).toHaveLength(asked + 2);
  // A time limit ends it in the terminal, too, and the turn goes on.
  const limited = await talk.send(
    `${toolLine("run_command", { command: "sleep 300", timeout_seconds: 1 })}\nsay: After.`,
  );
  await talk.answerWith("allow-once");
  await talk.untilIdle(limited);
  expect(textsBy(model.requests.at(-1), "tool").at(-1)).toStartWith("It was ended after 1 s.");
  expect(talk.answer).toEndWith("After.");
});

test("O-8 X-1 after kill -9 of the server the orchestrator continues with its memory and its tools", async () => {
  await using model = startModelServer();
  await using server = await startWithModel(model);
  const talk = await startTalk(server, "builtin");
  await talk.say("say: The word is heron.");
  await server.kill();
  await server.start();
  const again = await talk.joinedBy(await server.connect());
  await again.say(`${toolLine("create_coding_agent", { agent: "guide", plan: "stream 1 words" })}\nsay: Started.`);
  expect(again.answer).toEndWith("Started.");
  const last: ModelRequest | undefined = model.requests.at(-1);
  expect(textsBy(last, "assistant").join()).toContain("The word is heron.");
  expect(textsBy(last, "tool").at(-1)).toContain("agentId");
});

test("O-8 X-19 X-20 kill -9 while the orchestrator waits for its agents: the next server answers the call, and the turn continues", async () => {
  await using model = startModelServer();
  await using server = await startWithModel(model);
  const talk = await startTalk(server, "builtin");
  const calls = [toolLine("create_coding_agent", { agent: "guide", plan: "sleep" }), toolLine("wait_for_agents", {})];
  await talk.send([...calls, "say: It is done."].join("\n"));
  await talk.until("the wait", () =>
    talk.tools.some(({ name, status }) => name === "Wait for agents" && status === "running"),
  );
  await server.kill();
  await server.start();
  const again = await talk.joinedBy(await server.connect());
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const [child, ...others] = await caller.list();
  expect(others).toEqual([]);
  await caller.call("cancel_agent", { agentId: child?.agentId });
  const { turn } = await again.untilIdle();
  expect([again.answer, turn.stopReason, again.messages.length]).toEqual(["It is done.", "end_turn", 1]);
  expect(textsBy(model.requests.at(-1), "tool").at(-1)).toContain('"outcome":"cancelled"');
});
