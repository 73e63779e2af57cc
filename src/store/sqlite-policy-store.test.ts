import { describe, expect, it } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { LogWriter } from "../../tests/core/log-writer.ts";
import { BUILTIN, NOW, PROJECT, permissionId, SESSION } from "../../tests/core/names.ts";
import { BINDING, openStore, sessionRow } from "../../tests/core/open-store.ts";
import { assistantEntry } from "../../tests/core/some-entries.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { PolicyRule } from "../protocol/permission-policy.ts";
import { openDatabase } from "./database/open-database.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./migrations.ts";
import { SqliteSessionLog } from "./session-log/sqlite-session-log.ts";
import { SqlitePolicyStore } from "./sqlite-policy-store.ts";
import { SqliteProjectStore } from "./sqlite-project-store.ts";

const RULE: PolicyRule = { id: "r1", createdAt: NOW, effect: "allow", command: "npm test" };
const OTHER: PolicyRule = { id: "r2", createdAt: NOW, effect: "deny", path: "secrets/**", expiresAt: NOW };
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

async function scene() {
  const store = await openStore();
  await store.log.create(sessionRow(), BINDING, null);
  const writer = new LogWriter(() => store.log);
  const ask = async (id: string, input: object) =>
    await writer.write([
      {
        type: "permission:request",
        permissionId: permissionId(id),
        toolCall: { toolCallId: id, name: id, input: JSON.parse(JSON.stringify(input)) },
        options: OPTIONS,
        askedAt: NOW,
      },
    ]);
  const all = { onlyAutomatic: false, limit: 99 };
  return { store, writer, ask, all, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

describe("SqlitePolicyStore", () => {
  it("X-4 keeps mode and rules by session, project and agent, in their order, over a restart", async () => {
    await using at = await scene();
    const session = { scope: "session", id: SESSION } as const;
    const agent = { scope: "agent", id: SESSION } as const;
    await at.store.policies.write(session, { mode: "edits", rules: [OTHER, RULE] });
    await at.store.policies.write(agent, { mode: null, rules: [{ ...RULE, id: "r3" }] });
    at.store.reopen();
    expect(await at.store.policies.read(session)).toEqual({ mode: "edits", rules: [OTHER, RULE] });
    expect(await at.store.policies.read(agent)).toEqual({ mode: null, rules: [{ ...RULE, id: "r3" }] });
    await at.store.policies.write(session, { mode: null, rules: [] });
    expect(await at.store.policies.read(session)).toEqual({ mode: null, rules: [] });
    expect((await at.store.policies.read(agent)).rules).toHaveLength(1);
  });

  it("changes a policy wholly or not at all", async () => {
    await using at = await scene();
    const target = { scope: "project", id: PROJECT } as const;
    await at.store.policies.write(target, { mode: "edits", rules: [RULE] });
    expect(async () => await at.store.policies.write(target, { mode: "all", rules: [OTHER, OTHER] })).toThrow();
    expect(await at.store.policies.read(target)).toEqual({ mode: "edits", rules: [RULE] });
  });

  it("X-4 records every request with its end, newest first, and tells the policy's own answers apart", async () => {
    await using at = await scene();
    await at.ask("a", { command: "ls" });
    await at.ask("b", { command: "rm x" });
    await at.ask("c", {});
    const selected = (id: string, optionId: string) => ({
      type: "permission:resolved" as const,
      permissionId: permissionId(id),
      outcome: { outcome: "selected" as const, optionId },
    });
    await at.writer.write([
      { ...selected("a", "yes"), by: "policy", why: "a rule", at: "2026-01-02T00:00:00.000Z" },
      selected("b", "no"),
    ]);
    const found = await at.store.policies.records({ ...at.all, projectId: PROJECT });
    expect(found.map((one) => [one.toolCall.name, one.answered, one.by, one.why, one.cwd])).toEqual([
      ["c", null, null, null, "/work"],
      ["b", "denied", "user", null, "/work"],
      ["a", "allowed", "policy", "a rule", "/work"],
    ]);
    const automatic = await at.store.policies.records({ onlyAutomatic: true, limit: 9, cliType: BUILTIN });
    expect(automatic.map(({ permissionId: id, at: time }) => [String(id), time])).toEqual([
      ["a", "2026-01-02T00:00:00.000Z"],
    ]);
    expect(await at.store.policies.records({ ...at.all, limit: 1 })).toHaveLength(1);
  });

  it("a record outlives the facts it was made of, and holds no file contents", async () => {
    await using at = await scene();
    await at.ask("a", { command: "npm test", content: "long ".repeat(10_000) });
    await at.writer.fill(4_200);
    await at.writer.writeTurn(assistantEntry("end"));
    expect(await at.store.log.canResume(SESSION, 1)).toBe(false);
    const [record] = await at.store.policies.records(at.all);
    expect(record?.toolCall.input).toEqual({ command: "npm test" });
  });

  it("goes with its session, and with nothing else", async () => {
    await using at = await scene();
    await at.ask("a", {});
    at.store.db.exec("DELETE FROM session");
    expect(await at.store.policies.records(at.all)).toEqual([]);
  });
});

describe("a database of the first version", () => {
  it("gets the tables of the policy, keeps all it had, and goes on", async () => {
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
    expect(new SqliteProjectStore(db).list()).toHaveLength(1);
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
});
