import { afterAll, beforeAll, expect, test } from "bun:test";
import { chunk, script } from "../integration/scripted-agent.ts";
import { END, QuirkScene, thought, tool, toolUpdate, update } from "./quirk-scene.ts";

let scene: QuirkScene;
beforeAll(async () => {
  scene = await QuirkScene.open();
});
afterAll(() => scene[Symbol.asyncDispose]());

test("quirk: without message ids a change of kind starts the next entry, and the same kind goes on", async () => {
  const talk = await scene.played(
    thought("Let me "),
    thought("see."),
    chunk("One "),
    chunk("two."),
    tool("t", { title: "Read", status: "completed" }),
    chunk("Three."),
    thought("Hm."),
    chunk("Four."),
    END,
  );
  expect(talk.entries.slice(1).map(({ type, content }) => [type, content])).toEqual([
    ["thinking", "Let me see."],
    ["assistant", "One two."],
    ["tool-call", ""],
    ["assistant", "Three."],
    ["thinking", "Hm."],
    ["assistant", "Four."],
  ]);
  await scene.expectCalm(talk);
});

test("quirk: two messages of one kind that differ only by their ids are two entries", async () => {
  const talk = await scene.played(
    chunk("One ", "m1"),
    chunk("two.", "m1"),
    chunk("Three ", "m2"),
    chunk("four.", "m2"),
    END,
  );
  expect(talk.entries.slice(1).map(({ content }) => content)).toEqual(["One two.", "Three four."]);
  await scene.expectCalm(talk);
});

test("quirk: empty lines before a thought are left out, and those inside it stay", async () => {
  const talk = await scene.played(thought("\n\n"), thought("First."), thought("\n\nSecond."), chunk("Done."), END);
  expect(talk.entries.slice(1).map(({ type, content }) => [type, content])).toEqual([
    ["thinking", "First.\n\nSecond."],
    ["assistant", "Done."],
  ]);
  await scene.expectCalm(talk);
});

test("quirk: a plan that comes whole each time and without a tool call is one entry, replaced in its place", async () => {
  const plan = (...statuses: string[]) =>
    update("plan", {
      entries: statuses.map((status, index) => ({ content: `step ${index + 1}`, priority: "low", status })),
    });
  const talk = await scene.played(
    chunk("I plan."),
    plan("pending", "pending"),
    tool("t", { title: "Work", status: "in_progress" }),
    plan("completed", "in_progress", "pending"),
    toolUpdate("t", { status: "completed" }),
    plan("completed", "completed"),
    END,
  );
  expect(talk.shape).toEqual(["user", "assistant", "plan", "tool-call"]);
  expect(talk.entries[2]).toMatchObject({ items: [{ status: "completed" }, { status: "completed" }] });
  await talk.say(script(plan("pending"), END));
  expect(talk.shape).toEqual(["user", "assistant", "plan", "tool-call", "user", "plan"]);
  await scene.expectCalm(talk);
});

test("quirk: session info without a title changes no title, and makes no entry", async () => {
  const talk = await scene.played(update("session_info_update", { title: "Given" }), END);
  const infos = [
    { updatedAt: "2026-01-01T00:00:00Z" },
    { _meta: { codex: { threadStatus: "idle" } } },
    { title: null },
  ];
  await talk.say(script(...infos.map((info) => update("session_info_update", info)), chunk("Said."), END));
  expect(talk.state.title).toBe("Given");
  expect(talk.shape).toEqual(["user", "user", "assistant"]);
  await scene.expectCalm(talk);
});

test("quirk: command names with spaces and signs are offered as they are", async () => {
  const availableCommands = ["memory show", "$skill", "help"].map((name) => ({ name, description: "d" }));
  const talk = await scene.played(update("available_commands_update", { availableCommands }), END);
  expect(talk.state.config.commands.map(({ name }) => name)).toEqual(["memory show", "$skill", "help"]);
  await scene.expectCalm(talk);
});

test("X-1 all that was played is still there after the server was killed", () => scene.expectKept());
