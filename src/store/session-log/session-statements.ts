import type { DatabaseSync } from "node:sqlite";
import {
  BOUND_COLUMNS,
  COMMITTED_COLUMNS,
  COMPUTED_COLUMNS,
  CREATED_COLUMNS,
  RAISED_COLUMNS,
} from "./session-columns.ts";

/** The whole record, with the columns that are computed from others. */
const SELECT_SESSION = `SELECT ${["*", ...COMPUTED_COLUMNS].join(", ")} FROM session`;

/** `title = :title, …` */
function assignments(names: readonly string[]): string {
  return names.map((name) => `${name} = :${name}`).join(", ");
}

/** Every statement the session log runs, prepared once. */
export function prepareSessionStatements(db: DatabaseSync) {
  return {
    ...prepareCareStatements(db),
    insertSession: db.prepare(
      `INSERT INTO session (${CREATED_COLUMNS.join(", ")}) VALUES (${CREATED_COLUMNS.map((name) => `:${name}`).join(", ")})`,
    ),
    sessionById: db.prepare(`${SELECT_SESSION} WHERE id = ?`),
    hide: db.prepare("UPDATE session SET copying = 1 WHERE id = ?"),
    keyById: db.prepare("SELECT key FROM session WHERE id = ?"),
    rows: db.prepare(
      `${SELECT_SESSION} WHERE project_id = ? AND archived <= ? AND copying = 0 ORDER BY last_active_at DESC, key DESC`,
    ),
    unfinished: db.prepare(
      "SELECT id FROM session WHERE unfinished = 1 UNION SELECT id FROM session WHERE sub_agents > 0",
    ),
    resuming: db.prepare(
      `SELECT id, json_extract(pause, '$.resumesAt') AS resumes_at FROM session
       WHERE pause IS NOT NULL AND resumes_at IS NOT NULL`,
    ),
    away: db.prepare("SELECT id FROM session WHERE away IS NOT NULL AND away <> 'null'"),
    updateSession: db.prepare(
      `UPDATE session SET ${assignments(COMMITTED_COLUMNS)}, last_active_at = COALESCE(:last_active_at, last_active_at)
       WHERE key = :key`,
    ),
    raiseSession: db.prepare(
      `UPDATE session SET ${assignments(RAISED_COLUMNS)}, last_active_at = COALESCE(:last_active_at, last_active_at)
       WHERE key = :key`,
    ),
    ...continuationStatements(db),
    updateBinding: db.prepare(`UPDATE session SET ${assignments(BOUND_COLUMNS)} WHERE key = :key`),
    updateSnapshot: db.prepare(
      "UPDATE session SET snapshot = ?, snapshot_seq = ?, next_position = next_position + ? WHERE key = ?",
    ),
    insertFact: db.prepare("INSERT INTO fact (session_key, seq, type, json) VALUES (?, ?, ?, ?)"),
    factsAfter: db.prepare("SELECT seq, type, json FROM fact WHERE session_key = ? AND seq > ? ORDER BY seq LIMIT ?"),
    dropFacts: db.prepare("DELETE FROM fact WHERE session_key = ? AND seq < ?"),
    keepFactsFrom: db.prepare("UPDATE session SET kept_from_seq = ? WHERE key = ? AND kept_from_seq < ?"),
    insertEntry: db.prepare(
      `INSERT INTO entry (session_key, position, entry_id, agent_id, json)
       VALUES (?, (SELECT next_position FROM session WHERE key = ?) + ?, ?, ?, ?)`,
    ),
    reviseEntry: db.prepare("UPDATE entry SET json = ? WHERE session_key = ? AND entry_id = ?"),
    entriesBefore: db.prepare(
      "SELECT json FROM entry WHERE session_key = ? AND position < ? ORDER BY position DESC LIMIT ?",
    ),
    positionOf: db.prepare("SELECT position FROM entry WHERE session_key = ? AND entry_id = ?"),
    entryById: db.prepare("SELECT json FROM entry WHERE session_key = ? AND entry_id = ?"),
    entryByAgentId: db.prepare(
      "SELECT json FROM entry WHERE session_key = ? AND agent_id = ? ORDER BY position DESC LIMIT 1",
    ),
    lastUserEntry: db.prepare(
      `SELECT json FROM entry WHERE session_key = ? AND json_extract(json, '$.type') = 'user'
         AND json_extract(json, '$.parentToolCallId') IS NULL AND json_extract(json, '$.steered') IS NULL
         ORDER BY position DESC LIMIT 1`,
    ),
    userMessageCount: db.prepare(
      "SELECT count(*) AS count FROM entry WHERE session_key = ? AND position >= ? AND json_extract(json, '$.type') = 'user' AND json_extract(json, '$.parentToolCallId') IS NULL",
    ),
    askedByTurn: db.prepare(
      `SELECT json_extract(json, '$.turnId') AS turnId, substr(json_extract(json, '$.content'), 1, ?) AS content
       FROM entry WHERE session_key = ? AND json_extract(json, '$.type') = 'user'
         AND json_extract(json, '$.parentToolCallId') IS NULL AND json_extract(json, '$.turnId') IS NOT NULL
       ORDER BY position DESC LIMIT ?`,
    ),
    said: db.prepare(
      `SELECT json_extract(json, '$.type') AS type, json_extract(json, '$.content') AS content FROM entry
       WHERE session_key = ? AND position >= ? AND json_extract(json, '$.type') IN ('user', 'assistant', 'notice')
         AND json_extract(json, '$.parentToolCallId') IS NULL ORDER BY position`,
    ),
    ...packStatements(db),
    insertReceipt: db.prepare("INSERT OR IGNORE INTO receipt (command_id, answer, at) VALUES (?, ?, ?)"),
    receiptById: db.prepare("SELECT answer FROM receipt WHERE command_id = ?"),
    dropReceipts: db.prepare("DELETE FROM receipt WHERE at < ?"),
  };
}

function packStatements(db: DatabaseSync) {
  return {
    writePack: db.prepare("INSERT OR REPLACE INTO pack (session_id, entry_id, content) VALUES (?, ?, ?)"),
    /** The pack is sent with this message. */
    givePack: db.prepare("UPDATE OR REPLACE pack SET entry_id = ? WHERE session_id = ? AND entry_id = ''"),
    pack: db.prepare("SELECT content FROM pack WHERE session_id = ? AND entry_id = ?"),
    dropPacks: db.prepare("DELETE FROM pack WHERE session_id = ?"),
    /** The newest message with a context pack; after all positions while that has not settled. */
    toldAt: db.prepare(
      `SELECT max(COALESCE(entry.position, ${Number.MAX_SAFE_INTEGER})) AS position FROM pack
       LEFT JOIN entry ON entry.session_key = ? AND entry.entry_id = pack.entry_id WHERE pack.session_id = ?`,
    ),
  };
}

/** Operations on a whole session: reading it, and deleting it permanently. */
function prepareCareStatements(db: DatabaseSync) {
  return {
    noteAttention: db.prepare("UPDATE session SET attention_seq = ?, seen_seq = MAX(seen_seq, ?) WHERE key = ?"),
    /** Touches nothing that was already read. */
    markSeen: db.prepare(
      `UPDATE session SET seen_seq = max(seen_seq, ?), marked_unread = 0
       WHERE id = ? AND (attention_seq > seen_seq OR marked_unread) AND attention_seq <= ?`,
    ),
    /** Kept apart from the facts: it is not news, so no notice is sent about it. */
    markUnread: db.prepare(
      "UPDATE session SET marked_unread = 1 WHERE id = ? AND attention_seq <= seen_seq AND marked_unread = 0",
    ),
    markRead: db.prepare(
      `UPDATE session SET seen_seq = max(seen_seq, attention_seq), marked_unread = 0
       WHERE id = ? AND (attention_seq > seen_seq OR marked_unread)`,
    ),
    /** Before the deletion: it removes which agent sessions were behind it. */
    noteForgotten: db.prepare(
      `INSERT OR IGNORE INTO forgotten_session (cli_type, agent_session_id)
       SELECT cli_type, agent_session_id FROM agent_session WHERE session_key = ?`,
    ),
    deleteSession: db.prepare("DELETE FROM session WHERE key = ?"),
    dropPolicyMode: db.prepare("DELETE FROM policy_mode WHERE scope = 'session' AND target = ?"),
    dropPolicyRules: db.prepare("DELETE FROM policy_rule WHERE scope = 'session' AND target = ?"),
  };
}

export type SessionStatements = ReturnType<typeof prepareSessionStatements>;

/** For a server that continues where an earlier one stopped. */
function continuationStatements(db: DatabaseSync) {
  return {
    attachedTo: db.prepare("SELECT id FROM session WHERE process_id = ? AND agent_state IN ('active', 'idle')"),
    resolvedFacts: db.prepare(
      "SELECT seq, json FROM fact WHERE session_key = ? AND type = 'permission:resolved' ORDER BY seq",
    ),
  };
}
