import { z } from "zod/mini";
import {
  type AgentBinding,
  type Commit,
  type Continuation,
  type LogFrame,
  type Said,
  StoredAnswer,
} from "../../ports/session-log.ts";
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

export type Value = string | number | null;
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
  answers: { name: "answers", encoding: "json" },
  agentSeenAt: { name: "agent_seen_at", encoding: "text" },
};
/** Written when the session is created, and read with it. */
export const CREATED_COLUMNS = storedNames(ROW_COLUMNS, BINDING_COLUMNS);
/** Written with every commit. */
export const COMMITTED_COLUMNS = [
  ...storedNames(SHARED_COLUMNS, CONTINUATION_COLUMNS),
  "usage",
  "unfinished",
  "sub_agents",
  "last_seq",
];
/** Those that every commit raises. Most commits of a streaming agent change no others. */
export const RAISED_COLUMNS = ["heard", "last_seq"] as const;
const WRITTEN_NUMBERS = ["unfinished", "sub_agents", "last_seq"];
/** The columns of whole numbers; those of all others are texts. */
export const NUMBER_COLUMNS: ReadonlySet<string> = new Set([
  ...[ROW_COLUMNS, BINDING_COLUMNS, CONTINUATION_COLUMNS].flatMap((columns: Columns) =>
    Object.values(columns).flatMap(({ name, encoding }) => (encoding === "text" || encoding === "json" ? [] : [name])),
  ),
  ...WRITTEN_NUMBERS,
]);
export const COMPUTED_COLUMNS = Object.values(ROW_COLUMNS).flatMap(({ name, sql }) =>
  sql === undefined ? [] : [`${sql} AS ${name}`],
);
/** Written when the session is bound to another agent session. */
export const BOUND_COLUMNS = storedNames(BINDING_COLUMNS);

function storedNames(...tables: readonly Columns[]): string[] {
  return tables.flatMap((columns) =>
    Object.values(columns).flatMap(({ name, sql }) => (sql === undefined ? [name] : [])),
  );
}

/** A field and the column it is stored in. */
type StoredColumn = readonly [field: string, column: Column];

const STORED_ROW = storedColumns(ROW_COLUMNS);
const STORED_SHARED = storedColumns(SHARED_COLUMNS);
const STORED_BINDING = storedColumns(BINDING_COLUMNS);
const STORED_CONTINUATION = storedColumns(CONTINUATION_COLUMNS);

/** Listed once: every commit writes them. */
function storedColumns(columns: Columns): readonly StoredColumn[] {
  return Object.entries(columns).filter(([, { sql }]) => sql === undefined);
}

/** Adds the values of these columns, by their names: parameters of a statement. */
function encode(columns: readonly StoredColumn[], from: Row, into: Record<string, Value>): void {
  for (const [field, { name, encoding }] of columns) into[name] = encodeValue(encoding, from[field]);
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

/** The fields behind these columns; a field without a value is absent. */
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

/** What a session is created with. */
export function createdValues(row: SessionRow, binding: AgentBinding): Record<string, Value> {
  const values: Record<string, Value> = {};
  encode(STORED_ROW, row, values);
  encode(STORED_BINDING, { ...binding }, values);
  return values;
}

/** What every commit changes in that record. */
export function committedValues(key: number, { state, lastActiveAt, continuation }: Commit): Record<string, Value> {
  const values: Record<string, Value> = {
    usage: encodeValue(ROW_COLUMNS.usage.encoding, state.config.usage),
    unfinished: isTurnActive(state.turn) ? 1 : 0,
    sub_agents: state.subAgentCalls.length,
    last_seq: state.seq,
    last_active_at: lastActiveAt,
    key,
  };
  encode(STORED_SHARED, { ...state }, values);
  encode(STORED_CONTINUATION, { ...continuation }, values);
  return values;
}

/** The same of a commit that leaves the other columns as they are. */
export function raisedValues(key: number, { state, lastActiveAt, continuation }: Commit) {
  return { heard: continuation.lastLine, last_seq: state.seq, last_active_at: lastActiveAt, key };
}

const FURTHER_FIELDS = STORED_CONTINUATION.flatMap(([field]) => (field === "lastLine" ? [] : [field]));

/** What the columns are written from, but for the numbers that every commit raises: the same makes the same columns. */
export function columnSources({ state, continuation }: Commit): readonly unknown[] {
  return [
    ...STORED_SHARED.map(([field]): unknown => Reflect.get(state, field)),
    ...FURTHER_FIELDS.map((field): unknown => Reflect.get(continuation, field)),
    state.config.usage,
    isTurnActive(state.turn),
    state.subAgentCalls.length,
  ];
}

export function bindingValues(key: number, binding: AgentBinding): Record<string, Value> {
  const values: Record<string, Value> = { key };
  encode(STORED_BINDING, { ...binding }, values);
  return values;
}

export function continuationFrom(row: Row): Continuation {
  const processId = row["process_id"];
  const cancelling = row["cancelling"];
  const answers = row["answers"];
  const agentSeenAt = row["agent_seen_at"];
  return {
    processId: typeof processId === "string" ? processId : null,
    lastLine: Number(row["heard"]),
    cancelling: typeof cancelling === "string" ? TurnId.parse(cancelling) : null,
    answers: typeof answers === "string" ? z.array(StoredAnswer).parse(JSON.parse(answers)) : [],
    agentSeenAt: typeof agentSeenAt === "string" ? agentSeenAt : null,
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
