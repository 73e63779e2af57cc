import type { TurnUsage, UsageStore } from "../../ports/usage-store.ts";
import { CliType, ProjectId, SessionId } from "../../protocol/ids.ts";
import type { Queries } from "./database.ts";

export class PostgresUsageStore implements UsageStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async since(at: string, turnsMax: number): Promise<readonly TurnUsage[]> {
    const rows = await this.#db.rows(
      "SELECT * FROM turn_usage WHERE at >= $1 ORDER BY at DESC, session_id, turn_id LIMIT $2",
      [at, turnsMax],
    );
    return rows.map((row) => ({
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
