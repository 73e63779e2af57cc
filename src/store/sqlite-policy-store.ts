import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { PermissionRecord, PolicyStore, PolicyTarget, RecordQuery, StoredPolicy } from "../ports/policy-store.ts";
import { PermissionId, SessionId } from "../protocol/ids.ts";
import { PermissionMode, PolicyRule } from "../protocol/permission-policy.ts";
import { PermissionToolCall } from "../protocol/session-parts.ts";
import { transaction } from "./database/transaction.ts";

const Answered = z.enum(["allowed", "denied", "cancelled"]).nullable();
const AnsweredBy = z.enum(["user", "policy"]).nullable();
const Text = z.string().nullable();

export class SqlitePolicyStore implements PolicyStore {
  readonly #db: DatabaseSync;
  readonly #mode;
  readonly #rules;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#mode = db.prepare("SELECT mode FROM policy_mode WHERE scope = ? AND target = ?");
    this.#rules = db.prepare("SELECT json FROM policy_rule WHERE scope = ? AND target = ? ORDER BY key");
  }

  async read({ scope, id }: PolicyTarget): Promise<StoredPolicy> {
    return {
      mode: z.nullable(PermissionMode).parse(this.#mode.get(scope, id)?.["mode"] ?? null),
      rules: this.#rules.all(scope, id).map((row) => PolicyRule.parse(JSON.parse(String(row["json"])))),
    };
  }

  async write({ scope, id }: PolicyTarget, { mode, rules }: StoredPolicy): Promise<void> {
    transaction(this.#db, () => {
      this.#db.prepare("DELETE FROM policy_mode WHERE scope = ? AND target = ?").run(scope, id);
      if (mode !== null)
        this.#db.prepare("INSERT INTO policy_mode (scope, target, mode) VALUES (?, ?, ?)").run(scope, id, mode);
      this.#db.prepare("DELETE FROM policy_rule WHERE scope = ? AND target = ?").run(scope, id);
      const insert = this.#db.prepare("INSERT INTO policy_rule (id, scope, target, json) VALUES (?, ?, ?, ?)");
      for (const rule of rules) insert.run(rule.id, scope, id, JSON.stringify(rule));
    });
  }

  async records({
    sessionId,
    projectId,
    cliType,
    onlyAutomatic,
    limit,
  }: RecordQuery): Promise<readonly PermissionRecord[]> {
    return this.#db
      .prepare(
        `SELECT record.*, session.id AS session_id, session.cwd AS cwd
         FROM permission_record AS record JOIN session ON session.key = record.session_key
         WHERE (?1 IS NULL OR session.id = ?1) AND (?2 IS NULL OR session.project_id = ?2)
           AND (?3 IS NULL OR session.cli_type = ?3) AND (?4 = 0 OR record.answered_by = 'policy')
         ORDER BY record.key DESC LIMIT ?5`,
      )
      .all(sessionId ?? null, projectId ?? null, cliType ?? null, onlyAutomatic ? 1 : 0, limit)
      .map(recordFrom);
  }
}

function recordFrom(row: Record<string, unknown>): PermissionRecord {
  return {
    sessionId: SessionId.parse(row["session_id"]),
    permissionId: PermissionId.parse(row["permission_id"]),
    cwd: String(row["cwd"]),
    askedAt: String(row["asked_at"]),
    toolCall: PermissionToolCall.parse(JSON.parse(String(row["tool_call"]))),
    answered: Answered.parse(row["answered"]),
    by: AnsweredBy.parse(row["answered_by"]),
    at: Text.parse(row["answered_at"]),
    why: Text.parse(row["why"]),
  };
}
