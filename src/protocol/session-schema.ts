import { z } from "zod/mini";
import { Attempt } from "./attempt-ref.ts";
import { ChangeCounts } from "./changes.ts";
import { Primer, SessionAway, SessionOrigin, SessionPause } from "./conversations.ts";
import { ArmedWait } from "./delegation.ts";
import type { Entry } from "./entry.ts";
import { CliType, ProjectId, Seq, SessionId } from "./ids.ts";
import { PendingRequest } from "./pending-request.ts";
import { PendingQuestion } from "./question.ts";
import { EMPTY_CONFIG, QueueItem, SessionConfig, Turn, TurnError, Usage } from "./session-parts.ts";
import { SessionWorktree } from "./worktree-ref.ts";

/**
 * The one schema of a session. Its fields are listed in the three tables below and nowhere else: the row in lists, the
 * state that facts fold into, the messages that carry either, the snapshot on disk and the columns of the `session`
 * table are all derived from them. docs/architecture.md says how to add a field.
 */

/**
 * A column of the `session` table. `flag` is a boolean that is absent when false. With `sql` the value is computed when
 * the row is read, and nothing writes it by this name.
 */
export interface Column {
  readonly name: string;
  readonly encoding: "text" | "integer" | "boolean" | "flag" | "json";
  readonly sql?: string;
}
const text = (name: string): Column => ({ name, encoding: "text" });
const boolean = (name: string): Column => ({ name, encoding: "boolean" });
const json = (name: string): Column => ({ name, encoding: "json" });

/** A field of the state; `initial` is its value before the first fact. */
const field = <Type extends z.ZodMiniType>(type: Type, initial: z.output<Type>) => ({ type, initial });
/** A field that snapshots and servers of earlier versions lack: it is read with its initial value. */
const laterField = <Type extends z.ZodMiniType>(type: Type, initial: z.core.util.NoUndefined<z.output<Type>>) =>
  field(z._default(type, initial), initial);

export const UNTITLED = "New Session";
/** The source of the title: a user's has priority over the agent's, which has priority over the derived one. */
export const TitleSource = z.enum(["none", "derived", "agent", "user"]);

/** In the state and in the row: every commit copies them from the state into their columns. */
const SHARED_FIELDS = {
  title: { ...field(z.string(), UNTITLED), column: text("title") },
  archived: { ...field(z.boolean(), false), column: boolean("archived") },
  turn: { ...field(Turn, { state: "idle" }), column: json("turn") },
  /** Files that its turns changed and that are neither reviewed nor committed; null when there are none. */
  changes: { ...laterField(z.nullable(ChangeCounts), null), column: json("changes") },
  /** The worktree it works in; null in the project's own directory. */
  worktree: { ...laterField(z.nullable(SessionWorktree), null), column: json("worktree") },
  /** Set while it waits for the end of a usage limit. */
  pause: { ...laterField(z.nullable(SessionPause), null), column: json("pause") },
  /** Set while the conversation is continued in a terminal. */
  away: { ...laterField(z.nullable(SessionAway), null), column: json("away") },
  /** Shown above the others of its project. */
  pinned: { ...laterField(z.boolean(), false), column: boolean("pinned") },
  /** The user's labels, in the order in which they were given. */
  labels: { ...laterField(z.array(z.string()), []), column: json("labels") },
  /** The user has dismissed its failure: it no longer asks for attention. The next turn resets this. */
  dismissed: { ...laterField(z.boolean(), false), column: boolean("dismissed") },
};

/** Only in the state: in the snapshot, and in what a follower receives when it opens the session. */
const STATE_FIELDS = {
  /** Sequence of the last fact folded in; 0 before the first. */
  seq: field(Seq, 0),
  titleSource: field(TitleSource, "none"),
  /** Open permissions and questions, oldest first. */
  pending: field(z.array(PendingRequest), []),
  /** Pages the user agreed to open, until the agent is done with them. */
  visits: laterField(z.array(PendingQuestion), []),
  queue: field(z.array(QueueItem), []),
  /** A stop by the user or a failure pauses the queue until the user sends again. */
  queuePaused: field(z.boolean(), false),
  config: field(SessionConfig, EMPTY_CONFIG),
  /** What will wake the session automatically. */
  waits: laterField(z.array(ArmedWait), []),
  /** Notes for the agent that are sent with the next prompt, for example which files were restored. */
  agentNotes: laterField(z.array(z.string()), []),
  /** The notes sent with the prompt of the running turn; returned to `agentNotes` if the agent sent nothing in it. */
  toldNotes: laterField(z.array(z.string()), []),
  /** Calls that outlive their turn: active sub-agents and their calls. Derived from the entries. */
  subAgentCalls: laterField(z.array(z.string()), []),
  /** The context pack for the first message after a branch, a move or a loss of memory; null: none. */
  primer: laterField(z.nullable(Primer), null),
};

/** `failed`: no message was sent yet that could show it; `error` is the reason, and `session:reconnect` retries. */
const SessionStart = z.discriminatedUnion("state", [
  z.object({ state: z.literal("starting") }),
  z.object({ state: z.literal("failed"), error: TurnError }),
]);
export type SessionStart = z.infer<typeof SessionStart>;

/** Only in the row: what lists show of a session besides the shared fields. */
const ROW_FIELDS = {
  id: { type: SessionId, column: text("id") },
  projectId: { type: ProjectId, column: text("project_id") },
  cliType: { type: CliType, column: text("cli_type") },
  createdAt: { type: z.string(), column: text("created_at") },
  lastActiveAt: { type: z.string(), column: text("last_active_at") },
  parentId: { type: z.optional(SessionId), column: text("parent_id") },
  /** The session whose conversation it started with. */
  origin: { type: z.optional(SessionOrigin), column: json("origin") },
  /** It is one of several at a task. */
  attempt: { type: z.optional(Attempt), column: json("attempt") },
  unread: {
    type: z.optional(z.boolean()),
    column: { name: "unread", encoding: "boolean", sql: "attention_seq > seen_seq OR marked_unread" } satisfies Column,
  },
  /** Its turn has ended, and it continues automatically when its agents have finished. */
  waitsForAgents: {
    type: z.optional(z.boolean()),
    column: { name: "waits_for_agents", encoding: "flag", sql: "armed_waits > 0" } satisfies Column,
  },
  /** How full the agent's context is, and what the session has cost so far: `config.usage` of the state. */
  usage: { type: z.optional(Usage), column: json("usage") },
  /** Of a session created without waiting for its agent, until that is attached. Kept in memory only. */
  start: { type: z.optional(SessionStart) },
};

type Fields = Readonly<Record<string, { readonly type: z.ZodMiniType }>>;
type ShapeOf<Table extends Fields> = { [Name in keyof Table]: Table[Name]["type"] };

/** One property of every field of a table, by the names of the fields. */
function pluck(table: object, property: "type" | "initial" | "column"): Record<string, unknown> {
  const found = Object.entries(table).filter(([, field]) => property in field);
  return Object.fromEntries(found.map(([name, field]) => [name, field[property]]));
}

function shapeOf<Table extends Fields>(table: Table): ShapeOf<Table> {
  return pluck(table, "type") as ShapeOf<Table>;
}

/** A session in lists. */
export const SessionRow = z.object({ ...shapeOf(ROW_FIELDS), ...shapeOf(SHARED_FIELDS) });
export type SessionRow = z.infer<typeof SessionRow>;

/** The fields of the state as they are stored and sent; entries go beside them, each time in another form. */
export const SessionFields = z.object({ ...shapeOf(STATE_FIELDS), ...shapeOf(SHARED_FIELDS) });
export type SessionFields = z.infer<typeof SessionFields>;

type WithReadonlyLists<Value> = {
  readonly [Name in keyof Value]: Value[Name] extends readonly (infer Item)[] ? readonly Item[] : Value[Name];
};

/** The state of a session after the facts folded so far. Plain data: it can be stored, sent and compared. */
export interface SessionState extends WithReadonlyLists<SessionFields> {
  /** Entries of ended turns, oldest first; never copied while text streams. */
  readonly settled: readonly Entry[];
  /**
   * Entries since the last turn ended, kept separately so that a chunk costs the same in a long session as in a short
   * one.
   */
  readonly open: readonly Entry[];
  /** True if entries older than `settled` exist but are not loaded. */
  readonly hasMore: boolean;
}

type SharedFields = Pick<SessionRow, keyof typeof SHARED_FIELDS>;
const INITIAL_SHARED = pluck(SHARED_FIELDS, "initial") as SharedFields;
const INITIAL_FIELDS = { ...pluck(STATE_FIELDS, "initial"), ...INITIAL_SHARED } as SessionFields;

export const EMPTY_SESSION: SessionState = { ...INITIAL_FIELDS, settled: [], open: [], hasMore: false };

/** The row of a new session, with the values in `known`. */
export function newSessionRow(
  known: Pick<SessionRow, "id" | "projectId" | "cliType" | "createdAt"> & Partial<SessionRow>,
): SessionRow {
  return { ...INITIAL_SHARED, unread: false, lastActiveAt: known.createdAt, ...known };
}

/** The state before the first fact of a session that was created with this row; a title of its own counts as derived. */
export function stateFromRow(row: SessionRow): SessionState {
  const shared = pick(row, Object.keys(SHARED_FIELDS)) as SharedFields;
  const titleSource = row.title === UNTITLED ? "none" : "derived";
  return { ...EMPTY_SESSION, ...shared, turn: EMPTY_SESSION.turn, titleSource };
}

/** The fields of the state alone, from a state or from a message that carries them. */
export function sessionFieldsOf(from: WithReadonlyLists<SessionFields>): SessionFields {
  return pick(from, Object.keys(INITIAL_FIELDS)) as SessionFields;
}

function pick(from: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, Reflect.get(from, name)]));
}

type ColumnsOf<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { column: Column } ? Name : never]: Column;
};
/** The columns that every commit copies from the state. */
export const SHARED_COLUMNS = pluck(SHARED_FIELDS, "column") as ColumnsOf<typeof SHARED_FIELDS>;
/** The columns of the row. */
export const ROW_COLUMNS = { ...pluck(ROW_FIELDS, "column"), ...SHARED_COLUMNS } as ColumnsOf<
  typeof ROW_FIELDS & typeof SHARED_FIELDS
>;

export function isTurnActive(turn: Turn): boolean {
  return turn.state !== "idle";
}
