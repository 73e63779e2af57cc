import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ProjectId, SessionId } from "../../src/protocol/ids.ts";
import type { SessionRow } from "../../src/protocol/session-schema.ts";
import { MIGRATIONS } from "../../src/store/migrations.ts";
import { anotherTalk, startTalk } from "../integration/talk.ts";
import type { SocketClient } from "./socket-client.ts";
import { startTestServer } from "./test-server.ts";

/** Databases as the programs of each schema left them. */
export const FIXTURES = resolve(import.meta.dirname, "../schemas");
const TARGET = join(FIXTURES, `schema-${MIGRATIONS.length}.sql`);
/** The token of the server that the device in a fixture signed in to. */
export const FIXTURE_TOKEN = "token-of-the-fixtures";
/** Shadow tables of the full-text index come with it. */
const OWN_TABLES =
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT GLOB 'search_index_*'";
const STATEMENTS = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'search_index_*' AND type IN `;

/**
 * Writes what a program of this schema leaves behind as a fixture: a session with three ended turns and a draft, one in a
 * turn, an archived one, rules of every scope, and a signed-in device. The first lines say what no table has.
 */
async function keepSchema(): Promise<void> {
  await using server = await startTestServer({ env: { LIMINAL_TOKEN: FIXTURE_TOKEN } });
  const done = await startTalk(server);
  const { client, sessionId, projectId } = done;
  await done.say("stream 3 words");
  const asking = done.say("run echo hi");
  const allow = (await done.asked()).options.find(({ kind }) => kind === "allow_once");
  await done.answerWith(String(allow?.optionId));
  await asking;
  await done.say("plan");
  const attachments = [{ type: "link" as const, uri: "file:///sample/notes.md", name: "notes.md" }];
  await client.ask("ok", { type: "session:draft", sessionId, content: "a draft", attachments });
  const running = await anotherTalk(client, projectId);
  await running.send("stream 100000 words at 200/s");
  await running.untilAnswer("w3");
  const archived = await anotherTalk(client, projectId);
  await archived.say("stream 1 words");
  await client.ask("session:archived", { type: "session:archive", sessionId: archived.sessionId });
  const allowed = (command: string) => [{ effect: "allow" as const, kind: "execute" as const, command }];
  const set = { type: "policy:set" } as const;
  await client.ask("policy:state", { ...set, scope: "session", sessionId, mode: "edits", add: allowed("git status") });
  await client.ask("policy:state", { ...set, scope: "project", projectId, add: allowed("npm test") });
  const { cliType } = await sessionRowOf(client, projectId, sessionId);
  await client.ask("policy:state", { ...set, scope: "agent", cliType, mode: "ask", add: allowed("ls") });
  const signedIn = await fetch(`${server.origin}/?token=${server.token}`, { redirect: "manual" });
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0]?.split("=").slice(1).join("=") ?? "";
  const text = dump(join(server.dataDir, "liminal.db"));
  const head = `${headOf()}-- device cookie ${cookie}\n`;
  await Bun.write(TARGET, head + text.replaceAll(resolve(server.dataDir, "../work"), "/sample/projects"));
}

/** Names the migration that the fixture is of. */
function headOf(): string {
  const digest = createHash("sha256").update(MIGRATIONS.at(-1) ?? "");
  return `-- migration sha256 ${digest.digest("hex").slice(0, 16)}\n`;
}

/** Ids and times differ in every run, so a fixture of the same migration stays as it is. */
async function isKept(): Promise<boolean> {
  const fixture = Bun.file(TARGET);
  return (await fixture.exists()) && (await fixture.text()).startsWith(headOf());
}

async function sessionRowOf(client: SocketClient, projectId: ProjectId, sessionId: SessionId): Promise<SessionRow> {
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId });
  const row = sessions.find(({ id }) => id === sessionId);
  if (!row) throw new Error(`${sessionId} is not listed`);
  return row;
}

function dump(path: string): string {
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
  return `${lines.join("\n")}\n`;
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

if (import.meta.main) {
  const isSame = await isKept();
  if (!isSame) await keepSchema();
  process.stdout.write(`${TARGET}${isSame ? ": of this schema already. Delete it to write it again" : ""}\n`);
}
