import { afterAll, beforeAll, expect, test } from "bun:test";
import { CliType } from "../../src/protocol/ids.ts";
import { MODEL_FAVOURITES_MAX } from "../../src/protocol/limits.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, startTalk, type Talk } from "./talk.ts";

const END = { end: "end_turn" };
const MODES = { currentModeId: "ask", availableModes: ["ask", "edits"].map((id) => ({ id, name: id })) };
const MODELS = {
  currentModelId: "large",
  availableModels: ["large", "small"].map((modelId) => ({ modelId, name: modelId })),
};
const EFFORT = {
  id: "effort",
  name: "Effort",
  category: "thought_level",
  type: "select",
  currentValue: "low",
  options: [
    { group: "usual", name: "Usual", options: [{ value: "low", name: "Low" }] },
    { group: "more", name: "More", options: [{ value: "high", name: "High" }] },
  ],
};
const AGENTS = {
  older: scriptedAgent({ answers: { "session/new": { sessionId: "s", modes: MODES, models: MODELS } } }),
  grouped: scriptedAgent({
    answers: {
      "session/new": { sessionId: "s", configOptions: [EFFORT] },
      "session/set_config_option": { configOptions: [{ ...EFFORT, currentValue: "high" }] },
    },
  }),
  stubborn: scriptedAgent({ refuse: "session/set_config_option" }),
  scripted: scriptedAgent(),
};

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ agents: AGENTS });
});

afterAll(() => server[Symbol.asyncDispose]());

function choices(talk: Talk): unknown {
  return Object.fromEntries(talk.state.config.options.map(({ id, currentValue }) => [id, currentValue]));
}

async function choose(talk: Talk, configId: string, value: string | boolean): Promise<void> {
  const { sessionId } = talk;
  await talk.client.ask("session:config", { type: "session:configure", sessionId, configId, value });
}

test("X-7 what was chosen last for an agent is how its next session starts, also after a restart, and for no other agent", async () => {
  await using own = await startTestServer({ agents: AGENTS });
  const talk = await startTalk(own);
  await choose(talk, "voice", "detailed");
  await choose(talk, "thoughts", true);
  await choose(talk, "mode", "edits");
  await choose(talk, "mode", "all");
  const chosen = { mode: "all", voice: "detailed", thoughts: true };
  const next = await anotherTalk(talk.client, talk.projectId);
  expect(choices(next)).toEqual(chosen);
  expect(next.entries).toEqual([]);
  await own.kill();
  await own.start();
  expect(choices(await startTalk(own))).toEqual(chosen);
  expect(choices(await startTalk(own, "scripted"))).toEqual({ pace: "slow" });
});

test("X-7 modes and models of older agents are remembered too, and set by their own methods", async () => {
  const talk = await startTalk(server, "older");
  await choose(talk, "legacy:mode", "edits");
  await choose(talk, "legacy:model", "small");
  expect(choices(talk)).toEqual({ "legacy:mode": "edits", "legacy:model": "small" });
  const next = await anotherTalk(talk.client, talk.projectId, "older");
  expect(choices(next)).toEqual({ "legacy:mode": "edits", "legacy:model": "small" });
});

test("[X-60] favourite models are sent to every client with the options, by agent, and the model that was used last", async () => {
  const talk = await startTalk(server, "older");
  const cliType = CliType.parse("older");
  await choose(talk, "legacy:model", "large");
  const other = await server.connect();
  const favour = (model: string, favourite: boolean) =>
    other.ask("agent:options", { type: "agent:favourite", cliType, model, favourite });
  const told = () => talk.client.ask("agent:options", { type: "agent:options", cliType });
  expect(await told()).toMatchObject({ favourites: [], lastModel: "large" });
  expect(await favour("small", true)).toMatchObject({ favourites: ["small"] });
  expect(await favour("small", true)).toMatchObject({ favourites: ["small"] });
  // What new sessions start with is another matter than what was used last.
  await talk.client.ask("agent:options", { type: "agent:choose", cliType, configId: "legacy:model", value: "small" });
  const { favourites, lastModel, options } = await told();
  expect([favourites, lastModel, options.find(({ category }) => category === "model")?.currentValue]).toEqual([
    ["small"],
    "large",
    "small",
  ]);
  expect(await favour("small", false)).toMatchObject({ favourites: [] });
  for (let index = 0; index < MODEL_FAVOURITES_MAX; index += 1) await favour(`model ${index}`, true);
  const full = await other.request({ type: "agent:favourite", cliType, model: "one more", favourite: true });
  expect(full).toMatchObject({ type: "error", details: expect.stringContaining("remove one of them first") });
});

test("X-7 grouped values can be chosen, and the agent's answer replaces the whole list", async () => {
  const talk = await startTalk(server, "grouped");
  await choose(talk, "effort", "high");
  expect(choices(talk)).toEqual({ effort: "high" });
  expect(choices(await anotherTalk(talk.client, talk.projectId, "grouped"))).toEqual({ effort: "high" });
});

test("X-7 a choice the agent refuses changes nothing, reports the reason, and is not remembered", async () => {
  const talk = await startTalk(server, "stubborn");
  const { sessionId } = talk;
  const refused = await talk.client.request({
    type: "session:configure",
    sessionId,
    configId: "pace",
    value: "fast",
  });
  expect(refused).toMatchObject({ type: "error", message: "session/set_config_option is refused" });
  expect(choices(talk)).toEqual({ pace: "slow" });
  expect(choices(await anotherTalk(talk.client, talk.projectId, "stubborn"))).toEqual({ pace: "slow" });
});

test("X-7 a choice can be made in the middle of a turn, and a changed mode leaves a line in the transcript", async () => {
  const talk = await startTalk(server);
  await choose(talk, "mode", "ask");
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  await choose(talk, "mode", "read");
  expect(choices(talk)).toMatchObject({ mode: "read" });
  const lines = talk.entries.flatMap((entry) => (entry.type === "notice" ? [entry.content] : []));
  expect(lines).toEqual(["Permissions changed to Read only."]);
  await talk.cancel();
  await talk.untilIdle();
  await choose(talk, "mode", "ask");
});

test("X-7 a session's row has the context size and the cost, for every client", async () => {
  const other = await server.connect();
  const talk = await startTalk(server, "scripted");
  const usage = { used: 10, size: 100, cost: { amount: 0.25, currency: "USD" } };
  await talk.say(script({ update: { sessionUpdate: "usage_update", ...usage } }, END));
  await other.next("session:changed", (row) => row.id === talk.sessionId && row.usage?.cost?.amount === 0.25, 0);
  const { sessions } = await other.ask("session:list", { type: "session:list", projectId: talk.projectId });
  expect(sessions).toMatchObject([{ id: talk.sessionId, usage }]);
});
