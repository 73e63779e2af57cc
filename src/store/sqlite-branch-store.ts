import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { BranchStore, NewBranch } from "../ports/branch-store.ts";
import { NO_AGENT_SESSION, NO_CONTINUATION } from "../ports/session-log.ts";
import { Entry, UserEntry } from "../protocol/entry.ts";
import { type CliType, EntryId, type SessionId, type TurnId } from "../protocol/ids.ts";
import { shortenEntry } from "../protocol/shorten-entry.ts";
import { transaction } from "./database/transaction.ts";
import type { SqliteSessionLog } from "./session-log/sqlite-session-log.ts";

/** One step is short enough not to delay others. */
const COPY_STEP_ENTRIES_MAX = 400;
const COPY_STEP_BYTES_MAX = 500_000;
/**
 * Ids are random: 250 entries in their order of the conversation are in nearly every page of the index of the ids, and each
 * step would write all of it. So many are put in the order of their ids first. They stay close together in the file.
 */
const COPY_ROUND_ENTRIES_MAX = 2_000;
/** For a longer output the two ends in its entry are enough. */
const OUTPUT_CHARS_MAX = 1_000_000;

export class SqliteBranchStore implements BranchStore {
  readonly #db: DatabaseSync;
  readonly #log: SqliteSessionLog;
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(db: DatabaseSync, log: SqliteSessionLog) {
    this.#db = db;
    this.#log = log;
    this.#sql = prepareStatements(db);
  }

  /** Removes incomplete branches that a killed server has left. */
  dropUnfinished(): void {
    this.#sql.dropUnfinished.run();
  }

  async lastPosition(sessionId: SessionId): Promise<number> {
    return Number(this.#sql.next.get(sessionId)?.["next_position"] ?? 1) - 1;
  }

  async find(sessionId: SessionId, entryId: EntryId): Promise<{ position: number; entry: Entry } | null> {
    const row = this.#sql.find.get(sessionId, entryId);
    return row ? { position: Number(row["position"]), entry: Entry.parse(JSON.parse(String(row["json"]))) } : null;
  }

  async endOfTurn(sessionId: SessionId, position: number, turnId: TurnId): Promise<number> {
    const other = this.#sql.afterTurn.get(sessionId, position, turnId)?.["position"];
    return typeof other === "number" ? other - 1 : this.lastPosition(sessionId);
  }

  async entryOfTurn(sessionId: SessionId, turnId: TurnId): Promise<EntryId | null> {
    const row = this.#sql.entryOfTurn.get(sessionId, turnId);
    return row ? EntryId.parse(row["entry_id"]) : null;
  }

  async entriesUpTo(sessionId: SessionId, position: number, countMax: number): Promise<readonly Entry[]> {
    const rows = this.#sql.upTo.all(sessionId, position, countMax);
    return rows.map((row) => shortenEntry(Entry.parse(JSON.parse(String(row["json"])))).entry).reverse();
  }

  async firstMessage(sessionId: SessionId): Promise<UserEntry | null> {
    const row = this.#sql.firstMessage.get(sessionId);
    return row ? UserEntry.parse(JSON.parse(String(row["json"]))) : null;
  }

  async contextTokens(cliType: CliType): Promise<number | null> {
    const size = this.#sql.contextTokens.get(cliType)?.["size"];
    return typeof size === "number" && size > 0 ? size : null;
  }

  async create(branch: NewBranch): Promise<void> {
    const { row, binding, source, until } = branch;
    // Its title is indexed when it is complete, and no agent session is bound before.
    this.#log.createHidden(row, { ...binding, agentSessionId: NO_AGENT_SESSION });
    const key = Number(this.#sql.keyOf.get(row.id)?.["key"]);
    const sourceKey = Number(this.#sql.keyOf.get(source)?.["key"]);
    try {
      for (let copied = 0; copied < until; copied += COPY_ROUND_ENTRIES_MAX) {
        const last = Math.min(until, copied + COPY_ROUND_ENTRIES_MAX);
        const steps = copySteps(this.#sql.sizes.all(sourceKey, copied, last));
        for (const positions of steps) {
          await othersWork();
          transaction(this.#db, () => this.#copySome(key, sourceKey, JSON.stringify(positions)));
        }
        await othersWork();
      }
      transaction(this.#db, () => this.#finish(key, branch));
    } catch (error) {
      this.#sql.drop.run(key);
      throw error;
    }
  }

  #copySome(key: number, source: number, positions: string): void {
    this.#sql.copyEntries.run(key, positions, source);
    this.#sql.copyOutputs.run(key, positions, source, OUTPUT_CHARS_MAX);
  }

  #finish(key: number, { row, binding, state, source, until, pack, receipt, agentSeenAt }: NewBranch): void {
    this.#sql.copyPacks.run(row.id, key, source);
    this.#log.writeNow(row.id, {
      ...{ facts: [], state, settled: [], snapshot: state, revised: [], outputs: [] },
      ...(pack !== null && { packs: [{ entryId: null, content: pack }] }),
      ...{ lastActiveAt: null, attention: null, receipt, binding },
      continuation: { ...NO_CONTINUATION, agentSeenAt },
    });
    this.#sql.finish.run(until, until + 1, state.seq + 1, key);
    this.#log.nameNow(row.id, row.title);
  }
}

const othersWork = () => new Promise((resolve) => setImmediate(resolve));

/** The positions of the rows, which are in the order of their ids, in pieces that are short enough. */
function copySteps(rows: ReturnType<StatementSync["all"]>): readonly (readonly number[])[] {
  const steps: number[][] = [];
  let step: number[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += Number(row["bytes"]);
    if (step.length === COPY_STEP_ENTRIES_MAX || (step.length > 0 && bytes > COPY_STEP_BYTES_MAX)) {
      steps.push(step);
      step = [];
      bytes = Number(row["bytes"]);
    }
    step.push(Number(row["position"]));
  }
  if (step.length > 0) steps.push(step);
  return steps;
}

function prepareStatements(db: DatabaseSync) {
  const ofSession = "session_key = (SELECT key FROM session WHERE id = ?)";
  return {
    keyOf: db.prepare("SELECT key FROM session WHERE id = ?"),
    next: db.prepare("SELECT next_position FROM session WHERE id = ?"),
    find: db.prepare(`SELECT position, json FROM entry WHERE ${ofSession} AND entry_id = ?`),
    afterTurn: db.prepare(
      `SELECT position FROM entry WHERE ${ofSession} AND position > ? AND json_extract(json, '$.turnId') <> ?
       ORDER BY position LIMIT 1`,
    ),
    entryOfTurn: db.prepare(
      `SELECT entry_id FROM entry WHERE ${ofSession} AND json_extract(json, '$.turnId') = ? ORDER BY position LIMIT 1`,
    ),
    upTo: db.prepare(`SELECT json FROM entry WHERE ${ofSession} AND position <= ? ORDER BY position DESC LIMIT ?`),
    firstMessage: db.prepare(
      `SELECT json FROM entry WHERE ${ofSession} AND json_extract(json, '$.type') = 'user'
         AND json_extract(json, '$.parentToolCallId') IS NULL ORDER BY position LIMIT 1`,
    ),
    contextTokens: db.prepare(
      `SELECT json_extract(usage, '$.size') AS size FROM session WHERE cli_type = ? AND usage IS NOT NULL
       ORDER BY last_active_at DESC LIMIT 1`,
    ),
    sizes: db.prepare(
      `SELECT position, octet_length(json) AS bytes FROM entry WHERE session_key = ? AND position > ? AND position <= ?
       ORDER BY entry_id`,
    ),
    // The ids of another agent session have no meaning in this one.
    copyEntries: db.prepare(
      `INSERT INTO entry (session_key, position, entry_id, agent_id, json)
       SELECT ?, position, entry_id, NULL, entry.json FROM json_each(?) AS chosen
       CROSS JOIN entry ON entry.session_key = ? AND position = chosen.value`,
    ),
    copyOutputs: db.prepare(
      `INSERT INTO output_piece (session_key, entry_id, part, start, chars, json)
       SELECT ?, piece.entry_id, part, start, chars, piece.json FROM json_each(?) AS chosen
       CROSS JOIN entry ON entry.session_key = ? AND position = chosen.value
       JOIN output_piece AS piece ON piece.session_key = entry.session_key AND piece.entry_id = entry.entry_id
       WHERE (SELECT max(start + chars) FROM output_piece AS other WHERE other.session_key = piece.session_key
           AND other.entry_id = piece.entry_id AND other.part = piece.part) <= ?`,
    ),
    // A source has few packs and many entries: the planner would read all packs for each entry.
    copyPacks: db.prepare(
      `INSERT INTO pack (session_id, entry_id, content) SELECT ?, pack.entry_id, content FROM pack
       CROSS JOIN entry ON entry.session_key = ? AND entry.entry_id = pack.entry_id WHERE pack.session_id = ?`,
    ),
    finish: db.prepare(
      "UPDATE session SET copying = 0, inherited = ?, next_position = ?, kept_from_seq = ? WHERE key = ?",
    ),
    drop: db.prepare("DELETE FROM session WHERE key = ?"),
    dropUnfinished: db.prepare("DELETE FROM session WHERE copying = 1"),
  };
}
