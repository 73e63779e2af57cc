import { afterAll, beforeAll, expect, test } from "bun:test";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { tempDir } from "../support/temp-dir.ts";
import { END, QuirkScene, question, tool, update } from "./quirk-scene.ts";

/** As copilot and codex have them: ids that are addresses, and a chosen model that is not among the offered ones. */
const MODE = "https://agentclientprotocol.com/protocol/session-modes#";
const ODD_CHOICES = {
  sessionId: "s",
  modes: {
    currentModeId: `${MODE}agent`,
    availableModes: ["agent", "plan"].map((id) => ({ id: MODE + id, name: id })),
  },
  models: { currentModelId: "custom[high]", availableModels: [{ modelId: "large", name: "Large" }] },
};

const choice = (id: string, currentValue: string) => ({
  ...{ id, name: id, type: "select", currentValue },
  options: ["small", "large", "high"].map((value) => ({ value, name: value })),
});

let scene: QuirkScene;
beforeAll(async () => {
  scene = await QuirkScene.open({
    trusted: { ...scriptedAgent(), permissions: "all" },
    shrinking: scriptedAgent({
      answers: {
        "session/new": { sessionId: "s", configOptions: [choice("model", "small"), choice("effort", "high")] },
        "session/set_config_option": { configOptions: [choice("model", "large")] },
      },
    }),
    odd: scriptedAgent({ answers: { "session/new": ODD_CHOICES } }),
  });
});
afterAll(() => scene[Symbol.asyncDispose]());

test.each([
  ["max_tokens", "max_tokens"],
  ["max_turn_requests", "max_turn_requests"],
  ["refusal", "refusal"],
  ["cancelled", "cancelled"],
  ["tired", "end_turn"],
])("quirk: a turn that the agent ends as %s ends as %s, and the next one works", async (said, shown) => {
  const talk = await scene.played(chunk("Words."), { end: said });
  expect(talk.state.turn).toMatchObject({ state: "idle", stopReason: shown });
  expect(talk.entries[1]?.content).toBe("Words.");
  await scene.expectCalm(talk);
});

test("quirk: a turn without a word ends, and says so with its message", async () => {
  const talk = await scene.played(END);
  expect(talk.shape).toEqual(["user"]);
  expect(talk.state.turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
  const [asked] = talk.entries;
  expect(talk.client.all("session:complete").map(({ entryId }) => entryId === asked?.entryId)).toEqual([true]);
  await scene.expectCalm(talk);
});

test.each([
  [{ details: "The model is not there." }],
  ["The model is not there."],
  [{ error: { message: "The model is not there." } }],
])("quirk: a reason that stands in the data of an error is shown with the message (%j)", async (data) => {
  const talk = await scene.played(chunk("Half."), { fail: { code: -32603, message: "Internal error", data } });
  expect(talk.state.turn).toMatchObject({ stopReason: "error", error: { code: "AGENT_PROTOCOL_ERROR" } });
  expect(talk.state.turn.error?.message).toContain("The model is not there.");
  await scene.expectCalm(talk);
});

test("CV-25 quirk: a failed turn that codex ends as an ordinary one fails, and the queue waits", async () => {
  const status = (type: string) => ({
    update: { sessionUpdate: "session_info_update", _meta: { codex: { threadStatus: { type } } } },
  });
  const words = "stream disconnected before completion";
  await using dir = await tempDir();
  const talk = await scene.talk();
  const steps = [status("active"), { untilFile: dir.join("go") }, chunk(words), status("systemError")];
  await talk.send(script(...steps, { answer: { stopReason: "end_turn", usage: null } }));
  await talk.send(script(chunk("Next."), END), "next");
  await Bun.write(dir.join("go"), "");
  await talk.until("the end", ({ turn: { state }, queuePaused }) => state === "idle" && queuePaused);
  const { turn, queue } = talk.state;
  expect(turn).toMatchObject({ stopReason: "error", error: { code: "AGENT_PROTOCOL_ERROR", message: words } });
  expect(queue.map(({ commandId }): string => commandId)).toEqual(["next"]);
  expect(talk.entries.at(-1)).toMatchObject({ type: "notice", content: "The turn failed with this error." });
  await talk.client.ask("ok", { type: "session:queue-resume", sessionId: talk.sessionId });
  await talk.untilTurnsEnded(2);
  expect(talk.state.turn).toMatchObject({ stopReason: "end_turn" });
  await scene.expectCalm(talk);
});

test("quirk: a missing sign-in that is told only at the prompt shows the way, and costs nothing that was said", async () => {
  const talk = await scene.played(chunk("Half."), { fail: { code: -32000, message: "Please run /login" } });
  expect(talk.state.turn).toMatchObject({ stopReason: "error", error: { code: "AGENT_AUTH_REQUIRED" } });
  expect(talk.state.turn.error?.message).toContain("sign in");
  expect(talk.entries[1]?.content).toBe("Half.");
  await scene.expectCalm(talk);
});

test("quirk: a question after our cancel is answered cancelled at once and asked to nobody", async () => {
  const talk = await scene.talk();
  await talk.send(
    script({ onCancel: [question({ toolCallId: "t", title: "Too late" }), { end: "cancelled" }] }, chunk("On it. ")),
  );
  await talk.untilAnswer("On it.");
  await talk.cancel();
  const { turn } = await talk.untilTurnsEnded(1);
  expect(turn.stopReason).toBe("cancelled");
  expect(talk.answer).toContain('{"outcome":{"outcome":"cancelled"}}');
  expect(talk.client.all("permission:request")).toEqual([]);
  expect(talk.tools.map(({ name, status }) => [name, status])).toEqual([["Too late", "cancelled"]]);
  await scene.expectCalm(talk);
});

test("quirk: of several options of one kind no rule takes one, and the user is asked", async () => {
  const twice = ["once", "once-and-switch"].map((optionId) => ({ optionId, name: optionId, kind: "allow_once" }));
  const no = { optionId: "no", name: "No", kind: "reject_once" };
  const talk = await scene.talk("trusted");
  const call = { toolCallId: "t", title: "Run", kind: "execute", rawInput: { command: "touch made" } };
  const steps = (options: object[]) => script(tool("t", call), question(call, options), END);
  await talk.say(steps([...twice.slice(0, 1), no]));
  expect(talk.answer).toContain('"optionId":"once"');
  await talk.send(steps([...twice, no]));
  expect((await talk.asked()).options.map(({ optionId }) => optionId)).toEqual(["once", "once-and-switch", "no"]);
  await talk.answerWith("once-and-switch");
  await talk.untilTurnsEnded(2);
  expect(talk.answer).toContain('"optionId":"once-and-switch"');
  await scene.expectCalm(talk);
});

test("quirk: ids of choices may be addresses, and a chosen value may be none of those offered", async () => {
  const talk = await scene.talk("odd");
  const values = () => talk.state.config.options.map(({ currentValue }) => currentValue);
  await talk.until("the choices", ({ config }) => config.options.length === 2);
  expect(values()).toEqual([`${MODE}agent`, "custom[high]"]);
  const { sessionId } = talk;
  const configId = talk.state.config.options[0]?.id ?? "";
  await talk.client.ask("session:config", { type: "session:configure", sessionId, configId, value: `${MODE}plan` });
  await talk.until("the new mode", () => values()[0] === `${MODE}plan`);
  await talk.say(script(update("current_mode_update", { currentModeId: `${MODE}agent` }), END));
  expect(values()).toEqual([`${MODE}agent`, "custom[high]"]);
  await scene.expectCalm(talk);
});

test("quirk: a choice that removes another option leaves the list that the agent then has", async () => {
  const talk = await scene.talk("shrinking");
  const shown = () => talk.state.config.options.map(({ id, currentValue }) => [id, currentValue]);
  await talk.until("the choices", ({ config }) => config.options.length === 2);
  const { sessionId } = talk;
  await talk.client.ask("session:config", { type: "session:configure", sessionId, configId: "model", value: "large" });
  await talk.until("one choice", ({ config }) => config.options.length === 1);
  expect(shown()).toEqual([["model", "large"]]);
  await scene.expectCalm(talk);
});

test("X-1 all that was played is still there after the server was killed", () => scene.expectKept());
