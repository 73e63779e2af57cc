import type { DatabaseSync } from "node:sqlite";
import { invariant } from "../lib/assert.ts";
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
} from "../ports/session-log.ts";
import { agentIdOf, Entry, UserEntry } from "../protocol/entry.ts";
import { FactBody, FactType, Seq } from "../protocol/facts.ts";
import type { EntryId, ProjectId } from "../protocol/ids.ts";
import { SessionId } from "../protocol/ids.ts";
import { reduceSession } from "../protocol/reduce-session.ts";
import { SessionRow } from "../protocol/server-messages.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState, UNTITLED } from "../protocol/session-state.ts";
import { shortenEntry } from "../protocol/shorten-entry.ts";
import { FrameCache } from "./frame-cache.ts";
import { PermissionRecords } from "./permission-records.ts";
import { bindingFrom, saidFrom } from "./session-rows.ts";
import { prepareSessionStatements, type SessionStatements } from "./session-statements.ts";
import { StoredOutputs } from "./stored-outputs.ts";
import { readState, writeState } from "./stored-state.ts";
import { transaction } from "./transaction.ts";

/** Facts of ended turns kept for readers that come back; older cursors get a fresh history. */
const FACTS_KEPT_MAX = 4_000;
const PAGE_CHARS_MAX = 8_000_000;
const CACHED_SESSIONS_MAX = 64;

type Row = Record<string, unknown>;

export class SqliteSessionLog implements SessionLog {
  readonly #db: DatabaseSync;
  readonly #sql: SessionStatements;
  readonly #permissions: PermissionRecords;
  readonly #outputs: StoredOutputs;
  readonly #keys = new Map<SessionId, number>();
  readonly #caches = new Map<SessionId, FrameCache>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#sql = prepareSessionStatements(db);
    this.#permissions = new PermissionRecords(db);
    this.#outputs = new StoredOutputs(db);
  }

  create(row: SessionRow, binding: AgentBinding, receipt: Receipt | null): void {
    transaction(this.#db, () => {
      this.#sql.insertSession.run(
        row.id,
        row.projectId,
        row.cliType,
        row.title,
        row.createdAt,
        row.lastActiveAt,
        row.archived ? 1 : 0,
        binding.agentSessionId,
        binding.createdAt,
        binding.cwd,
        binding.state,
        binding.since,
      );
      if (receipt) this.saveReceipt(receipt);
    });
  }

  commit(sessionId: SessionId, commit: Commit): void {
    const key = this.#key(sessionId);
    invariant(key !== null, `commit to unknown session ${sessionId}`);
    const frames = commit.facts.map(
      (fact): LogFrame => ({
        seq: fact.seq,
        type: fact.type,
        json: JSON.stringify(fact),
      }),
    );
    transaction(this.#db, () => this.#write(key, commit, frames));
    // Only now: a reader must never see what a failed transaction took back.
    const cache = this.#cache(sessionId);
    for (const frame of frames) cache.push(frame);
  }

  #write(key: number, commit: Commit, frames: readonly LogFrame[]): void {
    const { state } = commit;
    for (const frame of frames) this.#sql.insertFact.run(key, frame.seq, frame.type, frame.json);
    for (const fact of commit.facts) this.#permissions.note(key, fact);
    this.#sql.updateSession.run(
      state.title,
      state.archived ? 1 : 0,
      JSON.stringify(state.turn),
      isTurnActive(state.turn) ? 1 : 0,
      state.seq,
      state.config.usage && JSON.stringify(state.config.usage),
      commit.lastActiveAt,
      key,
    );
    commit.settled.forEach((entry, index) => {
      this.#sql.insertEntry.run(key, key, index, entry.entryId, agentIdOf(entry), JSON.stringify(entry));
    });
    for (const entry of commit.revised) this.#sql.reviseEntry.run(JSON.stringify(entry), key, entry.entryId);
    for (const output of commit.outputs) this.#outputs.write(key, output);
    if (commit.snapshot) this.#writeSnapshot(key, commit.snapshot, commit.settled.length);
    if (commit.binding) this.#writeBinding(key, commit.binding);
    if (commit.receipt) this.saveReceipt(commit.receipt);
  }

  #writeSnapshot(key: number, snapshot: SessionState, settledCount: number): void {
    this.#sql.updateSnapshot.run(writeState(snapshot), snapshot.seq, settledCount, key);
    const keepFrom = snapshot.seq - FACTS_KEPT_MAX + 1;
    if (keepFrom <= 1) return;
    this.#sql.dropFacts.run(key, keepFrom);
    this.#sql.keepFactsFrom.run(keepFrom, key, keepFrom);
  }

  #writeBinding(key: number, binding: AgentBinding): void {
    const { agentSessionId, createdAt, cwd, state, since } = binding;
    this.#sql.updateBinding.run(agentSessionId, createdAt, cwd, state, since, key);
  }

  load(sessionId: SessionId): StoredSession | null {
    const row = this.#sql.sessionById.get(sessionId);
    if (!row) return null;
    const snapshot = typeof row["snapshot"] === "string" ? readState(row["snapshot"]) : titled(row);
    const tail = this.#sql.factsAfter.all(Number(row["key"]), Number(row["snapshot_seq"]), Number.MAX_SAFE_INTEGER);
    const state = tail.reduce<SessionState>((folded, fact) => reduceSession(folded, factFrom(fact)), snapshot);
    return { row: sessionRowFrom(row), binding: bindingFrom(row), state };
  }

  row(sessionId: SessionId): SessionRow | null {
    const row = this.#sql.sessionById.get(sessionId);
    return row ? sessionRowFrom(row) : null;
  }

  rows(projectId: ProjectId, includeArchived: boolean): readonly SessionRow[] {
    return this.#sql.rows.all(projectId, includeArchived ? 1 : 0).map(sessionRowFrom);
  }

  unfinished(): readonly SessionId[] {
    return this.#sql.unfinished.all().map((row) => SessionId.parse(row["id"]));
  }

  readAfter(sessionId: SessionId, seq: number, limit: number): readonly LogFrame[] {
    const cached = this.#caches.get(sessionId)?.after(seq, limit);
    if (cached) return cached;
    const key = this.#key(sessionId);
    if (key === null) return [];
    return this.#sql.factsAfter.all(key, seq, limit).map(frameFrom);
  }

  canResume(sessionId: SessionId, seq: number): boolean {
    const row = this.#sql.sessionById.get(sessionId);
    return row !== undefined && seq >= Number(row["kept_from_seq"]) - 1 && seq <= Number(row["last_seq"]);
  }

  page(sessionId: SessionId, before: EntryId | null, limit: number): EntryPage | null {
    const key = this.#key(sessionId);
    if (key === null) return null;
    const position = before === null ? Number.MAX_SAFE_INTEGER : this.#position(key, before);
    if (position === null) return null;
    const newestFirst: Entry[] = [];
    let chars = 0;
    const found = this.#sql.entriesBefore.all(key, position, limit + 1);
    for (const row of found) {
      if (newestFirst.length === limit) break;
      // Entries of before long texts were taken out have them inside.
      const entry = shortenEntry(Entry.parse(JSON.parse(String(row["json"])))).entry;
      chars += String(row["json"]).length;
      if (chars > PAGE_CHARS_MAX && newestFirst.length > 0) break;
      newestFirst.push(entry);
    }
    return { entries: newestFirst.reverse(), hasMore: found.length > newestFirst.length };
  }

  output(sessionId: SessionId, range: OutputRange): OutputPiece | null {
    const key = this.#key(sessionId);
    return key === null ? null : this.#outputs.read(key, range);
  }

  settledEntry(sessionId: SessionId, entryId: EntryId): Entry | null {
    const key = this.#key(sessionId);
    return key === null ? null : entryFrom(this.#sql.entryById.get(key, entryId));
  }

  settledByAgentId(sessionId: SessionId, agentId: string): Entry | null {
    const key = this.#key(sessionId);
    return key === null ? null : entryFrom(this.#sql.entryByAgentId.get(key, agentId));
  }

  lastUserEntry(sessionId: SessionId): UserEntry | null {
    const key = this.#key(sessionId);
    const row = key === null ? undefined : this.#sql.lastUserEntry.get(key);
    return row ? UserEntry.parse(JSON.parse(String(row["json"]))) : null;
  }

  said(sessionId: SessionId): readonly Said[] {
    const key = this.#key(sessionId);
    return key === null ? [] : this.#sql.said.all(key).map(saidFrom);
  }

  userMessageCount(sessionId: SessionId): number {
    const key = this.#key(sessionId);
    return key === null ? 0 : Number(this.#sql.userMessageCount.get(key)?.["count"] ?? 0);
  }

  draft(sessionId: SessionId): string {
    return String(this.#sql.sessionById.get(sessionId)?.["draft"] ?? "");
  }

  saveDraft(sessionId: SessionId, content: string): void {
    this.#sql.updateDraft.run(content, sessionId);
  }

  saveReceipt(receipt: Receipt): void {
    this.#sql.insertReceipt.run(receipt.commandId, receipt.answer, receipt.at);
  }

  receipt(commandId: string): string | null {
    const row = this.#sql.receiptById.get(commandId);
    return row ? String(row["answer"]) : null;
  }

  /** Receipts only matter for as long as someone may still retry. */
  dropReceiptsBefore(time: string): void {
    this.#sql.dropReceipts.run(time);
  }

  #position(key: number, entryId: EntryId): number | null {
    const row = this.#sql.positionOf.get(key, entryId);
    return row ? Number(row["position"]) : null;
  }

  #key(sessionId: SessionId): number | null {
    const known = this.#keys.get(sessionId);
    if (known !== undefined) return known;
    const row = this.#sql.keyById.get(sessionId);
    if (!row) return null;
    const key = Number(row["key"]);
    this.#keys.set(sessionId, key);
    return key;
  }

  #cache(sessionId: SessionId): FrameCache {
    const cache = this.#caches.get(sessionId) ?? new FrameCache();
    this.#caches.delete(sessionId);
    this.#caches.set(sessionId, cache);
    const oldest = this.#caches.keys().next().value;
    if (this.#caches.size > CACHED_SESSIONS_MAX && oldest !== undefined) this.#caches.delete(oldest);
    return cache;
  }
}

/** A session that nothing was said in here yet; a title it brought along is one, and the first message derives no other. */
function titled(row: Row): SessionState {
  const title = String(row["title"]);
  const titleSource = title === UNTITLED ? "none" : "derived";
  return { ...EMPTY_SESSION, title, titleSource, archived: row["archived"] === 1 };
}

function entryFrom(row: Row | undefined): Entry | null {
  return row ? Entry.parse(JSON.parse(String(row["json"]))) : null;
}

function factFrom(row: Row): FactBody & { seq: number } {
  return { ...FactBody.parse(JSON.parse(String(row["json"]))), seq: Seq.parse(row["seq"]) };
}

function frameFrom(row: Row): LogFrame {
  return {
    seq: Seq.parse(row["seq"]),
    type: FactType.parse(row["type"]),
    json: String(row["json"]),
  };
}

function sessionRowFrom(row: Row): SessionRow {
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
  });
}
