import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { anotherTalk, startTalk } from "../integration/talk.ts";
import { startTestServer } from "./test-server.ts";

const FIXTURES = resolve(import.meta.dirname, "../schemas");
/** Shadow tables of the full-text index come with it. */
const OWN_TABLES =
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT GLOB 'search_index_*'";
const STATEMENTS = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'search_index_*' AND type IN `;

/** Writes what a program of this schema leaves behind as a fixture: one session with three ended turns and a draft, one in a turn. */
async function keepSchema(): Promise<string> {
  await using server = await startTestServer();
  const done = await startTalk(server);
  await done.say("stream 3 words");
  const asking = done.say("run echo hi");
  const allow = (await done.asked()).options.find(({ kind }) => kind === "allow_once");
  await done.answerWith(String(allow?.optionId));
  await asking;
  await done.say("plan");
  await done.client.ask("ok", { type: "session:draft", sessionId: done.sessionId, content: "a draft" });
  const running = await anotherTalk(done.client, done.projectId);
  await running.send("stream 100000 words at 200/s");
  await running.untilAnswer("w3");
  const path = join(server.dataDir, "liminal.db");
  const { text, version } = dump(path);
  const target = join(FIXTURES, `schema-${version}.sql`);
  await Bun.write(target, text.replaceAll(resolve(server.dataDir, "../work"), "/sample/projects"));
  return target;
}

function dump(path: string): { text: string; version: number } {
  using db = new DatabaseSync(path, { readOnly: true });
  db.exec("BEGIN");
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const made = (types: string) => db.prepare(`${STATEMENTS} (${types}) ORDER BY rowid`).all();
  const lines = [
    ...made("'table'").map(({ sql }) => `${sql};`),
    ...made("'index'").map(({ sql }) => `${sql};`),
    ...db
      .prepare(OWN_TABLES)
      .all()
      .flatMap(({ name }) => rowsOf(db, String(name))),
    // Last: the rows that they would add are there already.
    ...made("'trigger'").map(({ sql }) => `${sql};`),
    `PRAGMA user_version = ${version};`,
  ];
  return { text: `${lines.join("\n")}\n`, version };
}

function rowsOf(db: DatabaseSync, table: string): string[] {
  const columns = db
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => String(name));
  const names = table === "search_index" ? ["rowid", ...columns] : columns;
  const values = names.map((name) => `quote(${name})`).join(" || ', ' || ");
  return db
    .prepare(`SELECT ${values} AS row FROM ${table}`)
    .all()
    .map(({ row }) => `INSERT INTO ${table} (${names.join(", ")}) VALUES (${row});`);
}

process.stdout.write(`${await keepSchema()}\n`);
