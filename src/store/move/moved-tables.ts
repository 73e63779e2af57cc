/** A table that both databases have. */
export interface MovedTable {
  readonly name: string;
  /** Rows are read and written in this order: referenced rows come first. */
  readonly orderedBy: string;
  /** The number of rows per batch: few where they are large. */
  readonly rowsMax: number;
}

const MANY = 1_000;
const SOME = 200;
const FEW = 20;

/**
 * All stored tables, ordered so that no row refers to a later one. The text of the search index is not among them: it
 * is built again.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: "project", orderedBy: "position, id", rowsMax: MANY },
  { name: "session", orderedBy: "key", rowsMax: FEW },
  { name: "fact", orderedBy: "session_key, seq", rowsMax: SOME },
  { name: "entry", orderedBy: "session_key, position", rowsMax: SOME },
  { name: "output_piece", orderedBy: "session_key, entry_id, part, start", rowsMax: FEW },
  { name: "draft_attachments", orderedBy: "session_key", rowsMax: FEW },
  { name: "receipt", orderedBy: "command_id", rowsMax: SOME },
  { name: "pack", orderedBy: "session_id, entry_id", rowsMax: FEW },
  { name: "policy_mode", orderedBy: "scope, target", rowsMax: MANY },
  { name: "policy_rule", orderedBy: "key", rowsMax: MANY },
  { name: "permission_record", orderedBy: "key", rowsMax: SOME },
  { name: "delegation", orderedBy: "session_key", rowsMax: MANY },
  { name: "turn_usage", orderedBy: "session_id, turn_id", rowsMax: MANY },
  { name: "agent_session", orderedBy: "cli_type, agent_session_id", rowsMax: MANY },
  { name: "forgotten_session", orderedBy: "cli_type, agent_session_id", rowsMax: MANY },
  { name: "imported_file", orderedBy: "project_id, digest", rowsMax: MANY },
  { name: "agent_choice", orderedBy: "cli_type, config_id", rowsMax: MANY },
  { name: "agent_process", orderedBy: "cli_type", rowsMax: MANY },
  { name: "agent_limits", orderedBy: "cli_type", rowsMax: MANY },
  { name: "model_favourite", orderedBy: "cli_type, model", rowsMax: MANY },
  { name: "tool_choice", orderedBy: "project_id, name", rowsMax: MANY },
  { name: "person", orderedBy: "id", rowsMax: MANY },
  { name: "person_role", orderedBy: "person_id, project_id", rowsMax: MANY },
  { name: "device", orderedBy: "id", rowsMax: MANY },
  { name: "push_subscription", orderedBy: "endpoint", rowsMax: MANY },
  { name: "api_token", orderedBy: "id", rowsMax: MANY },
  { name: "hook", orderedBy: "name", rowsMax: MANY },
  { name: "snippet", orderedBy: "id", rowsMax: SOME },
  { name: "schedule", orderedBy: "id", rowsMax: SOME },
  { name: "schedule_run", orderedBy: "schedule_id, due_at", rowsMax: SOME },
  { name: "notice", orderedBy: "subject, target_id", rowsMax: SOME },
];

/** Filled by triggers while sessions are written; the moved rows replace theirs. */
export const FILLED_BY_TRIGGERS = "agent_session";

export type Value = string | number | null;
export type MovedRow = Readonly<Record<string, Value>>;

/** The tables of one database, as rows. */
export interface Tables {
  /** By name, in the order of the table. */
  columns(table: MovedTable): Promise<readonly string[]>;
  /** Some rows at a time. */
  read(table: MovedTable, columns: readonly string[]): AsyncIterable<readonly MovedRow[]>;
  /** A new database has no rows. */
  isEmpty(): Promise<boolean>;
}

/** Where rows can be written, all of them or none. */
export interface WritableTables {
  clear(name: string): Promise<void>;
  /** Columns of this database that the other one does not have are filled by it. */
  write(table: MovedTable, columns: readonly string[], rows: readonly MovedRow[]): Promise<void>;
  /** After the last row: sequences continue after the existing numbers, and the search index is rebuilt. */
  finish(): Promise<void>;
}
