import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { moveFromPostgres, moveToPostgres } from "../../src/operations/move-data.ts";
import { SessionId } from "../../src/protocol/ids.ts";
import { SnippetId } from "../../src/protocol/snippets.ts";
import { openDatabase } from "../../src/store/database/open-database.ts";
import { differingSessions } from "../../src/store/move/compare-sessions.ts";
import { differingTables } from "../../src/store/move/move-tables.ts";
import { MOVED_TABLES } from "../../src/store/move/moved-tables.ts";
import { PostgresTables } from "../../src/store/move/postgres-tables.ts";
import { SqliteTables } from "../../src/store/move/sqlite-tables.ts";
import { connectionSettings } from "../../src/store/postgres/connection-settings.ts";
import { PostgresDatabase } from "../../src/store/postgres/database.ts";
import { PostgresSessionLog } from "../../src/store/postgres/session-log.ts";
import { PostgresTransferStore } from "../../src/store/postgres/transfer-store.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { SqliteSnippetStore } from "../../src/store/sqlite-snippet-store.ts";
import { SqliteTransferStore } from "../../src/store/sqlite-transfer-store.ts";
import { LogWriter, running, update } from "../core/log-writer.ts";
import { entryId, NOW, PROJECT, permissionId, SESSION, sessionRow, turnId } from "../core/names.ts";
import { assistantEntry, toolEntry, userEntry } from "../core/some-entries.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

const ODD = "zero \0, one \u0001, half a pair \ud83d, quotes '\"\\, {curly}, NULL, “ü” 🎉\r\n\t";
const LONG = "line\n".repeat(100_000);
const RUNNING = SessionId.parse("builtin:running");
const BRANCH = SessionId.parse("builtin:branch");

/** Data that no program writes in so short a time: at least one row of every table. */
const ROWS = `
INSERT INTO project VALUES ('${PROJECT}', '/work', 'work', '${NOW}', 1, 0, 'worktree');
INSERT INTO project VALUES ('gone', '/gone', 'gone', '${NOW}', 2, 1, NULL);
`;
const MORE_ROWS = `
INSERT INTO draft_attachments SELECT key, '[]' FROM session LIMIT 1;
INSERT INTO policy_mode VALUES ('agent', 'builtin', 'edits');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (7, 'b', 'agent', 'builtin', '{}'), (9, 'a', 'agent', 'builtin', '{}');
INSERT INTO turn_usage VALUES ('a', 'b', 'c', 'd', NULL, '${NOW}', 9007199254740991, 0.1, 'USD'), ('a', 'c', 'c', 'd', 'me', '${NOW}', 3, 1e-9, NULL);
INSERT INTO forgotten_session VALUES ('builtin', 'long ago');
INSERT INTO agent_session SELECT 'builtin', 'an earlier one', key FROM session LIMIT 1;
INSERT INTO imported_file SELECT '${PROJECT}', 'digest', key FROM session LIMIT 1;
INSERT INTO agent_choice VALUES ('builtin', 'model', '"large"'), ('builtin', 'fast', 'true');
INSERT INTO agent_process VALUES ('builtin', 'shared');
INSERT INTO agent_limits VALUES ('builtin', '{"windows":[]}');
INSERT INTO model_favourite VALUES ('builtin', 'large');
INSERT INTO tool_choice VALUES ('${PROJECT}', 'web', 1);
INSERT INTO person VALUES ('ann', 'Ann', 'member', 1, '${NOW}', 'issuer subject', 'ann@example.org'), ('ben', 'Ben', 'owner', 0, '${NOW}', NULL, NULL);
INSERT INTO person_role VALUES ('ann', '${PROJECT}', 'viewer');
INSERT INTO device VALUES ('phone', 'hash', 'mark', 'Phone', '${NOW}', '${NOW}', 0, 'ann');
INSERT INTO push_subscription VALUES ('https://push.example/a', 'phone', 'key', 'auth', '${NOW}');
INSERT INTO api_token VALUES ('t', 'hash', 'mark', 'CI', 'read', NULL, '${NOW}', NULL, 'ann');
INSERT INTO hook VALUES ('build', 'hash', '{}');
INSERT INTO schedule VALUES ('nightly', '${PROJECT}', '{}', 1, '${NOW}', '${NOW}');
INSERT INTO schedule_run VALUES ('nightly', '${NOW}', NULL, 'refused', 'no', '${NOW}', '${NOW}', NULL);
INSERT INTO notice VALUES ('${SESSION}', 'phone', 3, 'sent', 1, '${NOW}', NULL);
`;

/** A data directory with something of everything, also what a server left in the middle of a turn. */
async function writeData(dir: TempDir): Promise<string> {
  const dataDir = dir.join("data");
  await Bun.write(dir.join("data", "token"), "a token that nobody can guess\n");
  const { db } = openDatabase(dir.join("data", "liminal.db"), "stamp");
  db.exec(ROWS);
  const log = new SqliteSessionLog(db);
  const binding = { agentSessionId: "one", createdAt: NOW, cwd: "/work", state: "idle", since: NOW } as const;
  await log.create({ ...sessionRow(), title: ODD }, binding, { commandId: "create", answer: ODD, at: NOW });
  const writer = new LogWriter(() => log);
  await writer.writeTurn(
    userEntry("u", { turnId: turnId("t"), content: ODD }),
    toolEntry("c", { status: "complete", result: "short", parentToolCallId: "above" }),
    assistantEntry("a", { turnId: turnId("t") }),
  );
  await writer.write([], {
    outputs: [{ entryId: entryId("c"), part: null, start: 0, text: LONG }],
    packs: [{ entryId: null, content: ODD }],
    receipt: { commandId: ODD, answer: "{}", at: NOW },
  });
  await writer.fill(4_200);
  await writer.writeTurn(userEntry("late", { steered: true }));
  await log.drafts.save(SESSION, ODD);
  const budget = { turns: 3, cost: 0.1 };
  const delegation = { parentId: SESSION, rootId: SESSION, depth: 1, budget };
  await log.create(sessionRow(RUNNING), { ...binding, agentSessionId: "two" }, null, delegation);
  const toolCall = { toolCallId: "x", name: "Tool" };
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  await new LogWriter(() => log, RUNNING).write([
    running("r"),
    update(userEntry("open", { content: ODD })),
    { type: "permission:request", permissionId: permissionId("p"), toolCall, options, askedAt: NOW },
  ]);
  const origin = { kind: "branch", sessionId: SESSION, entryId: entryId("a"), how: "primed" } as const;
  await log.create({ ...sessionRow(BRANCH), origin }, { ...binding, agentSessionId: "three" }, null);
  await log.delete(BRANCH, null);
  await log.create({ ...sessionRow(BRANCH), origin }, { ...binding, agentSessionId: "four" }, null);
  await new SqliteSnippetStore(db).put({ id: SnippetId.parse("s"), name: ODD, body: ODD, updatedAt: NOW });
  db.exec(MORE_ROWS);
  log.flush();
  db.close();
  return dataDir;
}

function read<Result>(path: string, look: (db: DatabaseSync) => Result): Result {
  const { db } = openDatabase(path, "stamp");
  try {
    return look(db);
  } finally {
    db.close();
  }
}

const digestOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

describe.skipIf(!CAN_RUN_POSTGRES)(`moving between SQLite and ${POSTGRES}`, () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  it("SC-3 there and back leaves every row of every table, and changes the original never", async () => {
    await using dir = await tempDir();
    const dataDir = await writeData(dir);
    const database = dir.join("data", "liminal.db");
    const [before, url] = [digestOf(database), await postgres.createDatabase()];
    const moved = { projects: 2, sessions: 3, entries: 4, receipts: 2 };
    expect(await moveToPostgres({ dataDir, url })).toEqual(moved);
    expect(digestOf(database)).toBe(before);
    const back = dir.join("back");
    expect(await moveFromPostgres({ dataDir: back, url })).toEqual(moved);
    // And again from there: what was moved back is a source like any other.
    expect(await moveToPostgres({ dataDir: back, url: await postgres.createDatabase() })).toEqual(moved);
    const { db: one } = openDatabase(database, "stamp");
    const { db: other } = openDatabase(`${back}/liminal.db`, "stamp");
    expect(await differingTables(new SqliteTables(one), new SqliteTables(other))).toEqual([]);
    for (const { name } of MOVED_TABLES) expect(one.prepare(`SELECT 1 FROM ${name}`).get(), name).toBeDefined();
    const log = new SqliteSessionLog(other);
    expect([await log.receipt("create"), await log.receipt(ODD)]).toEqual([ODD.toWellFormed(), "{}"]);
    expect((await log.drafts.read(SESSION)).content).toBe(ODD.toWellFormed());
    one.close();
    other.close();
  });

  it("SC-3 one changed character of a copy is found, in its row and in its session", async () => {
    await using dir = await tempDir();
    const url = await postgres.createDatabase();
    await moveToPostgres({ dataDir: await writeData(dir), url });
    const target = new PostgresDatabase(connectionSettings(url));
    const { db } = openDatabase(dir.join("data", "liminal.db"), "stamp");
    const differences = async () => {
      const tables = await target.transaction((tx) => differingTables(new SqliteTables(db), new PostgresTables(tx)));
      const [log, other] = [new SqliteSessionLog(db), new PostgresSessionLog(target, 0)];
      const one = { log, transfers: new SqliteTransferStore(db, log) };
      const two = { log: other, transfers: new PostgresTransferStore(target, other) };
      const sessions = await differingSessions([SESSION, RUNNING, BRANCH], one, two);
      await other.close();
      return [tables, sessions];
    };
    expect(await differences()).toEqual([[], []]);
    for (const [table, of, sessions] of [
      ["entry", "json", [SESSION]],
      ["fact", "json", [RUNNING]],
      ["receipt", "answer", []],
    ] as const) {
      await target.run(`UPDATE ${table} SET ${of} = replace(${of}, 'half a pair', 'half a pear')`);
      const found = await differences();
      expect(found).toEqual([[table], [...sessions]]);
      await target.run(`UPDATE ${table} SET ${of} = replace(${of}, 'half a pear', 'half a pair')`);
    }
    await target.run("DELETE FROM permission_record");
    expect(await differences()).toEqual([["permission_record"], []]);
    db.close();
    await target.close();
  });

  it("SC-3 a target with data is refused, and neither side is changed; nor is one whose address is wrong", async () => {
    await using dir = await tempDir();
    const dataDir = await writeData(dir);
    const url = await postgres.createDatabase();
    const refused = async (
      work: (request: Parameters<typeof moveToPostgres>[0]) => Promise<unknown>,
      request: Parameters<typeof moveToPostgres>[0],
    ) => await expect(work(request)).rejects.toThrow(/\w+ .*\./);
    await moveToPostgres({ dataDir, url });
    const before = digestOf(`${dataDir}/liminal.db`);
    await expect(moveToPostgres({ dataDir, url })).rejects.toThrow("The database has data already");
    await expect(moveFromPostgres({ dataDir, url })).rejects.toThrow("is there already");
    expect(digestOf(`${dataDir}/liminal.db`)).toBe(before);
    await refused(moveToPostgres, { dataDir, url: "postgres://somebody@localhost:1/nothing" });
    await refused(moveToPostgres, { dataDir, url: "https://example.com" });
    await refused(moveToPostgres, { dataDir: dir.join("empty"), url: await postgres.createDatabase() });
    const nothing = dir.join("nothing");
    await refused(moveFromPostgres, { dataDir: nothing, url: await postgres.createDatabase() });
    expect([existsSync(`${nothing}/liminal.db`), existsSync(`${dataDir}/moving`)]).toEqual([false, false]);
    const back = dir.join("back");
    await moveFromPostgres({ dataDir: back, url });
    expect(read(`${back}/liminal.db`, (db) => db.prepare("SELECT count(*) AS n FROM session").get()?.["n"])).toBe(3);
  });
});
