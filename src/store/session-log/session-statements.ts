import type { DatabaseSync } from "node:sqlite";
import { continuationStatements } from "./stored-continuation.ts";

/** Every statement the session log runs, prepared once. */
export function prepareSessionStatements(db: DatabaseSync) {
  return {
    ...prepareCareStatements(db),
    insertSession: db.prepare(
      `INSERT INTO session (id, project_id, cli_type, title, created_at, last_active_at, archived, turn, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, adopted)
       VALUES (?, ?, ?, ?, ?, ?, ?, '{"state":"idle"}', ?, ?, ?, ?, ?, ?)`,
    ),
    sessionById: db.prepare("SELECT * FROM session WHERE id = ?"),
    keyById: db.prepare("SELECT key FROM session WHERE id = ?"),
    rows: db.prepare(
      "SELECT * FROM session WHERE project_id = ? AND archived <= ? ORDER BY last_active_at DESC, key DESC",
    ),
    unfinished: db.prepare("SELECT id FROM session WHERE unfinished = 1"),
    updateSession: db.prepare(
      `UPDATE session SET title = ?, archived = ?, turn = ?, unfinished = ?, last_seq = ?, usage = ?,
         last_active_at = COALESCE(?, last_active_at), process_id = ?, heard = ?, cancelling = ?, agent_seen_at = ? WHERE key = ?`,
    ),
    ...continuationStatements(db),
    updateBinding: db.prepare(
      "UPDATE session SET agent_session_id = ?, agent_session_at = ?, cwd = ?, agent_state = ?, agent_state_at = ? WHERE key = ?",
    ),
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
      "SELECT count(*) AS count FROM entry WHERE session_key = ? AND json_extract(json, '$.type') = 'user' AND json_extract(json, '$.parentToolCallId') IS NULL",
    ),
    said: db.prepare(
      `SELECT json_extract(json, '$.type') AS type, json_extract(json, '$.content') AS content FROM entry
       WHERE session_key = ? AND json_extract(json, '$.type') IN ('user', 'assistant', 'notice') ORDER BY position`,
    ),
    insertReceipt: db.prepare("INSERT OR IGNORE INTO receipt (command_id, answer, at) VALUES (?, ?, ?)"),
    receiptById: db.prepare("SELECT answer FROM receipt WHERE command_id = ?"),
    dropReceipts: db.prepare("DELETE FROM receipt WHERE at < ?"),
  };
}

/** What a user does about a session as a whole: reading it, and deleting it for good. */
function prepareCareStatements(db: DatabaseSync) {
  return {
    noteAttention: db.prepare("UPDATE session SET attention_seq = ?, seen_seq = MAX(seen_seq, ?) WHERE key = ?"),
    /** Touches nothing that was already read. */
    markSeen: db.prepare(
      "UPDATE session SET seen_seq = ? WHERE id = ? AND attention_seq > seen_seq AND attention_seq <= ?",
    ),
    /** Before it is deleted: with it goes what tells which agent sessions stood behind it. */
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
