import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { AgentBinding, Commit, Continuation, LogFrame, Said } from "../../ports/session-log.ts";
import { ArmedWait } from "../../protocol/delegation.ts";
import { Entry } from "../../protocol/entry.ts";
import { FactBody, FactType, Seq } from "../../protocol/facts.ts";
import { TurnId } from "../../protocol/ids.ts";
import { PendingRequest } from "../../protocol/pending-request.ts";
import { PendingQuestion } from "../../protocol/question.ts";
import { SessionRow } from "../../protocol/server-messages.ts";
import { QueueItem, SessionConfig, Turn } from "../../protocol/session-parts.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState, UNTITLED } from "../../protocol/session-state.ts";

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

type Value = string | number | null;

/** What a session's row is made with, in the order of the statement that inserts it. */
export function createdValues(row: SessionRow, binding: AgentBinding): Value[] {
  const { id, projectId, cliType, title, createdAt, lastActiveAt, archived } = row;
  const { agentSessionId, createdAt: boundAt, cwd, state, since, adopted } = binding;
  const own = [id, projectId, cliType, title, createdAt, lastActiveAt, archived ? 1 : 0];
  return [...own, agentSessionId, boundAt, cwd, state, since, adopted === true ? 1 : 0];
}

/** What every commit changes in that row, in the order of the statement that updates it. */
export function committedValues({ state, lastActiveAt, continuation }: Commit): Value[] {
  const { title, archived, turn, seq, config } = state;
  return [
    ...[title, archived ? 1 : 0, JSON.stringify(turn), isTurnActive(turn) ? 1 : 0, seq],
    ...[config.usage && JSON.stringify(config.usage), lastActiveAt],
    ...[continuation.processId, continuation.heard, continuation.cancelling, continuation.agentSeenAt],
  ];
}

export function continuationFrom(row: Readonly<Record<string, unknown>>): Continuation {
  const processId = row["process_id"];
  const cancelling = row["cancelling"];
  const agentSeenAt = row["agent_seen_at"];
  return {
    processId: typeof processId === "string" ? processId : null,
    heard: Number(row["heard"]),
    cancelling: typeof cancelling === "string" ? TurnId.parse(cancelling) : null,
    agentSeenAt: typeof agentSeenAt === "string" ? agentSeenAt : null,
  };
}

/** For a server that goes on where an earlier one stopped. */
function continuationStatements(db: DatabaseSync) {
  return {
    attachedTo: db.prepare("SELECT id FROM session WHERE process_id = ? AND agent_state IN ('active', 'idle')"),
    resolvedFact: db.prepare(
      "SELECT seq, json FROM fact WHERE session_key = ? AND type = 'permission:resolved' AND json_extract(json, '$.permissionId') = ?",
    ),
  };
}

/** The working state of a session as it lies on disk, without the entries that have settled. */
const StoredState = z.object({
  seq: z.int(),
  title: z.string(),
  titleSource: z.enum(["none", "derived", "agent", "user"]),
  archived: z.boolean(),
  open: z.array(Entry),
  turn: Turn,
  pending: z.array(PendingRequest),
  /** Absent in states that were written before there were any. */
  visits: z.array(PendingQuestion).default([]),
  queue: z.array(QueueItem),
  queuePaused: z.boolean(),
  config: SessionConfig,
  waits: z.optional(z.array(ArmedWait)),
});

export function writeState(state: SessionState): string {
  return JSON.stringify(StoredState.parse(state));
}

export function readState(json: string): SessionState {
  const { waits, ...state } = StoredState.parse(JSON.parse(json));
  return { ...state, ...(waits !== undefined && { waits }), settled: [], hasMore: false };
}

type Row = Record<string, unknown>;

/** A session that nothing was said in here yet; a title it brought along is one, and the first message derives no other. */
export function titled(row: Row): SessionState {
  const title = String(row["title"]);
  const titleSource = title === UNTITLED ? "none" : "derived";
  return { ...EMPTY_SESSION, title, titleSource, archived: row["archived"] === 1 };
}

export function entryFrom(row: Row | undefined): Entry | null {
  return row ? Entry.parse(JSON.parse(String(row["json"]))) : null;
}

export function saidFrom(row: Row): Said {
  const type = row["type"];
  return { type: type === "user" || type === "notice" ? type : "assistant", content: String(row["content"]) };
}

export function factFrom(row: Row): FactBody & { seq: number } {
  return { ...FactBody.parse(JSON.parse(String(row["json"]))), seq: Seq.parse(row["seq"]) };
}

export function frameFrom(row: Row): LogFrame {
  return {
    seq: Seq.parse(row["seq"]),
    type: FactType.parse(row["type"]),
    json: String(row["json"]),
  };
}

export function bindingFrom(row: Row): AgentBinding {
  const state = row["agent_state"];
  return {
    agentSessionId: String(row["agent_session_id"]),
    createdAt: String(row["agent_session_at"]),
    cwd: String(row["cwd"]),
    state: state === "active" || state === "crashed" || state === "closed" ? state : "idle",
    since: String(row["agent_state_at"]),
    ...(row["adopted"] === 1 && { adopted: true }),
  };
}

export function sessionRowFrom(row: Row): SessionRow {
  return SessionRow.parse({
    id: row["id"],
    projectId: row["project_id"],
    title: row["title"],
    lastActiveAt: row["last_active_at"],
    createdAt: row["created_at"],
    cliType: row["cli_type"],
    archived: row["archived"] === 1,
    turn: JSON.parse(String(row["turn"])),
    parentId: row["parent_id"] ?? undefined,
    ...(typeof row["usage"] === "string" && { usage: JSON.parse(row["usage"]) }),
    ...(Number(row["armed_waits"]) > 0 && { waitsForAgents: true }),
    unread: Number(row["attention_seq"]) > Number(row["seen_seq"]),
  });
}
