import type { DatabaseSync } from "node:sqlite";
import { NO_CONTINUATION } from "../ports/session-log.ts";
import type { Adoption, EntryRun, TransferStore } from "../ports/transfer-store.ts";
import { Entry } from "../protocol/entry.ts";
import { type CliType, type ProjectId, SessionId } from "../protocol/ids.ts";
import { shortenEntry } from "../protocol/shorten-entry.ts";
import { transaction } from "./database/transaction.ts";
import type { SqliteSessionLog } from "./session-log/sqlite-session-log.ts";

/** A longer session is indexed a moment later: indexing all its text at once would block everyone. */
const SEARCHED_AT_ONCE_ENTRIES_MAX = 200;

export class SqliteTransferStore implements TransferStore {
  readonly #db: DatabaseSync;
  readonly #log: SqliteSessionLog;
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(db: DatabaseSync, log: SqliteSessionLog) {
    this.#db = db;
    this.#log = log;
    this.#sql = prepareStatements(db);
  }

  async knownAgentSessions(cliType: CliType): Promise<ReadonlySet<string>> {
    return new Set(this.#sql.known.all(cliType).map((row) => String(row["agent_session_id"])));
  }

  async forgottenAgentSessions(cliType: CliType): Promise<ReadonlySet<string>> {
    return new Set(this.#sql.forgotten.all(cliType).map((row) => String(row["agent_session_id"])));
  }

  async isKnown(cliType: CliType, agentSessionId: string): Promise<boolean> {
    return this.#isKnown(cliType, agentSessionId);
  }

  #isKnown(cliType: CliType, agentSessionId: string): boolean {
    return this.#sql.isKnown.get(cliType, agentSessionId) !== undefined;
  }

  async adopt({ row, binding, state, entries, digest }: Adoption): Promise<boolean> {
    return transaction(this.#db, () => {
      if (this.#isKnown(row.cliType, binding.agentSessionId)) return false;
      this.#log.createNow(row, binding, null);
      const short = entries.map(shortenEntry);
      this.#log.writeNow(row.id, {
        ...{ facts: [], state, settled: short.map(({ entry }) => entry), snapshot: state, revised: [] },
        outputs: short.flatMap(({ outputs }) => outputs),
        isSearchedLater: short.length > SEARCHED_AT_ONCE_ENTRIES_MAX,
        ...{ lastActiveAt: null, attention: null, receipt: null, binding: null },
        continuation: { ...NO_CONTINUATION, agentSeenAt: binding.since },
      });
      // The facts it was folded from are not kept: readers with an older cursor get all of it.
      this.#sql.finish.run(state.seq + 1, row.id);
      if (digest !== null) this.#sql.noteFile.run(row.projectId, digest, row.id);
      return true;
    });
  }

  async importedAs(projectId: ProjectId, digest: string): Promise<SessionId | null> {
    const row = this.#sql.fileByDigest.get(projectId, digest);
    return row ? SessionId.parse(row["id"]) : null;
  }

  async entriesAfter(sessionId: SessionId, position: number, limit: number): Promise<EntryRun> {
    const rows = this.#sql.entriesAfter.all(sessionId, position, limit);
    const last = rows.at(-1);
    return {
      entries: rows.map((row) => Entry.parse(JSON.parse(String(row["json"])))),
      next: last === undefined || rows.length < limit ? null : Number(last["position"]),
    };
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    known: db.prepare("SELECT agent_session_id FROM agent_session WHERE cli_type = ?"),
    forgotten: db.prepare("SELECT agent_session_id FROM forgotten_session WHERE cli_type = ?"),
    isKnown: db.prepare("SELECT 1 FROM agent_session WHERE cli_type = ? AND agent_session_id = ?"),
    finish: db.prepare("UPDATE session SET kept_from_seq = ? WHERE id = ?"),
    noteFile: db.prepare(
      "INSERT OR IGNORE INTO imported_file (project_id, digest, session_key) SELECT ?, ?, key FROM session WHERE id = ?",
    ),
    fileByDigest: db.prepare(
      `SELECT session.id FROM imported_file JOIN session ON session.key = imported_file.session_key
       WHERE imported_file.project_id = ? AND imported_file.digest = ?`,
    ),
    entriesAfter: db.prepare(
      `SELECT position, json FROM entry WHERE session_key = (SELECT key FROM session WHERE id = ?) AND position > ?
       ORDER BY position LIMIT ?`,
    ),
  };
}
