import { expect, it } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliType } from "../../src/protocol/ids.ts";
import type { StorageState } from "../../src/protocol/storage.ts";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { reopen, startTalk, type Talk } from "../integration/talk.ts";
import { allowWrites, failWrites, NO_FILE_LIMIT } from "../support/file-limit.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { readRecord } from "./agent-record.ts";

const itWrites = it.skipIf(NO_FILE_LIMIT !== null);

function stateOf({
  type: _,
  requestId: _id,
  ...state
}: { type: string; requestId?: string | undefined } & StorageState) {
  return state;
}

/** Waits until the page would be told so. */
async function untilStorage({ client }: Talk, writable: boolean, mark: number): Promise<StorageState> {
  return stateOf(await client.next("storage:state", (state) => state.writable === writable, mark));
}

/** Everything it says is written down by the agent itself, outside the server's data directory. */
async function startRecorded(env: Record<string, string> = {}) {
  const server = await startTestServer({ agents: { recorded: guideWith() }, env });
  const record = join(server.home, "record");
  const agents = { recorded: { ...guideWith(), env: { LIMINAL_GUIDE_RECORD: record } } };
  await server.stop();
  await Bun.write(join(server.dataDir, "config.json"), JSON.stringify({ agents }));
  await server.start();
  return { server, record, talk: await startTalk(server, "recorded") };
}

async function historyOf(server: TestServer, talk: Talk): Promise<Talk> {
  return reopen(await server.connect(), talk);
}

itWrites(
  "X-2 W-9 when nothing can be stored, all is readable, nothing is changed, and it goes on by itself",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.say("help");
    const { answer } = talk;
    failWrites(server.pid);
    const mark = talk.client.mark();
    const { sessionId } = talk;
    const refused = await talk.client.request({ type: "session:send", sessionId, content: "lost?", commandId: "once" });
    expect(refused).toMatchObject({ type: "error", code: "STORAGE_UNWRITABLE" });
    const { message = "" } = await untilStorage(talk, false, mark);
    expect(message).toContain(server.dataDir);
    expect(message).toContain("automatically");
    for (const command of [
      { type: "session:draft", sessionId, content: "typed" },
      { type: "session:archive", sessionId },
      { type: "project:remove", projectId: talk.projectId },
    ] as const)
      expect(await talk.client.request(command)).toMatchObject({ type: "error", code: "STORAGE_UNWRITABLE" });

    const other = await historyOf(server, talk);
    expect(other.answer).toBe(answer);
    expect(other.messages).toEqual(["help"]);
    expect(other.client.all("hello")[0]?.storage).toMatchObject({ writable: false });
    expect(await talk.client.request({ type: "session:seen", sessionId, seq: talk.state.seq })).toMatchObject({
      type: "ok",
    });
    expect((await server.fetch("/healthz")).status).toBe(200);

    allowWrites(server.pid);
    expect(await untilStorage(talk, true, mark)).toEqual({ writable: true });
    // The same command: what was refused for the disk's sake was no outcome.
    await talk.client.ask("ok", { type: "session:send", sessionId, content: "help", commandId: "once" });
    await talk.untilTurnsEnded(2);
    expect(talk.messages).toEqual(["help", "help"]);
  },
);

itWrites("X-2 the first command after the end of the trouble is taken, however long it lasted", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  failWrites(server.pid);
  const send = { type: "session:send", sessionId: talk.sessionId, content: "help", commandId: "first" } as const;
  expect(await talk.client.request(send)).toMatchObject({ code: "STORAGE_UNWRITABLE" });
  allowWrites(server.pid);
  await talk.client.ask("ok", send);
  await talk.untilTurnsEnded(1);
});

for (const [how, env] of [
  ["in its holder's journal", {}],
  ["in its pipe, without a holder", { LIMINAL_HOLD_MS: "0" }],
] as const)
  itWrites(
    `X-1 X-2 what an agent says while nothing can be stored waits ${how}, and nobody sees it before`,
    async () => {
      const { server, record, talk } = await startRecorded(env);
      await using _ = server;
      await talk.send("stream 4000 words at 2000/s");
      await talk.until("the first words", () => talk.answer.length > 500);
      failWrites(server.pid);
      await untilStorage(talk, false, 0);
      const late = await historyOf(server, talk);
      // What was stored last may come to a client after the word that nothing is stored any more.
      await talk.until("what is stored", ({ seq }) => seq >= late.state.seq);
      expect([late.state.seq, late.answer]).toEqual([talk.state.seq, talk.answer]);
      allowWrites(server.pid);
      await Promise.all([talk.untilTurnsEnded(1), late.untilTurnsEnded(1)]);
      const [said] = readRecord(record);
      expect(talk.answer === said?.text).toBe(true);
      expect(late.answer === said?.text).toBe(true);
      expect(talk.state.turn.stopReason).toBe("end_turn");
    },
  );

itWrites("X-1 X-19 kill -9 while nothing can be stored: what was seen is there, and the turn goes on", async () => {
  const { server, record, talk } = await startRecorded();
  await using _ = server;
  await talk.send("stream 4000 words at 2000/s");
  await talk.until("the first words", () => talk.answer.length > 500);
  failWrites(server.pid);
  await untilStorage(talk, false, 0);
  const { answer } = await historyOf(server, talk);
  await server.kill();
  await server.start();
  const again = await historyOf(server, talk);
  expect(again.answer.startsWith(answer)).toBe(true);
  await again.untilTurnsEnded(1);
  expect(again.answer === readRecord(record)[0]?.text).toBe(true);
});

itWrites(
  "X-2 X-20 a server that can store nothing still stops cleanly; the next one has what it could not store",
  async () => {
    const { server, record, talk } = await startRecorded();
    await using _ = server;
    await talk.send("stream 100000 words at 2000/s");
    await talk.until("the first words", () => talk.answer.length > 100);
    failWrites(server.pid);
    await untilStorage(talk, false, 0);
    expect(await server.stop()).toBe(0);
    expect(server.log).toContain("Output of 1 session was not saved.");
    await server.start();
    const again = await historyOf(server, talk);
    await again.untilTurnsEnded(1);
    expect(again.answer.length).toBeGreaterThan(talk.answer.length);
    expect(again.answer === readRecord(record)[0]?.text).toBe(true);
  },
);

itWrites("X-1 X-19 words of an agent that was let go before the disk took them are there after a stop", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const goOn = join(server.home, "go-on");
  await talk.say(script(chunk("In time."), { end: "end_turn" }, { untilFile: goOn }, chunk(" After the turn.")));
  failWrites(server.pid);
  await writeFile(goOn, "");
  await untilStorage(talk, false, 0);
  // Its session is told twice that it is gone: when it is let go, and when it has ended.
  await talk.client.ask("agent:status", {
    type: "session:reconnect",
    cliType: CliType.parse("scripted"),
    restart: true,
  });
  expect(await server.stop()).toBe(0);
  await server.start();
  const again = await historyOf(server, talk);
  await again.untilAnswer("In time. After the turn.");
  expect(again.answer).toBe("In time. After the turn.");
});
