import { z } from "zod";
import type {
  PermissionRecord,
  PolicyStore,
  PolicyTarget,
  RecordQuery,
  StoredPolicy,
} from "../../ports/policy-store.ts";
import { PermissionId, SessionId } from "../../protocol/ids.ts";
import { PermissionMode, PolicyRule } from "../../protocol/permission-policy.ts";
import { PermissionToolCall } from "../../protocol/session-parts.ts";
import { type PostgresDatabase, type Row, texts } from "./database.ts";

const Answered = z.enum(["allowed", "denied", "cancelled"]).nullable();
const AnsweredBy = z.enum(["user", "policy"]).nullable();
const Text = z.string().nullable();

export class PostgresPolicyStore implements PolicyStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async read({ scope, id }: PolicyTarget): Promise<StoredPolicy> {
    // One statement: a policy that is written meanwhile is seen whole or not at all.
    const rows = await this.#db.rows(
      `SELECT 0 AS key, mode AS value FROM policy_mode WHERE scope = $1 AND target = $2
       UNION ALL SELECT key, json FROM policy_rule WHERE scope = $1 AND target = $2 ORDER BY key`,
      [scope, id],
    );
    const mode = rows.find((row) => Number(row["key"]) === 0)?.["value"] ?? null;
    const rules = rows.filter((row) => Number(row["key"]) !== 0);
    return {
      mode: z.nullable(PermissionMode).parse(mode),
      rules: rules.map((row) => PolicyRule.parse(JSON.parse(String(row["value"])))),
    };
  }

  async write({ scope, id }: PolicyTarget, { mode, rules }: StoredPolicy): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await tx.run("DELETE FROM policy_mode WHERE scope = $1 AND target = $2", [scope, id]);
      if (mode !== null)
        await tx.run("INSERT INTO policy_mode (scope, target, mode) VALUES ($1, $2, $3)", [scope, id, mode]);
      await tx.run("DELETE FROM policy_rule WHERE scope = $1 AND target = $2", [scope, id]);
      if (rules.length === 0) return;
      await tx.run(
        `INSERT INTO policy_rule (id, scope, target, json) SELECT rule.id, $1, $2, rule.json
         FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS rule (id, json, place) ORDER BY rule.place`,
        [scope, id, texts(rules.map((rule) => rule.id)), texts(rules.map((rule) => JSON.stringify(rule)))],
      );
    });
  }

  async records(query: RecordQuery): Promise<readonly PermissionRecord[]> {
    const { sessionId = null, projectId = null, cliType = null, onlyAutomatic, limit } = query;
    const rows = await this.#db.rows(
      `SELECT record.*, session.id AS session_id, session.cwd AS cwd
       FROM permission_record AS record JOIN session ON session.key = record.session_key
       WHERE ($1::text IS NULL OR session.id = $1) AND ($2::text IS NULL OR session.project_id = $2)
         AND ($3::text IS NULL OR session.cli_type = $3) AND ($4::integer = 0 OR record.answered_by = 'policy')
       ORDER BY record.key DESC LIMIT $5`,
      [sessionId, projectId, cliType, onlyAutomatic ? 1 : 0, limit],
    );
    return rows.map(recordFrom);
  }
}

function recordFrom(row: Row): PermissionRecord {
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
