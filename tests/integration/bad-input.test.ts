import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { FRAME_BYTES_MAX, PATH_CHARS_MAX, PROMPT_CHARS_MAX } from "../../src/protocol/limits.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { startTalk } from "./talk.ts";

const TINY_FRAMES = 10_000;
const FUZZ_FRAMES_FULL = 20_000;

/** Everything that is stored, as one text. */
function contentsOf(server: TestServer): string {
  using db = new Database(join(server.dataDir, "liminal.db"), { readonly: true });
  const tables = db
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all();
  return JSON.stringify(tables.map(({ name }) => [name, db.query(`SELECT * FROM "${name}"`).all()]));
}

/** From no JSON at all to one wrong field. */
function framesThatAreNoMessages(sessionId: string): readonly string[] {
  return [
    "",
    " ",
    "{",
    "}",
    "[",
    "nonsense",
    "null",
    "true",
    "0",
    "-1e999",
    '"text"',
    "[]",
    "[1,2]",
    "{}",
    '{"type":null}',
    '{"type":1}',
    '{"type":"x"}',
    '{"type":"__proto__"}',
    '{"type":"constructor"}',
    '{"type":"toString"}',
    '{"type":["session:send"]}',
    '{"type":{"x":1}}',
    '{"type":"session:send"}',
    '{"type":"session:send","sessionId":1,"content":"x"}',
    '{"type":"session:send","sessionId":"","content":"x"}',
    '{"type":"session:send","sessionId":"no-colon","content":"x"}',
    '{"type":"session:send","sessionId":":x","content":"x"}',
    '{"type":"session:send","sessionId":"UPPER:x","content":"x"}',
    `{"type":"session:send","sessionId":"${sessionId}","content":null}`,
    `{"type":"session:send","sessionId":"${sessionId}","content":{"toString":"x"}}`,
    `{"type":"session:send","sessionId":"${sessionId}","content":"x","attachments":{}}`,
    `{"type":"session:send","sessionId":"${sessionId}","content":"x","attachments":[{"type":"image"}]}`,
    `{"type":"session:send","sessionId":"${sessionId}","content":"${"x".repeat(PROMPT_CHARS_MAX + 1)}"}`,
    `{"type":"session:queue-edit","sessionId":"${sessionId}","items":"x"}`,
    `{"type":"session:open","sessionId":"${sessionId}","after":"1"}`,
    `{"type":"session:open","sessionId":"${sessionId}","after":1.5}`,
    `{"type":"session:open","sessionId":"${sessionId}","after":9007199254740993}`,
    '{"type":"project:add"}',
    '{"type":"project:add","path":""}',
    `{"type":"project:add","path":"/${"x".repeat(PATH_CHARS_MAX)}"}`,
    '{"type":"project:add","path":["/"]}',
    '{"type":"session:create","projectId":"x","cliType":"../../bin/sh"}',
    '{"type":"session:create","projectId":"x","cliType":"A"}',
    '{"type":"project:list","requestId":""}',
    '{"type":"project:list","requestId":7}',
    `{"type":"project:list","requestId":"${"r".repeat(201)}"}`,
    "\u0000",
    "\ufeff{}",
    '{"type":"project:list",}',
    "{'type':'project:list'}",
    '{"type":"project:list"} trailing',
  ];
}

async function errorTo(client: SocketClient, frame: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const mark = client.mark();
  client.sendRaw(frame);
  return (await client.next("error", () => true, mark)).code;
}

test("frames that are no messages are each answered INVALID_MESSAGE, change nothing and disturb no other client", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 2 words");
  const client = await server.connect();
  const before = contentsOf(server);
  const { sessionId } = talk;
  for (const frame of framesThatAreNoMessages(sessionId))
    expect({ frame: frame.slice(0, 80), code: await errorTo(client, frame) }).toEqual({
      frame: frame.slice(0, 80),
      code: "INVALID_MESSAGE",
    });
  expect(contentsOf(server)).toBe(before);
  expect(client.isOpen).toBe(true);
  await talk.say("stream 1 words");
});

test("an answer to what does not validate carries the requestId where one can be read, and names the field", async () => {
  await using server = await startTestServer();
  const { client, sessionId } = await startTalk(server);
  const answered = async (message: object) => {
    const mark = client.mark();
    client.sendRaw(JSON.stringify(message));
    return client.next("error", () => true, mark);
  };
  const wrong = await answered({ type: "session:rename", requestId: "mine", sessionId, title: 7 });
  expect(wrong).toMatchObject({
    requestId: "mine",
    sessionId,
    code: "INVALID_MESSAGE",
    message: "Invalid request payload.",
  });
  expect(wrong.details).toContain("title");
  expect((await answered({ requestId: "again" })).requestId).toBe("again");
  expect((await answered({ type: "project:list", requestId: 3 })).requestId).toBeUndefined();
  for (const { message, details } of client.all("error"))
    expect(`${message}${details}`).not.toMatch(/\bat .*\.ts|node_modules/);
});

test("binary frames are refused, also when they spell a message", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 1 words");
  const { client } = talk;
  const before = contentsOf(server);
  const path = await server.directory("binary");
  const spelt = new TextEncoder().encode(JSON.stringify({ type: "project:add", path, requestId: "binary" }));
  const junk = Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7) % 256);
  for (const frame of [spelt, junk, new Uint8Array()]) expect(await errorTo(client, frame)).toBe("INVALID_MESSAGE");
  expect(contentsOf(server)).toBe(before);
});

test("__proto__ and constructor keys are data like any other and pollute nothing", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId, projectId } = talk;
  const evil =
    '"__proto__":{"type":"project:list","polluted":true,"requestId":"p"},"constructor":{"prototype":{"polluted":true}}';
  expect(await errorTo(client, `{${evil}}`)).toBe("INVALID_MESSAGE");
  client.sendRaw(`{"type":"session:rename","sessionId":"${sessionId}","title":"Calm",${evil}}`);
  await talk.until("the rename", ({ title }) => title === "Calm");
  client.sendRaw(`{"type":"session:create","projectId":"${projectId}","cliType":"builtin","options":{${evil}}}`);
  await client.next("session:created", (message) => message.sessionId !== sessionId, 0);
  const { projects } = await client.ask("project:list", { type: "project:list" });
  expect(Object.keys(projects[0] ?? {}).toSorted()).toEqual(["addedAt", "id", "name", "path"]);
  expect(await errorTo(client, '{"type":"session:create","projectId":"__proto__","cliType":"constructor"}')).toBe(
    "PROJECT_NOT_FOUND",
  );
});

test("JSON nested without end is refused, and the server keeps running", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, projectId, sessionId } = talk;
  await talk.say("stream 1 words");
  const before = contentsOf(server);
  const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  for (const depth of [1_000, 100_000, 2_000_000]) {
    for (const nested of [deep(depth), objects(depth)]) {
      expect(await errorTo(client, nested)).toBe("INVALID_MESSAGE");
      const part = `{"type":"unknown","raw":${nested}}`;
      const send = `{"type":"session:send","sessionId":"builtin:none","content":"x","attachments":[${part}]}`;
      expect(["INVALID_MESSAGE", "SESSION_NOT_FOUND"]).toContain(await errorTo(client, send));
      const create = `{"type":"session:create","projectId":"none","cliType":"builtin","options":{"x":${nested}}}`;
      expect(["INVALID_MESSAGE", "PROJECT_NOT_FOUND"]).toContain(await errorTo(client, create));
      const unknown = `{"type":"session:send","sessionId":"${sessionId}","x":${nested}}`;
      expect(await errorTo(client, unknown)).toBe("INVALID_MESSAGE");
    }
  }
  expect(contentsOf(server)).toBe(before);
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId });
  expect(sessions).toHaveLength(1);
  await talk.say("stream 1 words");
});

test("a frame over the limit gets LIMIT_EXCEEDED by name and value, measured in bytes; a monstrous one ends its connection alone", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 1 words");
  const client = await server.connect();
  const before = contentsOf(server);
  for (const filler of ["x", "€"]) {
    const count = Math.ceil(FRAME_BYTES_MAX / Buffer.byteLength(filler)) + 1;
    const mark = client.mark();
    client.sendRaw(JSON.stringify({ type: "project:list", requestId: "big", padding: filler.repeat(count) }));
    const refused = await client.next("error", () => true, mark);
    expect(refused).toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining(String(FRAME_BYTES_MAX)),
    });
  }
  expect(client.isOpen).toBe(true);
  const huge = await server.connect();
  huge.sendRaw("x".repeat(3 * FRAME_BYTES_MAX));
  expect(await huge.untilClosed()).not.toBe("");
  expect(contentsOf(server)).toBe(before);
  await talk.say("stream 1 words");
});

test("ten thousand tiny frames are each answered, in order, while another client continues undisturbed", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const client = await server.connect();
  const turn = talk.say("stream 40 words at 100/s");
  for (let index = 0; index < TINY_FRAMES; index += 1) client.sendRaw(JSON.stringify({ requestId: `tiny-${index}` }));
  await client.next("error", ({ requestId }) => requestId === `tiny-${TINY_FRAMES - 1}`, 0);
  const ids = client.all("error").map(({ requestId }) => requestId);
  expect(ids).toEqual(Array.from({ length: TINY_FRAMES }, (_, index) => `tiny-${index}`));
  await turn;
  expect(talk.answer.split(" ")).toHaveLength(40);
});

test("random damage to valid messages never breaks the server and never changes the transcript", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId, projectId } = talk;
  await talk.say("stream 2 words");
  const random = seededRandom("damaged frames");
  const seeds = [
    { type: "session:open", sessionId, after: 0, limit: 5 },
    { type: "session:page", sessionId, before: talk.entries[0]?.entryId, limit: 2 },
    { type: "session:list", projectId, includeArchived: true },
    { type: "session:rename", sessionId, title: "Title" },
    { type: "session:queue-edit", sessionId, items: [{ commandId: "x", content: "y" }] },
    { type: "permission:respond", sessionId, permissionId: "p", optionId: "o" },
    { type: "project:remove", projectId: "none" },
    { type: "session:draft", sessionId, content: "d" },
  ].map((message) => JSON.stringify({ requestId: "fuzz", ...message }));
  // Not one of the server's clients: the ids in its damaged frames are random, so its own checks would be meaningless.
  using attacker = await SocketClient.connect({ url: `ws://127.0.0.1:${server.port}/ws?token=${server.token}` });
  const spices = [
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "-",
    "e",
    "null",
    "\u0000",
    "\ud800",
    "😀",
    "__proto__",
    "1e400",
    "\\ud800",
    "\\u0000",
  ];
  for (let count = roundsOf(FUZZ_FRAMES_FULL); count > 0; count -= 1) {
    let frame = random.pick(seeds);
    for (let edits = random.between(1, 4); edits > 0; edits -= 1) {
      const at = random.between(0, frame.length);
      frame =
        frame.slice(0, at) +
        (random.between(0, 2) === 0 ? "" : random.pick(spices)) +
        frame.slice(at + random.between(0, 3));
    }
    attacker.sendRaw(frame);
  }
  const mark = attacker.mark();
  attacker.sendRaw(JSON.stringify({ type: "agent:list", requestId: "the last" }));
  await attacker.next("agent:list", () => true, mark);
  expect(attacker.violations.filter((each) => each.startsWith("no message"))).toEqual([]);
  expect(attacker.all("error").filter(({ code }) => code === "INTERNAL_ERROR")).toEqual([]);
  expect((await client.ask("session:history", { type: "session:open", sessionId })).entries).toEqual(talk.entries);
  await talk.say("stream 1 words");
});
