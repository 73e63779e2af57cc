import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { isPermission } from "../../src/protocol/pending-request.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { reopen, startTalk, type Talk } from "./talk.ts";

/** For all tests that need nothing of their own. */
let common: TestServer | null = null;
let server: TestServer | null = null;

/** A session in which the agent plays one scenario. */
async function played(scenario: string): Promise<Talk> {
  common ??= await startTestServer();
  server = common;
  const talk = await startTalk(server);
  await talk.send(`scenario ${scenario}`);
  return talk;
}

/** Whatever an agent does, afterwards nothing runs, nothing asks, nothing is there twice, and everyone agrees. */
async function expectCalm(talk: Talk): Promise<void> {
  const { turn, pending } = talk.state;
  expect({ turn: turn.state, pending }).toEqual({ turn: "idle", pending: [] });
  expect(talk.tools.filter(({ status }) => status === "running")).toEqual([]);
  const ids = talk.entries.map(({ entryId }) => entryId);
  expect(new Set(ids).size).toBe(ids.length);
  const fresh = await reopen(await (server ?? fail()).connect(), talk);
  expect(fresh.entries).toEqual(talk.entries);
  await talk.say("stream 3 words");
  expect(talk.answer.endsWith("w1 w2 w3")).toBe(true);
  expect(talk.state.turn.stopReason).toBe("end_turn");
}

function fail(): never {
  throw new Error("no server was started");
}

afterEach(async () => {
  if (server !== common) await server?.[Symbol.asyncDispose]();
  server = null;
});

afterAll(() => common?.[Symbol.asyncDispose]());

test("junk-output: lines that are no messages are never answered and cost no text", async () => {
  const talk = await played("junk-output");
  await talk.untilTurnsEnded(1);
  expect(talk.answer).toBe("j1 j2 j3 j4 j5 j6 j7 j8 j9 ");
  expect(talk.shape).toEqual(["user", "assistant"]);
  await expectCalm(talk);
});

test("burst: two hundred updates and the result in one write are all there, before the turn's end", async () => {
  const talk = await played("burst");
  await talk.untilTurnsEnded(1);
  expect(talk.answer).toBe(Array.from({ length: 200 }, (_, index) => `b${index + 1} `).join(""));
  expect(talk.state.turn.stopReason).toBe("end_turn");
  await expectCalm(talk);
});

test("empty-chunks: empty text makes no entry and splits none", async () => {
  const talk = await played("empty-chunks");
  await talk.untilTurnsEnded(1);
  expect(talk.shape).toEqual(["user", "assistant"]);
  expect(talk.answer).toBe("Between emptiness.");
  await expectCalm(talk);
});

test("W-12 late-updates: text and a tool's end after the turn are kept in their places and start no turn", async () => {
  const talk = await played("late-updates");
  await talk.untilAnswer("said late.");
  await talk.until("the tool's end", () => talk.tools[0]?.status === "complete");
  expect(talk.answer).toBe("Said in time, said late.");
  expect(talk.shape).toEqual(["user", "assistant", "tool-call"]);
  expect(talk.state.turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
  await expectCalm(talk);
});

test("W-2 missing-stop-reason counts as end_turn", async () => {
  const talk = await played("missing-stop-reason");
  const { turn } = await talk.untilTurnsEnded(1);
  expect(turn.stopReason).toBe("end_turn");
  await expectCalm(talk);
});

test("stderr-noise: five thousand lines on stderr hold nothing up", async () => {
  const talk = await played("stderr-noise");
  await talk.untilTurnsEnded(1);
  expect(talk.answer).toBe("Noise on stderr: done.");
  await expectCalm(talk);
});

test("duplicate-tool-call: announced twice it is one entry, complete, with the later title and input", async () => {
  const talk = await played("duplicate-tool-call");
  await talk.untilTurnsEnded(1);
  expect(talk.shape).toEqual(["user", "tool-call", "assistant"]);
  expect(talk.tools).toMatchObject([
    { name: "Read the same again", kind: "read", status: "complete", input: { path: "x" } },
  ]);
  await expectCalm(talk);
});

test("unknown-tool-update: updates of a call that was never announced make one", async () => {
  const talk = await played("unknown-tool-update");
  await talk.untilTurnsEnded(1);
  expect(talk.shape).toEqual(["user", "tool-call", "assistant"]);
  expect(talk.tools).toMatchObject([
    { name: "Never announced", kind: "fetch", status: "complete", result: "out of nowhere" },
  ]);
  await expectCalm(talk);
});

test("open-tool: a call that still runs when its turn ends does not run on", async () => {
  const talk = await played("open-tool");
  await talk.untilTurnsEnded(1);
  expect(talk.tools).toMatchObject([{ name: "Never done", status: "cancelled" }]);
  expect(talk.tools[0]?.endedAt).toBeDefined();
  await expectCalm(talk);
});

test("odd-updates: readable ones are shown, the rest is kept, and the turn continues", async () => {
  const talk = await played("odd-updates");
  await talk.untilTurnsEnded(1);
  expect(talk.answer).toContain("odd ");
  expect(talk.answer).toEndWith("Still here.");
  expect(talk.tools).toMatchObject([{ kind: "teleport", status: "complete", result: "bare block" }]);
  const unknown = talk.entries.flatMap((entry) => (entry.type === "assistant" ? (entry.parts ?? []) : []));
  expect(unknown).toMatchObject([{ type: "unknown", raw: { type: "hologram" } }]);
  expect(talk.entries.find(({ type }) => type === "plan")).toMatchObject({ items: [{ content: "no status" }] });
  expect(talk.state.config.options.find(({ id }) => id === "mode")?.currentValue).toBe("edits");
  await expectCalm(talk);
});

test("echo-user: a prompt that is echoed is in the transcript once", async () => {
  const talk = await played("echo-user");
  await talk.untilTurnsEnded(1);
  expect(talk.shape).toEqual(["user", "assistant"]);
  expect(talk.answer).toBe("That is what you said.");
  await expectCalm(talk);
});

test("permission-unknown-tool: the call is shown with the question, though it was never announced", async () => {
  const talk = await played("permission-unknown-tool");
  const { toolCall } = await talk.asked();
  expect(toolCall.name).toBe("Unannounced");
  expect(talk.tools).toMatchObject([{ name: "Unannounced", kind: "execute", status: "running" }]);
  await talk.answerWith("allow-once");
  await talk.untilTurnsEnded(1);
  expect(talk.answer).toContain('"optionId":"allow-once"');
  await expectCalm(talk);
});

test("two-permissions: both questions are open at once, and each gets its own answer", async () => {
  const talk = await played("two-permissions");
  const asked = await talk.until("two questions", (state) => state.pending.length === 2);
  const pending = asked.pending.filter(isPermission);
  expect(pending.map(({ toolCall }) => toolCall.name)).toEqual(["First of two", "Second of two"]);
  const { client, sessionId } = talk;
  const [first, second] = pending.map(
    ({ permissionId }) => ({ type: "permission:respond", sessionId, permissionId }) as const,
  );
  await client.ask("permission:resolved", { ...(second ?? fail()), optionId: "reject-once" });
  const left = await talk.until("one question", (state) => state.pending.length === 1);
  expect(left.turn.state).toBe("waiting");
  await client.ask("permission:resolved", { ...(first ?? fail()), optionId: "allow-once" });
  await talk.untilTurnsEnded(1);
  expect(talk.answer).toMatch(/allow-once.*reject-once/);
  await expectCalm(talk);
});

test("withdrawn-permission: the question is removed, resolved as cancelled, and the turn continues", async () => {
  const talk = await played("withdrawn-permission");
  const { permissionId } = await talk.asked();
  await talk.untilTurnsEnded(1);
  const resolved = talk.client.all("permission:resolved").filter((message) => message.permissionId === permissionId);
  expect(resolved.map(({ outcome }) => outcome)).toEqual([{ outcome: "cancelled" }]);
  expect(talk.answer).toBe("Answer after withdrawal: error -32800");
  expect(talk.state.turn.stopReason).toBe("end_turn");
  await expectCalm(talk);
});

test("odd-ids: a question under any JSON-RPC id is answered under exactly that id", async () => {
  const talk = await played("odd-ids");
  for (let count = 1; count <= 8; count += 1) {
    await talk.answerWith("allow-once");
    await talk.until("no question open", (state) => state.pending.length === 0);
  }
  await talk.untilTurnsEnded(1);
  const ids = ['"question-1"', '""', '"null"', '"0"', "0", "-7", "1.5", "null"];
  const answered = talk.answer
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(0, line.indexOf(": {")));
  expect(answered).toEqual(ids);
  await expectCalm(talk);
});

test("unknown-request: an unknown request is refused as such", async () => {
  const talk = await played("unknown-request");
  await talk.untilTurnsEnded(1);
  expect(talk.answer).toBe("Answer: error -32601");
  await expectCalm(talk);
});

test("W-10 files-outside: nothing is read or written outside the session's directory", async () => {
  const talk = await played("files-outside");
  await talk.untilTurnsEnded(1);
  const [, path = ""] = /^write (\S+): error /m.exec(talk.answer) ?? [];
  expect(talk.answer).toMatch(/^read: error -\d+$/m);
  expect(path).not.toBe("");
  expect(existsSync(path)).toBe(false);
  await expectCalm(talk);
});

test("string-ids: requests with ids of text are answered", async () => {
  const talk = await played("string-ids");
  await talk.untilTurnsEnded(1);
  await talk.send("run echo fine");
  await talk.answerWith("allow-once");
  await talk.untilTurnsEnded(2);
  expect(talk.tools).toMatchObject([{ status: "complete", result: "fine\n" }]);
  await expectCalm(talk);
});

test("update-before-new: commands sent before the session has an id are kept", async () => {
  server = await startTestServer({ agents: { early: guideWith("--scenario", "update-before-new") } });
  const talk = await startTalk(server, "early");
  const { config } = await talk.until("the commands", (state) => state.config.commands.length > 0);
  expect(config.commands.map(({ name }) => name)).toContain("help");
  await expectCalm(talk);
});

test("permission-after-new: a question outside any turn can be answered, and starts none", async () => {
  server = await startTestServer({ agents: { eager: guideWith("--scenario", "permission-after-new") } });
  const talk = await startTalk(server, "eager");
  const { toolCall } = await talk.asked();
  expect(toolCall.name).toBe("Index this directory");
  expect(talk.state.turn.state).toBe("idle");
  await talk.answerWith("reject-once");
  await talk.until("no question open", (state) => state.pending.length === 0);
  expect(talk.state.turn.state).toBe("idle");
  await expectCalm(talk);
});

test("W-3 permission-after-new: a cancel answers a question that is open without a turn", async () => {
  server = await startTestServer({ agents: { eager: guideWith("--scenario", "permission-after-new") } });
  const talk = await startTalk(server, "eager");
  const { permissionId } = await talk.asked();
  await talk.cancel();
  await talk.until("no question open", (state) => state.pending.length === 0);
  const resolved = talk.client.all("permission:resolved").filter((message) => message.permissionId === permissionId);
  expect(resolved.map(({ outcome }) => outcome)).toEqual([{ outcome: "cancelled" }]);
  await expectCalm(talk);
});

test("permission-after-new: an unanswered one outlives a killed server, and is withdrawn when one stops", async () => {
  server = await startTestServer({ agents: { eager: guideWith("--scenario", "permission-after-new") } });
  const talk = await startTalk(server, "eager");
  const asked = await talk.asked();
  await server.kill();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect(again.state.pending).toEqual([asked]);
  await server.stop();
  await server.start();
  await expectCalm(await reopen(await server.connect(), talk));
});
