import { invariant } from "../../lib/assert.ts";
import { ignore } from "../../lib/ignore.ts";
import type { Delegation } from "../../ports/delegation-store.ts";
import type {
  AgentBinding,
  Commit,
  EntryPage,
  LogFrame,
  OutputPiece,
  OutputRange,
  Receipt,
  Said,
  SessionLog,
  StoredSession,
} from "../../ports/session-log.ts";
import { Entry, UserEntry } from "../../protocol/entry.ts";
import { type EntryId, type PermissionId, type ProjectId, SessionId, TurnId } from "../../protocol/ids.ts";
import { reduceSession } from "../../protocol/reduce-session.ts";
import type { PermissionOutcome } from "../../protocol/session-parts.ts";
import { type SessionRow, type SessionState, stateFromRow, UNTITLED } from "../../protocol/session-schema.ts";
import { shortenEntry } from "../../protocol/shorten-entry.ts";
import { FrameCaches } from "../session-log/frame-cache.ts";
import { KnownColumns } from "../session-log/known-columns.ts";
import {
  bindingFrom,
  COMPUTED_COLUMNS,
  CREATED_COLUMNS,
  continuationFrom,
  createdValues,
  entryFrom,
  factFrom,
  frameFrom,
  readState,
  sessionRowFrom,
} from "../session-log/session-columns.ts";
import { contentOf, placeOf } from "../session-log/stored-outputs.ts";
import { reportsUsage } from "../session-log/usage-records.ts";
import { type Burst, frameOf, previousSeqOf, raisesOnly } from "./burst.ts";
import { burstStatement } from "./burst-statement.ts";
import { type CommitFigures, PostgresCommitter, TakenOverError } from "./committer.ts";
import { type PostgresDatabase, type Queries, type Row, texts } from "./database.ts";
import { PostgresDrafts } from "./drafts.ts";
import { indexTitle, releaseInherited } from "./search-writer.ts";

const PAGE_CHARS_MAX = 8_000_000;
/** No character has more bytes than that. */
const PAGE_BYTES_READ_MAX = 4 * PAGE_CHARS_MAX;
/** For an entry far back: few answers, each of which is read quickly. */
const LONG_PAGE_ENTRIES_MAX = 4_000;
/** Above every position and every number of a fact. */
const NO_LIMIT = 2_147_483_647;

/** What is computed is a condition, and a condition is a number where rows are decoded. */
const COMPUTED = COMPUTED_COLUMNS.map((column) =>
  column.replace(/^(.*) AS (\w+)$/, "CASE WHEN $1 THEN 1 ELSE 0 END AS $2"),
);
const SELECT_SESSION = `SELECT ${["*", ...COMPUTED].join(", ")} FROM session`;

export class PostgresSessionLog implements SessionLog {
  readonly #db: PostgresDatabase;
  readonly #epoch: number;
  readonly #onLeft: () => void;
  readonly #committer: PostgresCommitter;
  readonly #committing: PostgresDatabase;
  readonly drafts: PostgresDrafts;
  readonly #keys = new Map<SessionId, number>();
  readonly #caches = new FrameCaches();
  readonly #known = new KnownColumns();
  #commitCount = 0;

  /** `epoch`: of this server as the owner of the database. `onLeft`: the search index may have work left. */
  constructor(
    db: PostgresDatabase,
    epoch: number,
    onLeft: () => void = ignore("this log has no readers and no cleanup"),
  ) {
    this.#db = db;
    this.#epoch = epoch;
    this.#onLeft = onLeft;
    this.#committing = db.beside({ connectionsMax: 1 });
    this.#committer = new PostgresCommitter(this.#committing, epoch, (burst) => this.#stored(burst));
    this.drafts = new PostgresDrafts(db);
  }

  get figures(): CommitFigures {
    return this.#committer.figures;
  }

  /** The server is about to end: nothing waits any more for a database that is away. */
  leave(): void {
    this.#committer.leave();
  }

  /** Another server has taken over: nothing more is stored. */
  lose(): void {
    this.#committer.lose();
  }

  async close(): Promise<void> {
    this.#committer.close();
    await this.#committing.close();
  }

  create(row: SessionRow, binding: AgentBinding, receipt: Receipt | null, delegation?: Delegation): Promise<void> {
    return this.#db.transaction(async (tx) => void (await this.createNow(tx, row, binding, receipt, delegation)));
  }

  /** In the caller's transaction. */
  async createNow(
    tx: Queries,
    row: SessionRow,
    binding: AgentBinding,
    receipt: Receipt | null,
    delegation?: Delegation,
  ): Promise<number> {
    const key = await this.#insert(tx, row, binding);
    if (row.title !== UNTITLED) await indexTitle(tx, key, row.title);
    if (delegation) await addDelegation(tx, key, row.id, delegation);
    if (receipt) await writeReceipt(tx, receipt);
    return key;
  }

  async #insert(tx: Queries, row: SessionRow, binding: AgentBinding): Promise<number> {
    await this.#mustOwn(tx);
    const created = createdValues(row, binding);
    const names = [...CREATED_COLUMNS, "origin_id"];
    const values = [...CREATED_COLUMNS.map((name) => created[name] ?? null), row.origin?.sessionId ?? null];
    const inserted = await tx.row(
      `INSERT INTO session (${names.join(", ")}) VALUES (${names.map((_, nth) => `$${nth + 1}`).join(", ")}) RETURNING key`,
      values,
    );
    return Number(inserted?.["key"]);
  }

  /** Nothing else is stored by a server that another one has taken over from. */
  async #mustOwn(tx: Queries): Promise<void> {
    const row = await tx.row("SELECT epoch FROM owner WHERE epoch = $1 FOR SHARE", [this.#epoch]);
    if (!row) throw new TakenOverError();
  }

  async commit(sessionId: SessionId, commit: Commit): Promise<void> {
    const key = await this.#key(sessionId);
    invariant(key !== null, `commit to unknown session ${sessionId}`);
    const [before, options] = await Promise.all([this.#before(key, commit), this.#options(key, commit)]);
    await this.#committer.commit({
      ...{ key, sessionId, commit, before, options },
      frames: commit.facts.map(frameOf),
      previousSeq: previousSeqOf(commit),
      commitId: this.#nextCommitId(),
      isRaisedOnly: raisesOnly(commit) && this.#known.has(sessionId, commit),
    });
    if (commit.isSearchedLater) this.#onLeft();
  }

  /** No other commit has it: the epoch is this server's alone. */
  #nextCommitId(): string {
    this.#commitCount += 1;
    return `${this.#epoch}.${this.#commitCount}`;
  }

  /** Only now: a reader must never see data of a failed transaction. */
  #stored({ sessionId, frames, commit }: Burst): void {
    this.#known.keep(sessionId, commit);
    const cache = this.#caches.of(sessionId);
    for (const frame of frames) cache.push(frame);
  }

  /** Stores all of a new session inside the caller's transaction; it has no followers yet. */
  async writeNow(tx: Queries, key: number, sessionId: SessionId, commit: Commit): Promise<void> {
    const burst: Burst = {
      ...{ key, sessionId, commit, before: null, options: new Map() },
      frames: commit.facts.map(frameOf),
      previousSeq: 0,
      commitId: this.#nextCommitId(),
      isRaisedOnly: false,
    };
    const { statement, values } = burstStatement([burst], this.#epoch);
    // That transaction may fail.
    this.#known.forget(sessionId);
    if ((await tx.rows(statement, values)).length === 0) throw new TakenOverError();
  }

  /** The search index has work left: for whoever stored something in a transaction of its own, after it. */
  leftBehind(): void {
    this.#onLeft();
  }

  /** Nearly always nothing. */
  async #before(key: number, { payer, facts }: Commit): Promise<Row | null> {
    if (!payer || !reportsUsage(facts)) return null;
    return await this.#db.row("SELECT usage, turn FROM session WHERE key = $1", [key]);
  }

  async #options(key: number, { facts }: Commit): Promise<ReadonlyMap<string, string>> {
    const answered = facts.flatMap((fact) => (fact.type === "permission:resolved" ? [fact.permissionId] : []));
    if (answered.length === 0) return new Map();
    const rows = await this.#db.rows(
      "SELECT permission_id, options FROM permission_record WHERE session_key = $1 AND permission_id = ANY($2::text[])",
      [key, texts(answered)],
    );
    return new Map(rows.map((row) => [String(row["permission_id"]), String(row["options"])]));
  }

  async delete(sessionId: SessionId, receipt: Receipt | null): Promise<void> {
    const key = await this.#key(sessionId);
    if (key === null) return;
    await this.#db.transaction(async (tx) => {
      await this.#mustOwn(tx);
      await tx.run("SELECT key FROM session WHERE key = $1 FOR UPDATE", [key]);
      await tx.run("DELETE FROM policy_mode WHERE scope = 'session' AND target = $1", [sessionId]);
      await tx.run("DELETE FROM policy_rule WHERE scope = 'session' AND target = $1", [sessionId]);
      await tx.run("DELETE FROM pack WHERE session_id = $1", [sessionId]);
      await releaseInherited(tx, sessionId);
      await tx.run(
        `INSERT INTO forgotten_session (cli_type, agent_session_id)
         SELECT cli_type, agent_session_id FROM agent_session WHERE session_key = $1 ON CONFLICT DO NOTHING`,
        [key],
      );
      await tx.run("DELETE FROM fact WHERE session_key = $1", [key]);
      await tx.run("DELETE FROM session WHERE key = $1", [key]);
      if (receipt) await writeReceipt(tx, receipt);
    });
    this.#keys.delete(sessionId);
    this.#caches.delete(sessionId);
    this.#known.forget(sessionId);
    this.#onLeft();
  }

  async markSeen(sessionId: SessionId, seq: number): Promise<boolean> {
    const changed = await this.#db.run(
      `UPDATE session SET seen_seq = GREATEST(seen_seq, $1::integer), marked_unread = false
       WHERE id = $2 AND (attention_seq > seen_seq OR marked_unread) AND attention_seq <= $1::integer`,
      [seq, sessionId],
    );
    return changed > 0;
  }

  async markUnread(sessionId: SessionId, isUnread: boolean): Promise<boolean> {
    const changed = await this.#db.run(
      isUnread
        ? "UPDATE session SET marked_unread = true WHERE id = $1 AND attention_seq <= seen_seq AND NOT marked_unread"
        : `UPDATE session SET seen_seq = GREATEST(seen_seq, attention_seq), marked_unread = false
           WHERE id = $1 AND (attention_seq > seen_seq OR marked_unread)`,
      [sessionId],
    );
    return changed > 0;
  }

  load(sessionId: SessionId): Promise<StoredSession | null> {
    return this.#db.transaction(async (tx) => {
      // Both reads see the same moment.
      await tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      const row = await tx.row(`${SELECT_SESSION} WHERE id = $1`, [sessionId]);
      if (!row) return null;
      const snapshot =
        typeof row["snapshot"] === "string" ? readState(row["snapshot"]) : stateFromRow(sessionRowFrom(row));
      const tail = await tx.rows(
        "SELECT seq, type, json FROM fact WHERE session_key = $1::bigint AND seq > $2::bigint ORDER BY seq",
        [Number(row["key"]), Number(row["snapshot_seq"])],
      );
      const state = tail.reduce<SessionState>((folded, fact) => reduceSession(folded, factFrom(fact)), snapshot);
      return { row: sessionRowFrom(row), binding: bindingFrom(row), continuation: continuationFrom(row), state };
    });
  }

  async row(sessionId: SessionId): Promise<SessionRow | null> {
    const row = await this.#db.row(`${SELECT_SESSION} WHERE id = $1`, [sessionId]);
    return row ? sessionRowFrom(row) : null;
  }

  async rows(projectId: ProjectId, includeArchived: boolean): Promise<readonly SessionRow[]> {
    const rows = await this.#db.rows(
      `${SELECT_SESSION} WHERE project_id = $1 AND archived <= $2::integer AND copying = 0 ORDER BY last_active_at DESC, key DESC`,
      [projectId, includeArchived ? 1 : 0],
    );
    return rows.map(sessionRowFrom);
  }

  unfinished(): Promise<readonly SessionId[]> {
    return this.#ids("SELECT id FROM session WHERE unfinished = 1 UNION SELECT id FROM session WHERE sub_agents > 0");
  }

  async resuming(): Promise<readonly { readonly sessionId: SessionId; readonly resumesAt: string }[]> {
    const rows = await this.#db.rows("SELECT * FROM session WHERE pause IS NOT NULL");
    return rows.flatMap((row) => {
      const { id, pause } = sessionRowFrom(row);
      return pause?.resumesAt ? [{ sessionId: id, resumesAt: pause.resumesAt }] : [];
    });
  }

  away(): Promise<readonly SessionId[]> {
    return this.#ids("SELECT id FROM session WHERE away IS NOT NULL AND away <> 'null'");
  }

  attachedTo(processId: string): Promise<readonly SessionId[]> {
    return this.#ids("SELECT id FROM session WHERE process_id = $1 AND agent_state IN ('active', 'idle')", processId);
  }

  async #ids(statement: string, ...values: readonly string[]): Promise<readonly SessionId[]> {
    return (await this.#db.rows(statement, values)).map((row) => SessionId.parse(row["id"]));
  }

  async permissionOutcomes(sessionId: SessionId): Promise<ReadonlyMap<PermissionId, PermissionOutcome>> {
    const rows = await this.#db.rows(
      `SELECT seq, fact.json FROM fact JOIN session ON session.key = fact.session_key
       WHERE session.id = $1 AND fact.type = 'permission:resolved' ORDER BY seq`,
      [sessionId],
    );
    const outcomes = new Map<PermissionId, PermissionOutcome>();
    for (const row of rows) {
      const fact = factFrom(row);
      if (fact.type === "permission:resolved") outcomes.set(fact.permissionId, fact.outcome);
    }
    return outcomes;
  }

  recentAfter(sessionId: SessionId, seq: number, limit: number): readonly LogFrame[] | null {
    return this.#caches.after(sessionId, seq, limit);
  }

  async readAfter(sessionId: SessionId, seq: number, limit: number): Promise<readonly LogFrame[]> {
    const key = await this.#key(sessionId);
    if (key === null) return [];
    const rows = await this.#db.rows(
      "SELECT seq, type, json FROM fact WHERE session_key = $1::bigint AND seq > $2::bigint ORDER BY seq LIMIT $3::bigint",
      [key, seq, limit],
    );
    return rows.map(frameFrom);
  }

  async canResume(sessionId: SessionId, seq: number): Promise<boolean> {
    const row = await this.#db.row("SELECT kept_from_seq, last_seq FROM session WHERE id = $1", [sessionId]);
    return row !== null && seq >= Number(row["kept_from_seq"]) - 1 && seq <= Number(row["last_seq"]);
  }

  async page(
    sessionId: SessionId,
    before: EntryId | null,
    count: number,
    until: EntryId | null = null,
  ): Promise<EntryPage | null> {
    const key = await this.#key(sessionId);
    if (key === null) return null;
    const [last, newest] = until === null ? [null, NO_LIMIT] : await this.#range(key, until);
    const position = before === null ? newest : await this.#position(key, before);
    if (position === null || (until !== null && (last === null || last >= position))) return null;
    const limit = last === null ? count : Math.min(position - last, LONG_PAGE_ENTRIES_MAX);
    const newestFirst: Entry[] = [];
    let chars = 0;
    const found = await this.#db.rows(
      // So many long ones are not even read.
      `SELECT json, count FROM (
         SELECT position, json, count(*) OVER () AS count, sum(octet_length(json)) OVER (ORDER BY position DESC) - octet_length(json) AS above
         FROM (SELECT position, json FROM entry WHERE session_key = $1::bigint AND position < $2::bigint
           ORDER BY position DESC LIMIT $3::bigint) AS found
       ) AS sized WHERE above <= ${PAGE_BYTES_READ_MAX} ORDER BY position DESC`,
      [key, position, limit + 1],
    );
    for (const row of found) {
      if (newestFirst.length === limit) break;
      const json = String(row["json"]);
      const entry = shortenEntry(Entry.parse(JSON.parse(json))).entry;
      chars += json.length;
      if (chars > PAGE_CHARS_MAX && newestFirst.length > 0) break;
      newestFirst.push(entry);
    }
    return { entries: newestFirst.reverse(), hasMore: Number(found[0]?.["count"] ?? 0) > newestFirst.length };
  }

  /** The position of an entry, and that of the one that will settle next. */
  async #range(key: number, until: EntryId): Promise<readonly [last: number | null, newest: number]> {
    const row = await this.#db.row("SELECT next_position FROM session WHERE key = $1", [key]);
    return [await this.#position(key, until), Number(row?.["next_position"] ?? 0)];
  }

  async #position(key: number, entryId: EntryId): Promise<number | null> {
    const row = await this.#db.row("SELECT position FROM entry WHERE session_key = $1 AND entry_id = $2", [
      key,
      entryId,
    ]);
    return row ? Number(row["position"]) : null;
  }

  async output(sessionId: SessionId, range: OutputRange): Promise<OutputPiece | null> {
    const key = await this.#key(sessionId);
    if (key === null) return null;
    const { entryId, from, charsMax } = range;
    const place = [key, entryId, placeOf(range.part)];
    const text = await this.#db.row(
      "SELECT max(start + chars) AS chars FROM output_piece WHERE session_key = $1 AND entry_id = $2 AND part = $3",
      place,
    );
    if (typeof text?.["chars"] !== "number") return null;
    const pieces = await this.#db.rows(
      `SELECT start, json FROM output_piece WHERE session_key = $1 AND entry_id = $2 AND part = $3
         AND start < $4::bigint AND start + chars > $5::bigint ORDER BY start`,
      [...place, from + charsMax, from],
    );
    return { content: contentOf(pieces, range), totalChars: text["chars"] };
  }

  async settledEntry(sessionId: SessionId, entryId: EntryId): Promise<Entry | null> {
    return await this.#entry(sessionId, "entry_id = $2", entryId);
  }

  /** The index has a digest of it: an agent's id may be as long as it likes. */
  async settledByAgentId(sessionId: SessionId, agentId: string): Promise<Entry | null> {
    return await this.#entry(sessionId, "md5(agent_id) = md5($2) AND agent_id = $2", agentId);
  }

  async #entry(sessionId: SessionId, condition: string, value: string): Promise<Entry | null> {
    const key = await this.#key(sessionId);
    if (key === null) return null;
    const row = await this.#db.row(
      `SELECT json FROM entry WHERE session_key = $1 AND ${condition} ORDER BY position DESC LIMIT 1`,
      [key, value],
    );
    return entryFrom(row ?? undefined);
  }

  async lastUserEntry(sessionId: SessionId): Promise<UserEntry | null> {
    const row = await this.#db.row(
      `SELECT entry.json FROM entry JOIN session ON session.key = entry.session_key
       WHERE session.id = $1 AND entry.type = 'user' AND inner_one = 0 AND steered = 0 ORDER BY position DESC LIMIT 1`,
      [sessionId],
    );
    return row ? UserEntry.parse(JSON.parse(String(row["json"]))) : null;
  }

  async said(sessionId: SessionId): Promise<readonly Said[]> {
    const key = await this.#key(sessionId);
    if (key === null) return [];
    const rows = await this.#db.rows(
      `SELECT json FROM entry WHERE session_key = $1 AND position >= $2::bigint
         AND type IN ('user', 'assistant', 'notice') AND inner_one = 0 ORDER BY position`,
      [key, await this.#toldAt(key, sessionId)],
    );
    return rows.flatMap((row) => {
      const entry = entryFrom(row);
      if (entry?.type !== "user" && entry?.type !== "assistant" && entry?.type !== "notice") return [];
      return [{ type: entry.type, content: entry.content }];
    });
  }

  async askedByTurn(
    sessionId: SessionId,
    { turnsMax, charsMax }: { readonly turnsMax: number; readonly charsMax: number },
  ): Promise<ReadonlyMap<TurnId, string>> {
    const rows = await this.#db.rows(
      `SELECT entry.json FROM entry JOIN session ON session.key = entry.session_key
       WHERE session.id = $1 AND entry.type = 'user' AND inner_one = 0 AND turn_id IS NOT NULL
       ORDER BY position DESC LIMIT $2::integer`,
      [sessionId, turnsMax],
    );
    // The newest come first; of several in one turn the first one counts.
    return new Map(
      rows.map((row) => {
        const { turnId, content } = UserEntry.parse(JSON.parse(String(row["json"])));
        return [
          TurnId.parse(turnId),
          Array.from(content.slice(0, 2 * charsMax))
            .slice(0, charsMax)
            .join(""),
        ];
      }),
    );
  }

  async userMessageCount(sessionId: SessionId): Promise<number> {
    const key = await this.#key(sessionId);
    if (key === null) return 0;
    const row = await this.#db.row(
      `SELECT count(*) AS count FROM entry
       WHERE session_key = $1 AND position >= $2::bigint AND type = 'user' AND inner_one = 0`,
      [key, await this.#toldAt(key, sessionId)],
    );
    return Number(row?.["count"] ?? 0);
  }

  async pack(sessionId: SessionId, entryId: EntryId): Promise<string | null> {
    const row = await this.#db.row("SELECT content FROM pack WHERE session_id = $1 AND entry_id = $2", [
      sessionId,
      entryId,
    ]);
    return row ? String(row["content"]) : null;
  }

  /** The position of the first entry that the agent should remember; after all while that has not settled. */
  async #toldAt(key: number, sessionId: SessionId): Promise<number> {
    const row = await this.#db.row(
      `SELECT max(COALESCE(entry.position, ${NO_LIMIT})) AS position FROM pack
       LEFT JOIN entry ON entry.session_key = $1 AND entry.entry_id = pack.entry_id WHERE pack.session_id = $2`,
      [key, sessionId],
    );
    return Number(row?.["position"] ?? 0);
  }

  async saveReceipt(receipt: Receipt): Promise<void> {
    await writeReceipt(this.#db, receipt);
  }

  async receipt(commandId: string): Promise<string | null> {
    const row = await this.#db.row("SELECT answer FROM receipt WHERE command_id = $1", [commandId]);
    return row ? String(row["answer"]) : null;
  }

  /** Receipts only matter while a client may still retry. */
  async dropReceiptsBefore(time: string): Promise<void> {
    await this.#db.run("DELETE FROM receipt WHERE at < $1", [time]);
  }

  async #key(sessionId: SessionId): Promise<number | null> {
    const known = this.#keys.get(sessionId);
    if (known !== undefined) return known;
    const row = await this.#db.row("SELECT key FROM session WHERE id = $1", [sessionId]);
    if (!row) return null;
    const key = Number(row["key"]);
    this.#keys.set(sessionId, key);
    return key;
  }
}

async function writeReceipt(tx: Queries, { commandId, answer, at }: Receipt): Promise<void> {
  await tx.run("INSERT INTO receipt (command_id, answer, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
    commandId,
    answer,
    at,
  ]);
}

async function addDelegation(
  tx: Queries,
  key: number,
  childId: SessionId,
  { parentId, rootId, depth, budget }: Delegation,
): Promise<void> {
  await tx.run(
    "INSERT INTO delegation (session_key, child_id, parent_id, root_id, depth, budget) VALUES ($1, $2, $3, $4, $5, $6)",
    [key, childId, parentId, rootId, depth, JSON.stringify(budget)],
  );
  if (parentId !== null) await tx.run("UPDATE session SET parent_id = $1 WHERE key = $2", [parentId, key]);
}
