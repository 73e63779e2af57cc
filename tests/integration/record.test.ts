import { afterAll, beforeAll, expect, test } from "bun:test";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EntryId } from "../../src/protocol/ids.ts";
import { SHOWN_CHARS_MAX } from "../../src/protocol/shown-text.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { ONCE_OPTIONS } from "./asking-agent.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, reopen, startTalk, type Talk } from "./talk.ts";

// What stays in the record of a session, for every reader at any time.

const END = { end: "end_turn" };
const LONG_LINES = 32_000;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ agents: { scripted: scriptedAgent() } });
});

afterAll(() => server[Symbol.asyncDispose]());

/** A session of the scripted agent, with the directory it works in. */
async function talkInDirectory(): Promise<{ talk: Talk; directory: string }> {
  const client = await server.connect();
  const directory = await server.directory(crypto.randomUUID());
  const { project } = await client.ask("project:added", { type: "project:add", path: directory });
  return { talk: await anotherTalk(client, project.id, "scripted"), directory };
}

/** All of an output, piece by piece. */
async function wholeOutput(talk: Talk, entryId: EntryId, part?: number): Promise<string> {
  let whole = "";
  for (;;) {
    const asked = { type: "session:output", sessionId: talk.sessionId, entryId, from: whole.length } as const;
    const piece = await talk.client.ask("session:output", part === undefined ? asked : { ...asked, part });
    whole += piece.content;
    if (piece.content === "" || whole.length >= piece.totalChars) return whole;
  }
}

test("W-2 refusal, token-limit, request-limit: how a turn ended stays in the record, in its place, for every reader", async () => {
  const talk = await startTalk(server);
  await talk.say("scenario refusal");
  await talk.say("scenario token-limit");
  await talk.say("scenario request-limit");
  await talk.say("fail");
  const seq = await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  await talk.cancel();
  await talk.untilIdle(seq);
  await talk.say("stream 1 words");
  const ends = talk.entries.flatMap((entry) => (entry.type === "notice" ? [entry.turnEnd] : []));
  expect(ends).toEqual(["refusal", "max_tokens", "max_turn_requests", "error", "cancelled"]);
  expect(talk.shape.slice(0, 6)).toEqual(["user", "assistant", "notice", "user", "assistant", "notice"]);
  const failure = talk.entries.find((entry) => entry.type === "notice" && entry.turnEnd === "error");
  expect(failure?.content).not.toBe("");
  const fresh = await reopen(await server.connect(), talk);
  expect(fresh.entries).toEqual(talk.entries);
});

test("sub-agents: their messages and calls name the call they work for", async () => {
  const talk = await startTalk(server);
  await talk.say("scenario sub-agents");
  const [first, second, inner] = talk.tools;
  const said = talk.entries.flatMap((entry) =>
    entry.type === "assistant" ? [[entry.content, entry.parentToolCallId]] : [],
  );
  expect(said).toEqual([
    // They send text at the same time; each text continues its own.
    ["first: on it", first?.toolCallId],
    ["second: looking", second?.toolCallId],
    ["deep inside", inner?.toolCallId],
    ["Both are done.", undefined],
  ]);
  expect(inner?.parentToolCallId).toBe(first?.toolCallId);
  expect(talk.tools.map(({ status }) => status)).toEqual(["complete", "complete", "complete"]);
});

test("X-7 long-output: a long output is kept whole once, travels in short, and is fetched in pieces, also after a restart", async () => {
  await using own = await startTestServer();
  const talk = await startTalk(own);
  const mark = talk.client.mark();
  await talk.say("scenario long-output");
  const whole = Array.from({ length: LONG_LINES }, (_, line) => `line ${line} ${"·".repeat(80)}\n`).join("");
  const [tool] = talk.tools;
  expect(tool?.truncated?.totalChars).toBe(whole.length);
  expect(tool?.result?.length).toBeLessThanOrEqual(SHOWN_CHARS_MAX);
  const travelled = talk.client.received.slice(mark).reduce((sum, message) => sum + JSON.stringify(message).length, 0);
  expect(travelled).toBeLessThan(2 * whole.length);
  const entryId = tool?.entryId ?? fail();
  expect((await wholeOutput(talk, entryId)) === whole).toBe(true);
  const some = { type: "session:output", sessionId: talk.sessionId, entryId, from: 100, limit: 50 } as const;
  expect((await talk.client.ask("session:output", some)).content).toBe(whole.slice(100, 150));

  await own.kill();
  await own.start();
  const again = await reopen(await own.connect(), talk);
  expect(again.entries).toEqual(talk.entries);
  expect((await wholeOutput(again, entryId)) === whole).toBe(true);
});

test("X-7 an output that is asked for and is not there is refused in words", async () => {
  const talk = await startTalk(server);
  await talk.say("stream 1 words");
  const entryId = talk.entries[0]?.entryId ?? fail();
  for (const asked of [entryId, "nobody"]) {
    const command = { type: "session:output", sessionId: talk.sessionId, entryId: asked } as const;
    expect(await talk.client.request(command)).toMatchObject({
      code: "INVALID_MESSAGE",
      details: "entryId: no such output",
    });
  }
});

test("X-7 a diff of large files travels as what changed, and is kept whole", async () => {
  const { talk, directory } = await talkInDirectory();
  const lines = Array.from({ length: 30_000 }, (_, line) => `line ${line}`);
  const newText = lines.with(20_000, "new").join("\n");
  const path = join(directory, "a.txt");
  await writeFile(path, newText);
  const diff = { type: "diff", path, oldText: lines.join("\n"), newText };
  const call = { sessionUpdate: "tool_call", toolCallId: "1", title: "Edit", status: "completed", content: [diff] };
  await talk.say(script({ update: call }, END));
  const [tool] = talk.tools;
  expect(JSON.stringify(tool).length).toBeLessThan(5_000);
  expect(tool?.parts?.[0]).toMatchObject({ type: "diff", firstLine: 19_981 });
  expect(JSON.parse(await wholeOutput(talk, tool?.entryId ?? fail(), 0))).toEqual({ ...diff, firstLine: 1 });
});

/** Line `n` says so, for each of them. */
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

test("X-7 a diff of a snippet begins at its line of the file, before the edit and after it (B10)", async () => {
  const { talk, directory } = await talkInDirectory();
  const path = join(directory, "a.ts");
  const lines = numbered(100);
  await writeFile(path, lines.join("\r\n"));
  const diff = { type: "diff" as const, path, oldText: "line 41\nline 42", newText: "line 41\nforty-two" };
  const call = { toolCallId: "1", title: "Edit", kind: "edit", content: [diff] };
  await talk.send(
    script(
      { update: { sessionUpdate: "tool_call", status: "pending", ...call } },
      { ask: { id: "q", method: "session/request_permission", params: { toolCall: call, options: ONCE_OPTIONS } } },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", content: [diff] } },
      END,
    ),
  );
  expect((await talk.asked()).toolCall.parts).toEqual([{ ...diff, firstLine: 41 }]);
  await writeFile(path, ["one more", ...lines.with(41, "forty-two")].join("\r\n"));
  await talk.answerWith("once");
  await talk.untilTurnsEnded(1);
  expect(talk.tools[0]?.parts).toEqual([{ ...diff, firstLine: 42 }]);
});

test("X-7 a snippet found before its edit keeps its line when the edit removes it (B10)", async () => {
  const { talk, directory } = await talkInDirectory();
  const path = join(directory, "a.ts");
  await writeFile(path, numbered(50).join("\n"));
  const diff = { type: "diff" as const, path, oldText: "line 9\nline 10\n", newText: "" };
  const call = { toolCallId: "1", title: "Edit", kind: "edit", content: [diff] };
  await talk.send(
    script(
      { ask: { id: "q", method: "session/request_permission", params: { toolCall: call, options: ONCE_OPTIONS } } },
      { update: { sessionUpdate: "tool_call_update", status: "completed", ...call } },
      END,
    ),
  );
  await talk.asked();
  await writeFile(path, numbered(50).toSpliced(8, 2).join("\n"));
  await talk.answerWith("once");
  await talk.untilTurnsEnded(1);
  expect(talk.tools[0]?.parts).toEqual([{ ...diff, firstLine: 9 }]);
});

test("X-7 a diff whose place is not sure has no line: found twice, nowhere, or outside the session's directory (B10)", async () => {
  const { talk, directory } = await talkInDirectory();
  const path = join(directory, "a.ts");
  await writeFile(path, "same\nother\nsame\n");
  const outside = await server.directory(crypto.randomUUID());
  await writeFile(join(outside, "b.ts"), "first\nsame\n");
  await symlink(join(outside, "b.ts"), join(directory, "link.ts"));
  const same = { type: "diff" as const, oldText: "same", newText: "changed" };
  const diffs = [
    { ...same, path },
    { ...same, path, oldText: "not there" },
    { ...same, path: join(outside, "b.ts") },
    { ...same, path: join(directory, "link.ts") },
    { ...same, path: join(directory, "missing.ts") },
    { ...same, path, oldText: null },
  ];
  const call = { sessionUpdate: "tool_call", toolCallId: "1", title: "Edit", status: "pending", content: diffs };
  const again = { ...call, toolCallId: "2", content: diffs.slice(0, 1), locations: [{ path, line: 3 }] };
  await talk.say(script({ update: call }, { update: again }, END));
  expect(talk.tools[0]?.parts).toEqual(diffs);
  // The agent's own position decides between two places.
  expect(talk.tools[1]?.parts).toMatchObject([{ firstLine: 3 }]);
});

test("W-3 completed-after-cancel: a cancelled call stays cancelled when its agent reports it as completed later; its output is kept", async () => {
  const talk = await startTalk(server);
  await talk.send("scenario completed-after-cancel");
  await talk.until("the call", () => talk.tools.length === 1);
  await talk.cancel();
  await talk.until("its late output", () => talk.tools[0]?.result === "done after all");
  expect(talk.tools).toMatchObject([{ status: "cancelled" }]);
  await talk.say("stream 1 words");
  expect(talk.tools).toMatchObject([{ status: "cancelled", result: "done after all" }]);
});

test("W-12 a compaction and an unknown update: one is a line in the transcript, the other is kept and has no effect", async () => {
  const talk = await startTalk(server, "scripted");
  const compaction = { sessionUpdate: "compaction_update", compactionId: "c" };
  await talk.say(
    script(
      { update: { ...compaction, status: "in_progress" } },
      {
        update: {
          sessionUpdate: "compaction_summary_chunk",
          compactionId: "c",
          content: { type: "text", text: "short" },
        },
      },
      { update: { ...compaction, status: "completed" } },
      { update: { sessionUpdate: "from_the_future", payload: 1 } },
      chunk("On."),
      END,
    ),
  );
  expect(talk.shape).toEqual(["user", "notice", "assistant"]);
  expect(talk.entries[1]).toMatchObject({ compaction: { id: "c", status: "completed" }, details: "short" });
});

function fail(): never {
  throw new Error("there is no such entry");
}
