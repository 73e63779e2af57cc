import { expect, it } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { LogWriter } from "../../tests/core/log-writer.ts";
import { NOW, PROJECT, permissionId, SESSION } from "../../tests/core/names.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { PolicyRule } from "../protocol/permission-policy.ts";
import { openDatabase } from "./database/open-database.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./migrations.ts";
import { SqliteSessionLog } from "./session-log/sqlite-session-log.ts";
import { SqlitePolicyStore } from "./sqlite-policy-store.ts";
import { SqliteProjectStore } from "./sqlite-project-store.ts";

const RULE: PolicyRule = { id: "r1", createdAt: NOW, effect: "allow", command: "npm test" };
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

it("a database of the first version gets the tables of the policy, keeps all its data, and works", async () => {
  await using dir = await tempDir();
  const path = dir.join("first.db");
  const first = new DatabaseSync(path);
  first.exec(`${MIGRATIONS[0]} PRAGMA user_version = 1;`);
  first
    .prepare("INSERT INTO project (id, path, name, added_at, position) VALUES (?, '/work', 'work', ?, 1)")
    .run(PROJECT, NOW);
  first
    .prepare(
      `INSERT INTO session (id, project_id, cli_type, title, created_at, last_active_at, turn, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at)
       VALUES (?, ?, 'builtin', 'Old', ?, ?, '{"state":"idle"}', 'a', ?, '/work', 'idle', ?)`,
    )
    .run(SESSION, PROJECT, NOW, NOW, NOW, NOW);
  first.close();
  const { db, movedAside } = openDatabase(path, "stamp");
  expect([movedAside, db.prepare("PRAGMA user_version").get()?.["user_version"]]).toEqual([null, SCHEMA_VERSION]);
  expect(await new SqliteProjectStore(db).list()).toHaveLength(1);
  const log = new SqliteSessionLog(db);
  expect((await log.row(SESSION))?.title).toBe("Old");
  await new LogWriter(() => log).write([
    {
      type: "permission:request",
      permissionId: permissionId("p"),
      toolCall: { toolCallId: "t", name: "Tool" },
      options: OPTIONS,
      askedAt: NOW,
    },
  ]);
  const store = new SqlitePolicyStore(db);
  await store.write({ scope: "session", id: SESSION }, { mode: "all", rules: [RULE] });
  expect(await store.read({ scope: "session", id: SESSION })).toEqual({ mode: "all", rules: [RULE] });
  expect(await store.records({ onlyAutomatic: false, limit: 9 })).toHaveLength(1);
  db.close();
});
