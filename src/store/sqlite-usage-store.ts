import type { DatabaseSync } from "node:sqlite";
import type { TurnUsage, UsageStore } from "../ports/usage-store.ts";
import { CliType, ProjectId, SessionId } from "../protocol/ids.ts";

export class SqliteUsageStore implements UsageStore {
  readonly #since;

  constructor(db: DatabaseSync) {
    this.#since = db.prepare("SELECT * FROM turn_usage WHERE at >= ? ORDER BY at DESC, session_id, turn_id LIMIT ?");
  }

  async since(at: string, turnsMax: number): Promise<readonly TurnUsage[]> {
    return this.#since.all(at, turnsMax).map((row) => ({
      sessionId: SessionId.parse(row["session_id"]),
      projectId: ProjectId.parse(row["project_id"]),
      cliType: CliType.parse(row["cli_type"]),
      account: typeof row["account"] === "string" ? row["account"] : null,
      at: String(row["at"]),
      tokens: Number(row["tokens"]),
      cost: Number(row["cost"]),
      currency: typeof row["currency"] === "string" ? row["currency"] : null,
    }));
  }
}
