import { NO_CONTINUATION } from "../../ports/session-log.ts";
import type { Adoption, EntryRun, TransferStore } from "../../ports/transfer-store.ts";
import { Entry } from "../../protocol/entry.ts";
import { type CliType, type ProjectId, SessionId } from "../../protocol/ids.ts";
import { shortenEntry } from "../../protocol/shorten-entry.ts";
import type { PostgresDatabase } from "./database.ts";
import type { PostgresSessionLog } from "./session-log.ts";

/** A longer session is indexed a moment later. */
const SEARCHED_AT_ONCE_ENTRIES_MAX = 200;

export class PostgresTransferStore implements TransferStore {
  readonly #db: PostgresDatabase;
  readonly #log: PostgresSessionLog;

  constructor(db: PostgresDatabase, log: PostgresSessionLog) {
    this.#db = db;
    this.#log = log;
  }

  knownAgentSessions(cliType: CliType): Promise<ReadonlySet<string>> {
    return this.#ids("agent_session", cliType);
  }

  forgottenAgentSessions(cliType: CliType): Promise<ReadonlySet<string>> {
    return this.#ids("forgotten_session", cliType);
  }

  async #ids(table: "agent_session" | "forgotten_session", cliType: CliType): Promise<ReadonlySet<string>> {
    const rows = await this.#db.rows(`SELECT agent_session_id FROM ${table} WHERE cli_type = $1`, [cliType]);
    return new Set(rows.map((row) => String(row["agent_session_id"])));
  }

  async isKnown(cliType: CliType, agentSessionId: string): Promise<boolean> {
    return (await this.#db.row(KNOWN, [cliType, agentSessionId])) !== null;
  }

  async adopt({ row, binding, state, entries, digest }: Adoption): Promise<boolean> {
    const short = entries.map(shortenEntry);
    const isSearchedLater = short.length > SEARCHED_AT_ONCE_ENTRIES_MAX;
    const isNew = await this.#db.transaction(async (tx) => {
      if (await tx.row(KNOWN, [row.cliType, binding.agentSessionId])) return false;
      const key = await this.#log.createNow(tx, row, binding, null);
      await this.#log.writeNow(tx, key, row.id, {
        ...{ facts: [], state, settled: short.map(({ entry }) => entry), snapshot: state, revised: [] },
        outputs: short.flatMap(({ outputs }) => outputs),
        isSearchedLater,
        ...{ lastActiveAt: null, attention: null, receipt: null, binding: null },
        continuation: { ...NO_CONTINUATION, agentSeenAt: binding.since },
      });
      // The facts it was folded from are not kept: readers with an older cursor get all of it.
      await tx.run("UPDATE session SET kept_from_seq = $1 WHERE key = $2", [state.seq + 1, key]);
      if (digest !== null)
        await tx.run(
          "INSERT INTO imported_file (project_id, digest, session_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
          [row.projectId, digest, key],
        );
      return true;
    });
    if (isNew && isSearchedLater) this.#log.leftBehind();
    return isNew;
  }

  async importedAs(projectId: ProjectId, digest: string): Promise<SessionId | null> {
    const row = await this.#db.row(
      `SELECT session.id FROM imported_file JOIN session ON session.key = imported_file.session_key
       WHERE imported_file.project_id = $1 AND imported_file.digest = $2`,
      [projectId, digest],
    );
    return row ? SessionId.parse(row["id"]) : null;
  }

  async entriesAfter(sessionId: SessionId, position: number, limit: number): Promise<EntryRun> {
    const rows = await this.#db.rows(
      `SELECT position, json FROM entry WHERE session_key = (SELECT key FROM session WHERE id = $1) AND position > $2::bigint
       ORDER BY position LIMIT $3::bigint`,
      [sessionId, position, limit],
    );
    const last = rows.at(-1);
    return {
      entries: rows.map((row) => Entry.parse(JSON.parse(String(row["json"])))),
      next: last === undefined || rows.length < limit ? null : Number(last["position"]),
    };
  }
}

const KNOWN = "SELECT 1 FROM agent_session WHERE cli_type = $1 AND agent_session_id = $2";
