import type { BranchStore, NewBranch } from "../../ports/branch-store.ts";
import { NO_CONTINUATION } from "../../ports/session-log.ts";
import { Entry, UserEntry } from "../../protocol/entry.ts";
import { type CliType, EntryId, type SessionId, type TurnId } from "../../protocol/ids.ts";
import { Usage } from "../../protocol/session-parts.ts";
import { shortenEntry } from "../../protocol/shorten-entry.ts";
import type { PostgresDatabase, Queries, Row } from "./database.ts";
import type { PostgresSessionLog } from "./session-log.ts";

/** For a longer output the two ends in its entry are enough. */
const OUTPUT_CHARS_MAX = 1_000_000;
/** For a source of any length. Only the caller waits for it: it has a connection of its own. */
const COPY_MS_MAX = 300_000;
const OF_SESSION = "session_key = (SELECT key FROM session WHERE id = $1)";

/** A branch is made in one transaction: until it commits, no reader sees any of it. */
export class PostgresBranchStore implements BranchStore {
  readonly #db: PostgresDatabase;
  readonly #log: PostgresSessionLog;

  constructor(db: PostgresDatabase, log: PostgresSessionLog) {
    this.#db = db;
    this.#log = log;
  }

  async lastPosition(sessionId: SessionId): Promise<number> {
    const row = await this.#db.row("SELECT next_position FROM session WHERE id = $1", [sessionId]);
    return Number(row?.["next_position"] ?? 1) - 1;
  }

  async find(sessionId: SessionId, entryId: EntryId): Promise<{ position: number; entry: Entry } | null> {
    const row = await this.#db.row(`SELECT position, json FROM entry WHERE ${OF_SESSION} AND entry_id = $2`, [
      sessionId,
      entryId,
    ]);
    return row && { position: Number(row["position"]), entry: entryFrom(row) };
  }

  async endOfTurn(sessionId: SessionId, position: number, turnId: TurnId): Promise<number> {
    const row = await this.#db.row(
      `SELECT position FROM entry WHERE ${OF_SESSION} AND position > $2 AND turn_id <> $3 ORDER BY position LIMIT 1`,
      [sessionId, position, turnId],
    );
    return row ? Number(row["position"]) - 1 : this.lastPosition(sessionId);
  }

  async entryOfTurn(sessionId: SessionId, turnId: TurnId): Promise<EntryId | null> {
    const row = await this.#db.row(
      `SELECT entry_id FROM entry WHERE ${OF_SESSION} AND turn_id = $2 ORDER BY position LIMIT 1`,
      [sessionId, turnId],
    );
    return row && EntryId.parse(row["entry_id"]);
  }

  async entriesUpTo(sessionId: SessionId, position: number, countMax: number): Promise<readonly Entry[]> {
    const rows = await this.#db.rows(
      `SELECT json FROM entry WHERE ${OF_SESSION} AND position <= $2 ORDER BY position DESC LIMIT $3`,
      [sessionId, position, countMax],
    );
    return rows.map((row) => shortenEntry(entryFrom(row)).entry).reverse();
  }

  async firstMessage(sessionId: SessionId): Promise<UserEntry | null> {
    const row = await this.#db.row(
      `SELECT json FROM entry WHERE ${OF_SESSION} AND type = 'user' AND inner_one = 0 ORDER BY position LIMIT 1`,
      [sessionId],
    );
    return row && UserEntry.parse(JSON.parse(String(row["json"])));
  }

  async contextTokens(cliType: CliType): Promise<number | null> {
    const row = await this.#db.row(
      "SELECT usage FROM session WHERE cli_type = $1 AND usage IS NOT NULL ORDER BY last_active_at DESC LIMIT 1",
      [cliType],
    );
    const size = row ? Usage.parse(JSON.parse(String(row["usage"]))).size : 0;
    return size > 0 ? size : null;
  }

  async create(branch: NewBranch): Promise<void> {
    const apart = this.#db.beside({ connectionsMax: 1, deadlineMs: COPY_MS_MAX });
    try {
      await apart.transaction((tx) => this.#make(tx, branch));
    } finally {
      await apart.close();
    }
  }

  async #make(
    tx: Queries,
    { row, binding, state, source, until, pack, receipt, agentSeenAt }: NewBranch,
  ): Promise<void> {
    const key = await this.#log.createNow(tx, row, binding, null);
    const from = Number((await tx.row("SELECT key FROM session WHERE id = $1", [source]))?.["key"] ?? 0);
    // The ids of another agent session have no meaning in this one.
    await tx.run(
      `INSERT INTO entry (session_key, position, entry_id, agent_id, type, inner_one, steered, turn_id, json)
       SELECT $1, position, entry_id, NULL, type, inner_one, steered, turn_id, json FROM entry
       WHERE session_key = $2 AND position <= $3`,
      [key, from, until],
    );
    await tx.run(
      `INSERT INTO output_piece (session_key, entry_id, part, start, chars, json)
       SELECT $1, piece.entry_id, part, start, chars, piece.json FROM output_piece AS piece
       JOIN entry ON entry.session_key = $1 AND entry.entry_id = piece.entry_id
       WHERE piece.session_key = $2 AND (SELECT max(start + chars) FROM output_piece AS other
         WHERE other.session_key = $2 AND other.entry_id = piece.entry_id AND other.part = piece.part) <= $3`,
      [key, from, OUTPUT_CHARS_MAX],
    );
    await tx.run(
      `INSERT INTO pack (session_id, entry_id, content) SELECT $1, pack.entry_id, content FROM pack
       JOIN entry ON entry.session_key = $2 AND entry.entry_id = pack.entry_id WHERE pack.session_id = $3`,
      [row.id, key, source],
    );
    await this.#log.writeNow(tx, key, row.id, {
      ...{ facts: [], state, settled: [], snapshot: state, revised: [], outputs: [] },
      ...(pack !== null && { packs: [{ entryId: null, content: pack }] }),
      ...{ lastActiveAt: null, attention: null, receipt, binding: null },
      continuation: { ...NO_CONTINUATION, agentSeenAt },
    });
    await tx.run("UPDATE session SET inherited = $1, next_position = $2, kept_from_seq = $3 WHERE key = $4", [
      until,
      until + 1,
      state.seq + 1,
      key,
    ]);
  }
}

function entryFrom(row: Row): Entry {
  return Entry.parse(JSON.parse(String(row["json"])));
}
