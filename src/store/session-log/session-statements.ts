import type { DatabaseSync } from "node:sqlite";
import { z } from "zod/mini";
import type { AgentBinding, Commit, Continuation, LogFrame, Said } from "../../ports/session-log.ts";
import { Entry } from "../../protocol/entry.ts";
import { FactBody, FactType } from "../../protocol/facts.ts";
import { Seq, TurnId } from "../../protocol/ids.ts";
import {
  type Column,
  isTurnActive,
  ROW_COLUMNS,
  SessionFields,
  SessionRow,
  type SessionState,
  SHARED_COLUMNS,
} from "../../protocol/session-schema.ts";

type Value = string | number | null;
type Row = Readonly<Record<string, unknown>>;
type Columns = Readonly<Record<string, Column>>;

/** The agent's side of a session, beside the row that lists show. */
const BINDING_COLUMNS: Readonly<Record<keyof AgentBinding, Column>> = {
  agentSessionId: { name: "agent_session_id", encoding: "text" },
  createdAt: { name: "agent_session_at", encoding: "text" },
  cwd: { name: "cwd", encoding: "text" },
  state: { name: "agent_state", encoding: "text" },
  since: { name: "agent_state_at", encoding: "text" },
  adopted: { name: "adopted", encoding: "boolean" },
};
const CONTINUATION_COLUMNS: Readonly<Record<keyof Continuation, Column>> = {
  processId: { name: "process_id", encoding: "text" },
  lastLine: { name: "heard", encoding: "integer" },
  cancelling: { name: "cancelling", encoding: "text" },
  agentSeenAt: { name: "agent_seen_at", encoding: "text" },
};
/** Written when the session is created, and read whole with it. */
const CREATED_COLUMNS = storedNames(ROW_COLUMNS, BINDING_COLUMNS);
/** Written with every commit. */
const COMMITTED_COLUMNS = [...storedNames(SHARED_COLUMNS, CONTINUATION_COLUMNS), "usage", "unfinished", "last_seq"];
const COMPUTED_COLUMNS = Object.values(ROW_COLUMNS).flatMap(({ name, sql }) =>
  sql === undefined ? [] : [`${sql} AS ${name}`],
);
/** The whole record, with the columns that are computed from others. */
const SELECT_SESSION = `SELECT ${["*", ...COMPUTED_COLUMNS].join(", ")} FROM session`;

function storedNames(...tables: readonly Columns[]): string[] {
  return tables.flatMap((columns) =>
    Object.values(columns).flatMap(({ name, sql }) => (sql === undefined ? [name] : [])),
  );
}

/** `title = :title, …` */
function assignments(names: readonly string[]): string {
  return names.map((name) => `${name} = :${name}`).join(", ");
}

/** The values of these columns, by their names: parameters of a statement. */
function encode(columns: Columns, from: Row): Record<string, Value> {
  const stored = Object.entries(columns).filter(([, { sql }]) => sql === undefined);
  return Object.fromEntries(stored.map(([field, { name, encoding }]) => [name, encodeValue(encoding, from[field])]));
}

function encodeValue(encoding: Column["encoding"], value: unknown): Value {
  switch (encoding) {
    case "boolean":
    case "flag":
      return value === true ? 1 : 0;
    case "json":
      return value === undefined || value === null ? null : JSON.stringify(value);
    case "integer":
      return Number(value);
    case "text":
      return value === undefined || value === null ? null : String(value);
    default:
      return encoding satisfies never;
  }
}

/** The fields behind these columns; a field that has no value is absent. */
function decode(columns: Columns, row: Row): Record<string, unknown> {
  const fields = Object.entries(columns).map(([field, { name, encoding }]) => [
    field,
    decodeValue(encoding, row[name]),
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function decodeValue(encoding: Column["encoding"], value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  switch (encoding) {
    case "boolean":
      return value === 1;
    case "flag":
      return value === 1 ? true : undefined;
    case "json":
      return JSON.parse(String(value));
    case "integer":
      return Number(value);
    case "text":
      return String(value);
    default:
      return encoding satisfies never;
  }
}

/** Every statement the session log runs, prepared once. */
export function prepareSessionStatements(db: DatabaseSync) {
  return {
    ...prepareCareStatements(db),
    insertSession: db.prepare(
      `INSERT INTO session (${CREATED_COLUMNS.join(", ")}) VALUES (${CREATED_COLUMNS.map((name) => `:${name}`).join(", ")})`,
    ),
    sessionById: db.prepare(`${SELECT_SESSION} WHERE id = ?`),
    keyById: db.prepare("SELECT key FROM session WHERE id = ?"),
    rows: db.prepare(`${SELECT_SESSION} WHERE project_id = ? AND archived <= ? ORDER BY last_active_at DESC, key DESC`),
    unfinished: db.prepare("SELECT id FROM session WHERE unfinished = 1"),
    updateSession: db.prepare(
      `UPDATE session SET ${assignments(COMMITTED_COLUMNS)}, last_active_at = COALESCE(:last_active_at, last_active_at)
       WHERE key = :key`,
    ),
    ...continuationStatements(db),
    updateBinding: db.prepare(`UPDATE session SET ${assignments(storedNames(BINDING_COLUMNS))} WHERE key = :key`),
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

/** What a session is created with. */
export function createdValues(row: SessionRow, binding: AgentBinding): Record<string, Value> {
  return { ...encode(ROW_COLUMNS, row), ...encode(BINDING_COLUMNS, { ...binding }) };
}

/** What every commit changes in that record. */
export function committedValues(key: number, { state, lastActiveAt, continuation }: Commit): Record<string, Value> {
  return {
    ...encode(SHARED_COLUMNS, { ...state }),
    ...encode(CONTINUATION_COLUMNS, { ...continuation }),
    usage: encodeValue(ROW_COLUMNS.usage.encoding, state.config.usage),
    unfinished: isTurnActive(state.turn) ? 1 : 0,
    last_seq: state.seq,
    last_active_at: lastActiveAt,
    key,
  };
}

export function bindingValues(key: number, binding: AgentBinding): Record<string, Value> {
  return { ...encode(BINDING_COLUMNS, { ...binding }), key };
}

export function continuationFrom(row: Row): Continuation {
  const processId = row["process_id"];
  const cancelling = row["cancelling"];
  const agentSeenAt = row["agent_seen_at"];
  return {
    processId: typeof processId === "string" ? processId : null,
    lastLine: Number(row["heard"]),
    cancelling: typeof cancelling === "string" ? TurnId.parse(cancelling) : null,
    agentSeenAt: typeof agentSeenAt === "string" ? agentSeenAt : null,
  };
}

/** For a server that goes on where an earlier one stopped. */
function continuationStatements(db: DatabaseSync) {
  return {
    attachedTo: db.prepare("SELECT id FROM session WHERE process_id = ? AND agent_state IN ('active', 'idle')"),
    resolvedFacts: db.prepare(
      "SELECT seq, json FROM fact WHERE session_key = ? AND type = 'permission:resolved' ORDER BY seq",
    ),
  };
}

/** The working state of a session as it is stored, without the entries that have settled. */
const Snapshot = z.object({ ...SessionFields.shape, open: z.array(Entry) });

export function writeState(state: SessionState): string {
  return JSON.stringify(Snapshot.parse(state));
}

export function readState(json: string): SessionState {
  return { ...Snapshot.parse(JSON.parse(json)), settled: [], hasMore: false };
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
  return SessionRow.parse(decode(ROW_COLUMNS, row));
}
