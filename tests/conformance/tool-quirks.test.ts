import { afterAll, beforeAll, expect, test } from "bun:test";
import { chunk, script } from "../integration/scripted-agent.ts";
import { END, QuirkScene, question, type Step, textContent, tool, toolUpdate, update } from "./quirk-scene.ts";

let scene: QuirkScene;
beforeAll(async () => {
  scene = await QuirkScene.open();
});
afterAll(() => scene[Symbol.asyncDispose]());

test("quirk: updates of a call that carry nothing but their own extras change nothing", async () => {
  const talk = await scene.played(
    tool("t", { title: "Run ls", kind: "execute", status: "in_progress", rawInput: { command: "ls" } }),
    toolUpdate("t", { _meta: { claudeCode: { toolName: "Bash" } } }),
    toolUpdate("t", { status: "completed", content: textContent("a.ts") }),
    toolUpdate("t", { _meta: { claudeCode: { toolResponse: {} } } }),
    toolUpdate("t", { title: null, content: null, status: null }),
    END,
  );
  expect(talk.tools).toMatchObject([
    { name: "Run ls", kind: "execute", status: "complete", result: "a.ts", input: { command: "ls" } },
  ]);
  await scene.expectCalm(talk);
});

test("quirk: a call under an id of an earlier turn is a new call, and the earlier one stays as it was", async () => {
  const run = (text: string) => [
    tool("1", { title: `Run ${text}`, status: "in_progress" }),
    toolUpdate("1", { status: "completed", content: textContent(text) }),
  ];
  const talk = await scene.played(...run("first"), END);
  await talk.say(script(...run("second"), END));
  expect(talk.tools.map(({ name, status, result }) => [name, status, result])).toEqual([
    ["Run first", "complete", "first"],
    ["Run second", "complete", "second"],
  ]);
  expect(talk.shape).toEqual(["user", "tool-call", "user", "tool-call"]);
  await scene.expectCalm(talk);
});

/** A call that runs, and what the agent does about it when the user stops the turn. */
async function cancelled(...onCancel: Step[]) {
  const talk = await scene.talk();
  await talk.send(
    script({ onCancel: [...onCancel, { end: "cancelled" }] }, tool("t", { title: "Run", status: "in_progress" })),
  );
  await talk.until("the running call", () => talk.tools.length === 1);
  await talk.cancel();
  const { turn } = await talk.untilTurnsEnded(1);
  expect(turn.stopReason).toBe("cancelled");
  return talk;
}

test.each(["completed", "failed", "in_progress"])(
  "quirk: a cancelled call that is reported as %s afterwards stays cancelled, and its output is kept",
  async (status) => {
    const talk = await cancelled(toolUpdate("t", { status, content: textContent("so far") }));
    expect(talk.tools).toMatchObject([{ status: "cancelled", result: "so far" }]);
    await scene.expectCalm(talk);
  },
);

test("quirk: a stray failed call after a cancel is kept and does not spin", async () => {
  const stray = [tool("u", { title: "Tool call", status: "pending" }), toolUpdate("u", { status: "failed" })];
  const talk = await cancelled(...stray);
  expect(talk.tools.map(({ name, status }) => [name, status])).toEqual([
    ["Run", "cancelled"],
    ["Tool call", "error"],
  ]);
  await scene.expectCalm(talk);
  const late = await scene.played(chunk("Done."), END, ...stray);
  await late.until("the stray call", () => late.tools.length === 1);
  expect(late.shape).toEqual(["user", "assistant", "tool-call"]);
  expect(late.tools).toMatchObject([{ name: "Tool call", status: "cancelled" }]);
  await scene.expectCalm(late);
});

test("quirk: a question without the diff shows the one of the call before it", async () => {
  const diff = { type: "diff", path: "/a.ts", oldText: "a", newText: "b" };
  const talk = await scene.talk();
  await talk.send(
    script(
      tool("t", { title: "Edit a.ts", kind: "edit", status: "in_progress", content: [diff] }),
      question({ toolCallId: "t", locations: [{ path: "/a.ts" }] }),
      toolUpdate("t", { status: "completed" }),
      END,
    ),
  );
  expect((await talk.asked()).toolCall).toMatchObject({ name: "Edit a.ts", kind: "edit", parts: [diff] });
  await talk.answerWith("once");
  await talk.untilTurnsEnded(1);
  expect(talk.tools).toMatchObject([
    { name: "Edit a.ts", status: "complete", parts: [diff], locations: [{ path: "/a.ts" }] },
  ]);
  await scene.expectCalm(talk);
});

test("quirk: output in a code fence is shown without the fence", async () => {
  const talk = await scene.played(
    tool("t", { title: "Run", kind: "execute", status: "in_progress" }),
    toolUpdate("t", { status: "completed", content: textContent("```console\none\ntwo\n```") }),
    END,
  );
  expect(talk.tools[0]?.result?.trimEnd()).toBe("one\ntwo");
  await scene.expectCalm(talk);
});

test("quirk: a description that the last update empties does not stay behind as output", async () => {
  const talk = await scene.played(
    tool("t", {
      title: "ls",
      kind: "execute",
      status: "in_progress",
      content: textContent("[current working directory /x] (list)"),
    }),
    toolUpdate("t", { status: "completed", content: [] }),
    END,
  );
  expect(talk.tools).toMatchObject([{ name: "ls", status: "complete" }]);
  expect(talk.tools[0]?.result ?? "").toBe("");
  expect(talk.tools[0]?.parts ?? []).toEqual([]);
  await scene.expectCalm(talk);
});

test("quirk: what an agent's own terminal prints grows into the output of its call, and ends with it", async () => {
  const talk = await scene.played(
    tool("t", {
      title: "Run",
      status: "in_progress",
      content: [{ type: "terminal", terminalId: "t" }],
      _meta: { terminal_info: { terminal_id: "t" } },
    }),
    toolUpdate("t", { _meta: { terminal_output: { terminal_id: "t", data: "one\n" } } }),
    toolUpdate("t", { _meta: { terminal_output_delta: { terminal_id: "t", data: "two\n" } } }),
    toolUpdate("t", {
      status: "completed",
      _meta: { terminal_exit: { terminal_id: "t", exit_code: 0, signal: null } },
    }),
    END,
  );
  expect(talk.tools).toMatchObject([{ status: "complete", result: "one\ntwo\n" }]);
  await scene.expectCalm(talk);
});

test("quirk: a command that the agent's sandbox stops is an error with its words, whatever the model then says", async () => {
  const stopped = "bash: line 1: stopped.txt: Read-only file system\n";
  const talk = await scene.played(
    tool("t", {
      title: "echo x > stopped.txt",
      kind: "execute",
      status: "in_progress",
      content: [{ type: "terminal", terminalId: "t" }],
      _meta: { terminal_info: { terminal_id: "t" } },
    }),
    toolUpdate("t", { _meta: { terminal_output_delta: { terminal_id: "t", data: stopped } } }),
    toolUpdate("t", {
      status: "failed",
      rawOutput: { formatted_output: stopped, exit_code: 1 },
      _meta: { terminal_exit: { terminal_id: "t", exit_code: 1, signal: null } },
    }),
    chunk("It ran."),
    END,
  );
  expect(talk.tools).toMatchObject([{ name: "echo x > stopped.txt", status: "error", error: stopped }]);
  expect(talk.shape).toEqual(["user", "tool-call", "assistant"]);
  await scene.expectCalm(talk);
});

test("quirk: of a command that was stopped before it was announced only the model's words are there", async () => {
  const words = "The command failed: stopped.txt: Read-only file system";
  // As Codex sends it: the model gets the error, and nothing else reports the command.
  const talk = await scene.played(
    update("usage_update", { used: 1_238, size: 258_400 }),
    chunk(words),
    update("usage_update", { used: 1_239, size: 258_400 }),
    END,
  );
  expect(talk.shape).toEqual(["user", "assistant"]);
  expect(talk.answer).toBe(words);
  await scene.expectCalm(talk);
});

test("X-1 all that was played is still there after the server was killed", () => scene.expectKept());
