import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { liminalJson } from "../cli/liminal.ts";
import { reopen, startTalk } from "../integration/talk.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { guideWith, startTestServer, TestServer } from "../support/test-server.ts";
import { readRecord } from "./agent-record.ts";

let database: PostgresServer;

/** A server on a database of its own, with an agent that records its output. */
async function startRecorded() {
  const url = await database.createDatabase();
  const record = join(process.env["TMPDIR"] ?? "/tmp", `record-${crypto.randomUUID()}`);
  const agents = { recorded: { ...guideWith(), env: { LIMINAL_GUIDE_RECORD: record } } };
  const server = await startTestServer({ agents, env: { LIMINAL_DATABASE_URL: url } });
  return { url, record, server, talk: await startTalk(server, "recorded") };
}

async function startInVain(url: string) {
  await using server = await TestServer.prepare({ env: { LIMINAL_DATABASE_URL: url } });
  return await server.startInVain();
}

describe.skipIf(!CAN_RUN_POSTGRES)(`a server on ${POSTGRES}`, () => {
  beforeAll(async () => {
    database = await PostgresServer.start();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("[SC-2] has all that was said after it was stopped, and after kill -9 in the middle of a turn", async () => {
    const { server, talk, record } = await startRecorded();
    await using _ = server;
    await talk.say("stream 50 words");
    await server.stop();
    await server.start();
    const again = await reopen(await server.connect(), talk);
    expect(again.entries).toEqual(talk.entries);
    await again.send("stream 4000 words at 2000/s");
    await again.until("the second answer", () => again.answer.length > talk.answer.length + 500);
    await server.kill();
    await server.start();
    const last = await reopen(await server.connect(), talk);
    await last.untilTurnsEnded(2);
    expect(
      last.answer ===
        readRecord(record)
          .map(({ text }) => text)
          .join(""),
    ).toBe(true);
    expect(existsSync(join(server.dataDir, "liminal.db"))).toBe(false);
    expect(server.log).not.toContain(" error ");
  });

  it("answers every command that has an id, to whoever follows the session and to whoever does not", async () => {
    const { server, talk } = await startRecorded();
    await using _ = server;
    const { sessionId } = talk;
    const other = await server.connect();
    await talk.send("run echo there");
    const { permissionId } = await talk.asked();
    const permitted = { type: "permission:respond", sessionId, permissionId, optionId: "allow-once" } as const;
    await talk.client.ask("permission:resolved", { ...permitted, commandId: "permitted" });
    await talk.client.ask("permission:resolved", { ...permitted, commandId: "permitted" });
    const mode = { type: "policy:set", scope: "session", sessionId, mode: "all" } as const;
    for (const [nth, client] of [talk.client, other].entries()) {
      await client.ask("policy:state", { ...mode, commandId: `mode-${nth}` });
      const title = `title ${nth}`;
      await client.ask("session:title-updated", { type: "session:rename", sessionId, title, commandId: title });
    }
    await talk.untilTurnsEnded(1);
  });

  it("is read-only while its database is away, tells so, and goes on by itself without a word lost", async () => {
    const { server, talk, record } = await startRecorded();
    await using _ = server;
    await talk.send("stream 8000 words at 2000/s");
    await talk.until("the first words", () => talk.answer.length > 500);
    const mark = talk.client.mark();
    await database.kill();
    const state = await talk.client.next("storage:state", ({ writable }) => !writable, mark);
    expect(state.message).toContain("The database does not answer");
    const refused = await talk.client.request({ type: "session:archive", sessionId: talk.sessionId });
    expect(refused).toMatchObject({ type: "error", code: "STORAGE_UNWRITABLE" });
    await database.resume();
    await talk.client.next("storage:state", ({ writable }) => writable, mark);
    await talk.untilTurnsEnded(1);
    expect(talk.answer === readRecord(record)[0]?.text).toBe(true);
    const other = await reopen(await server.connect(), talk);
    expect(other.entries).toEqual(talk.entries);
  });

  it("stops cleanly while its database is away, and the next one goes on", async () => {
    const { server, talk, record } = await startRecorded();
    await using _ = server;
    await talk.send("stream 8000 words at 2000/s");
    await talk.until("the first words", () => talk.answer.length > 500);
    const mark = talk.client.mark();
    await database.kill();
    await talk.client.next("storage:state", ({ writable }) => !writable, mark);
    expect(await server.detach()).toBe(0);
    await database.resume();
    await server.start();
    const again = await reopen(await server.connect(), talk);
    await again.untilTurnsEnded(1);
    expect(again.answer === readRecord(record)[0]?.text).toBe(true);
  });

  it("[SC-4] [SC-42] a URL that cannot be used stops the start with one line that says what to do, without the password", async () => {
    const inVain = [
      ["liminal", "must look like postgres://user:password@host:5432/database"],
      ["postgres://me:pass-word@db.example.com/liminal?sslmode=disable", "sslmode=verify-full"],
      ["postgres://me:pass-word@127.0.0.1:1/liminal", "Check that it runs"],
    ] as const;
    for (const [url, words] of inVain) {
      const { code, stdout, stderr } = await startInVain(url);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(words);
      expect(stderr).toContain("LIMINAL_DATABASE_URL");
      expect(stderr).not.toContain("pass-word");
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
  });

  it("a second server on the same database is refused in one line, and does not disturb the first", async () => {
    const { server, talk, url } = await startRecorded();
    await using _ = server;
    const { code, stderr } = await startInVain(url);
    expect(code).toBe(1);
    expect(stderr).toContain(`process ${server.pid}`);
    expect(stderr).toContain("one server uses a database at a time");
    await talk.say("stream 2 words");
  });

  it("doctor says what it finds: a fresh database, who works with it, one that is not there", async () => {
    const doctor = async (server: TestServer, env = {}) => {
      const { value } = await liminalJson(server, ["doctor", "--no-agents"], { env });
      return z.object({ checks: z.array(z.unknown()) }).parse(value).checks;
    };
    const url = await database.createDatabase();
    await using fresh = await TestServer.prepare();
    const asked = (LIMINAL_DATABASE_URL: string) => doctor(fresh, { LIMINAL_DATABASE_URL });
    const finding = (status: string, message: string) =>
      expect.arrayContaining([
        expect.objectContaining({ id: "database", status, message: expect.stringContaining(message) }),
      ]);
    expect(await asked(url)).toEqual(finding("note", "the first start makes the tables"));
    expect(await asked("postgres://me:pass-word@127.0.0.1:1/liminal")).toEqual(finding("problem", "cannot be used"));
    expect(JSON.stringify(await asked("postgres://me:pass-word@127.0.0.1:1/liminal"))).not.toContain("pass-word");
    await using server = await startTestServer({ env: { LIMINAL_DATABASE_URL: url } });
    expect(await asked(url)).toEqual(finding("ok", `process ${server.pid}) works with it`));
    await server.stop();
    expect(await asked(url)).toEqual(finding("ok", "No server works with it now"));
  });

  it("[SC-7] a server whose database was taken over stores nothing more, and stops by itself", async () => {
    const { server, talk, url } = await startRecorded();
    await using _ = server;
    await talk.say("stream 2 words");
    await database.ask(new URL(url).pathname.slice(1), "UPDATE owner SET epoch = epoch + 1, name = NULL");
    expect(await server.ended()).toBe(0);
    expect(server.log).toContain("Another server has taken over the database");
    await server.start();
    expect((await reopen(await server.connect(), talk)).entries).toEqual(talk.entries);
  });
});
