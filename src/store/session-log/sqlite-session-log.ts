import type { DatabaseSync } from "node:sqlite";
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
import { Entry, externalIdOf, UserEntry } from "../../protocol/entry.ts";
import type { Fact } from "../../protocol/facts.ts";
import type { EntryId, PermissionId, ProjectId } from "../../protocol/ids.ts";
import { SessionId, TurnId } from "../../protocol/ids.ts";
import { reduceSession } from "../../protocol/reduce-session.ts";
import type { PermissionOutcome } from "../../protocol/session-parts.ts";
import { type SessionRow, type SessionState, stateFromRow, UNTITLED } from "../../protocol/session-schema.ts";
import { shortenEntry } from "../../protocol/shorten-entry.ts";
import { Committer } from "../database/committer.ts";
import { transaction } from "../database/transaction.ts";
import { SearchWriter } from "../search/search-writer.ts";
import { DelegationRecords } from "./delegation-records.ts";
import { FrameCaches } from "./frame-cache.ts";
import { KnownColumns } from "./known-columns.ts";
import { PermissionRecords } from "./permission-records.ts";
import {
  bindingFrom,
  bindingValues,
  committedValues,
  continuationFrom,
  createdValues,
  entryFrom,
  factFrom,
  frameFrom,
  raisedValues,
  readState,
  saidFrom,
  sessionRowFrom,
  writeState,
} from "./session-columns.ts";
import { prepareSessionStatements, type SessionStatements } from "./session-statements.ts";
import { SqliteDrafts } from "./sqlite-drafts.ts";
import { StoredOutputs } from "./stored-outputs.ts";
import { UsageRecords } from "./usage-records.ts";

/** Facts of ended turns kept for reconnecting readers; older cursors get a fresh history. */
const FACTS_KEPT_MAX = 4_000;
const PAGE_CHARS_MAX = 8_000_000;
/** For an entry far back: few answers, each of which is read quickly. */
const LONG_PAGE_ENTRIES_MAX = 4_000;
/** A limited part of a deleted session leaves the search index at once; the rest of a very long one follows later. */
const FORGOTTEN_AT_ONCE_MAX = 500;

export class SqliteSessionLog implements SessionLog {
  readonly #db: DatabaseSync;
  readonly #onLeft: () => void;
  readonly #sql: SessionStatements;
  readonly #permissions: PermissionRecords;
  readonly drafts: SqliteDrafts;
  readonly #outputs: StoredOutputs;
  readonly #search: SearchWriter;
  readonly #delegations: DelegationRecords;
  readonly #usage: UsageRecords;
  readonly #keys = new Map<SessionId, number>();
  readonly #caches = new FrameCaches();
  readonly #known = new KnownColumns();
  readonly #committer: Committer;

  /** `onLeft`: the search index may have work left. */
  constructor(db: DatabaseSync, onLeft: () => void = ignore("this log has no readers and no cleanup")) {
    this.#db = db;
    this.#onLeft = onLeft;
    this.#committer = new Committer(db);
    this.#sql = prepareSessionStatements(db);
    this.#permissions = new PermissionRecords(db);
    this.drafts = new SqliteDrafts(db);
    this.#outputs = new StoredOutputs(db);
    this.#search = new SearchWriter(db);
    this.#delegations = new DelegationRecords(db);
    this.#usage = new UsageRecords(db);
  }

  async create(
    row: SessionRow,
    binding: AgentBinding,
    receipt: Receipt | null,
    delegation?: Delegation,
  ): Promise<void> {
    this.createNow(row, binding, receipt, delegation);
  }

  /** Nested, it is part of the outer transaction. */
  createNow(row: SessionRow, binding: AgentBinding, receipt: Receipt | null, delegation?: Delegation): void {
    transaction(this.#db, () => {
      this.#sql.insertSession.run(createdValues(row, binding));
      this.nameNow(row.id, row.title);
      if (delegation) this.#delegations.add(row.id, delegation);
      if (receipt) this.#writeReceipt(receipt);
    });
  }

  /** A session that is not there until all of it is: it has no title yet, and no list shows it. */
  createHidden(row: SessionRow, binding: AgentBinding): void {
    transaction(this.#db, () => {
      this.#sql.insertSession.run(createdValues(row, binding));
      this.#sql.hide.run(row.id);
    });
  }

  /** Its title is found from now on. */
  nameNow(sessionId: SessionId, title: string): void {
    const key = this.#key(sessionId);
    if (key !== null && title !== UNTITLED) this.#search.title(key, title);
  }

  async commit(sessionId: SessionId, commit: Commit): Promise<void> {
    const key = this.#key(sessionId);
    invariant(key !== null, `commit to unknown session ${sessionId}`);
    const frames = commit.facts.map(frameOf);
    await this.#committer.commit(() => this.#write(sessionId, key, commit, frames));
    // Only now: a reader must never see data of a failed transaction.
    this.#known.keep(sessionId, commit);
    const cache = this.#caches.of(sessionId);
    for (const frame of frames) cache.push(frame);
    if (commit.isSearchedLater) this.#onLeft();
  }

  /** Stores a complete new session inside the caller's transaction; it has no followers yet. */
  writeNow(sessionId: SessionId, commit: Commit): void {
    const key = this.#key(sessionId);
    invariant(key !== null, `commit to unknown session ${sessionId}`);
    this.#write(sessionId, key, commit, commit.facts.map(frameOf));
    // That transaction may fail.
    this.#known.forget(sessionId);
    if (commit.isSearchedLater) this.#onLeft();
  }

  /** Commits all waiting writes before it returns; called before the database is closed. */
  flush(): void {
    this.#committer.flush();
  }

  #write(sessionId: SessionId, key: number, commit: Commit, frames: readonly LogFrame[]): void {
    for (const frame of frames) this.#sql.insertFact.run(key, frame.seq, frame.type, frame.json);
    for (const fact of commit.facts) this.#permissions.note(key, fact);
    this.#usage.note(sessionId, key, commit);
    if (this.#known.has(sessionId, commit)) this.#sql.raiseSession.run(raisedValues(key, commit));
    else this.#sql.updateSession.run(committedValues(key, commit));
    for (const fact of commit.facts) this.#delegations.note(key, fact);
    commit.settled.forEach((entry, index) => {
      this.#sql.insertEntry.run(key, key, index, entry.entryId, externalIdOf(entry), JSON.stringify(entry));
    });
    for (const entry of commit.revised) this.#sql.reviseEntry.run(JSON.stringify(entry), key, entry.entryId);
    for (const output of commit.outputs) this.#outputs.write(key, output);
    this.#writePacks(sessionId, commit);
    this.#writeSearch(key, commit);
    if (commit.attention)
      this.#sql.noteAttention.run(commit.attention.seq, commit.attention.isSeen ? commit.attention.seq : 0, key);
    if (commit.snapshot) this.#writeSnapshot(key, commit.snapshot, commit.settled.length);
    if (commit.isSearchedLater) this.#search.later(key);
    if (commit.binding) this.#sql.updateBinding.run(bindingValues(key, commit.binding));
    if (commit.receipt) this.#writeReceipt(commit.receipt);
  }

  #writePacks(sessionId: SessionId, { facts, packs = [] }: Commit): void {
    for (const { entryId, content } of packs) this.#sql.writePack.run(sessionId, entryId ?? "", content);
    for (const fact of facts)
      if (fact.type === "session:update" && fact.entry.type === "user" && fact.entry.context)
        this.#sql.givePack.run(fact.entry.entryId, sessionId);
  }

  #writeSearch(key: number, { facts, state, settled, revised, lastActiveAt, isSearchedLater }: Commit): void {
    if (facts.some(({ type }) => type === "session:title-updated")) this.#search.title(key, state.title);
    if (!isSearchedLater) for (const entry of settled) this.#search.entry(key, entry, lastActiveAt, "newer");
    for (const entry of revised) this.#search.revise(key, entry);
  }

  #writeSnapshot(key: number, snapshot: SessionState, settledCount: number): void {
    this.#sql.updateSnapshot.run(writeState(snapshot), snapshot.seq, settledCount, key);
    const keepFrom = snapshot.seq - FACTS_KEPT_MAX + 1;
    if (keepFrom <= 1) return;
    this.#sql.dropFacts.run(key, keepFrom);
    this.#sql.keepFactsFrom.run(keepFrom, key, keepFrom);
  }

  async delete(sessionId: SessionId, receipt: Receipt | null): Promise<void> {
    const key = this.#key(sessionId);
    if (key === null) return;
    transaction(this.#db, () => {
      this.#search.remove(key, FORGOTTEN_AT_ONCE_MAX);
      this.#sql.dropPolicyMode.run(sessionId);
      this.#sql.dropPolicyRules.run(sessionId);
      this.#sql.dropPacks.run(sessionId);
      this.#search.releaseInherited(sessionId);
      this.#sql.noteForgotten.run(key);
      this.#sql.deleteSession.run(key);
      if (receipt) this.#writeReceipt(receipt);
    });
    // A later session may get the same key.
    this.#keys.delete(sessionId);
    this.#caches.delete(sessionId);
    this.#known.forget(sessionId);
    this.#onLeft();
  }

  async markSeen(sessionId: SessionId, seq: number): Promise<boolean> {
    return Number(this.#sql.markSeen.run(seq, sessionId, seq).changes) > 0;
  }

  async markUnread(sessionId: SessionId, isUnread: boolean): Promise<boolean> {
    return Number((isUnread ? this.#sql.markUnread : this.#sql.markRead).run(sessionId).changes) > 0;
  }

  async load(sessionId: SessionId): Promise<StoredSession | null> {
    const row = this.#sql.sessionById.get(sessionId);
    if (!row) return null;
    const snapshot =
      typeof row["snapshot"] === "string" ? readState(row["snapshot"]) : stateFromRow(sessionRowFrom(row));
    const tail = this.#sql.factsAfter.all(Number(row["key"]), Number(row["snapshot_seq"]), Number.MAX_SAFE_INTEGER);
    const state = tail.reduce<SessionState>((folded, fact) => reduceSession(folded, factFrom(fact)), snapshot);
    return { row: sessionRowFrom(row), binding: bindingFrom(row), continuation: continuationFrom(row), state };
  }

  async row(sessionId: SessionId): Promise<SessionRow | null> {
    const row = this.#sql.sessionById.get(sessionId);
    return row ? sessionRowFrom(row) : null;
  }

  async rows(projectId: ProjectId, includeArchived: boolean): Promise<readonly SessionRow[]> {
    return this.#sql.rows.all(projectId, includeArchived ? 1 : 0).map(sessionRowFrom);
  }

  async unfinished(): Promise<readonly SessionId[]> {
    return this.#sql.unfinished.all().map((row) => SessionId.parse(row["id"]));
  }

  async resuming(): Promise<readonly { readonly sessionId: SessionId; readonly resumesAt: string }[]> {
    return this.#sql.resuming
      .all()
      .map((row) => ({ sessionId: SessionId.parse(row["id"]), resumesAt: String(row["resumes_at"]) }));
  }

  async away(): Promise<readonly SessionId[]> {
    return this.#sql.away.all().map((row) => SessionId.parse(row["id"]));
  }

  async attachedTo(processId: string): Promise<readonly SessionId[]> {
    return this.#sql.attachedTo.all(processId).map((row) => SessionId.parse(row["id"]));
  }

  async permissionOutcomes(sessionId: SessionId): Promise<ReadonlyMap<PermissionId, PermissionOutcome>> {
    const key = this.#key(sessionId);
    const outcomes = new Map<PermissionId, PermissionOutcome>();
    for (const row of key === null ? [] : this.#sql.resolvedFacts.all(key)) {
      const fact = factFrom(row);
      if (fact.type === "permission:resolved") outcomes.set(fact.permissionId, fact.outcome);
    }
    return outcomes;
  }

  recentAfter(sessionId: SessionId, seq: number, limit: number): readonly LogFrame[] | null {
    return this.#caches.after(sessionId, seq, limit);
  }

  async readAfter(sessionId: SessionId, seq: number, limit: number): Promise<readonly LogFrame[]> {
    const key = this.#key(sessionId);
    if (key === null) return [];
    return this.#sql.factsAfter.all(key, seq, limit).map(frameFrom);
  }

  async canResume(sessionId: SessionId, seq: number): Promise<boolean> {
    const row = this.#sql.sessionById.get(sessionId);
    return row !== undefined && seq >= Number(row["kept_from_seq"]) - 1 && seq <= Number(row["last_seq"]);
  }

  async page(
    sessionId: SessionId,
    before: EntryId | null,
    count: number,
    until: EntryId | null = null,
  ): Promise<EntryPage | null> {
    const key = this.#key(sessionId);
    if (key === null) return null;
    const last = until === null ? null : this.#position(key, until);
    const newest = last === null ? Number.MAX_SAFE_INTEGER : this.#nextPosition(sessionId);
    const position = before === null ? newest : this.#position(key, before);
    if (position === null || (until !== null && (last === null || last >= position))) return null;
    const limit = last === null ? count : Math.min(position - last, LONG_PAGE_ENTRIES_MAX);
    const newestFirst: Entry[] = [];
    let chars = 0;
    const found = this.#sql.entriesBefore.all(key, position, limit + 1);
    for (const row of found) {
      if (newestFirst.length === limit) break;
      // Older entries contain their long texts themselves.
      const entry = shortenEntry(Entry.parse(JSON.parse(String(row["json"])))).entry;
      chars += String(row["json"]).length;
      if (chars > PAGE_CHARS_MAX && newestFirst.length > 0) break;
      newestFirst.push(entry);
    }
    return { entries: newestFirst.reverse(), hasMore: found.length > newestFirst.length };
  }

  async output(sessionId: SessionId, range: OutputRange): Promise<OutputPiece | null> {
    const key = this.#key(sessionId);
    return key === null ? null : this.#outputs.read(key, range);
  }

  async settledEntry(sessionId: SessionId, entryId: EntryId): Promise<Entry | null> {
    const key = this.#key(sessionId);
    return key === null ? null : entryFrom(this.#sql.entryById.get(key, entryId));
  }

  async settledByAgentId(sessionId: SessionId, agentId: string): Promise<Entry | null> {
    const key = this.#key(sessionId);
    return key === null ? null : entryFrom(this.#sql.entryByAgentId.get(key, agentId));
  }

  async lastUserEntry(sessionId: SessionId): Promise<UserEntry | null> {
    const key = this.#key(sessionId);
    const row = key === null ? undefined : this.#sql.lastUserEntry.get(key);
    return row ? UserEntry.parse(JSON.parse(String(row["json"]))) : null;
  }

  async said(sessionId: SessionId): Promise<readonly Said[]> {
    const key = this.#key(sessionId);
    return key === null ? [] : this.#sql.said.all(key, this.#toldAt(key, sessionId)).map(saidFrom);
  }

  async askedByTurn(
    sessionId: SessionId,
    { turnsMax, charsMax }: { readonly turnsMax: number; readonly charsMax: number },
  ): Promise<ReadonlyMap<TurnId, string>> {
    const key = this.#key(sessionId);
    const rows = key === null ? [] : this.#sql.askedByTurn.all(charsMax, key, turnsMax);
    // The newest come first; of several in one turn the first one counts.
    return new Map(rows.map((row) => [TurnId.parse(row["turnId"]), String(row["content"])]));
  }

  async userMessageCount(sessionId: SessionId): Promise<number> {
    const key = this.#key(sessionId);
    return key === null ? 0 : Number(this.#sql.userMessageCount.get(key, this.#toldAt(key, sessionId))?.["count"] ?? 0);
  }

  async pack(sessionId: SessionId, entryId: EntryId): Promise<string | null> {
    const row = this.#sql.pack.get(sessionId, entryId);
    return row ? String(row["content"]) : null;
  }

  /** The position of the first entry that the agent should remember. */
  #toldAt(key: number, sessionId: SessionId): number {
    return Number(this.#sql.toldAt.get(key, sessionId)?.["position"] ?? 0);
  }

  async saveReceipt(receipt: Receipt): Promise<void> {
    this.#writeReceipt(receipt);
  }

  #writeReceipt(receipt: Receipt): void {
    this.#sql.insertReceipt.run(receipt.commandId, receipt.answer, receipt.at);
  }

  async receipt(commandId: string): Promise<string | null> {
    const row = this.#sql.receiptById.get(commandId);
    return row ? String(row["answer"]) : null;
  }

  /** Receipts only matter while a client may still retry. */
  dropReceiptsBefore(time: string): void {
    this.#sql.dropReceipts.run(time);
  }

  /** Of the entry that will settle next. */
  #nextPosition(sessionId: SessionId): number {
    return Number(this.#sql.sessionById.get(sessionId)?.["next_position"]);
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
}

function frameOf(fact: Fact): LogFrame {
  return { seq: fact.seq, type: fact.type, json: JSON.stringify(fact) };
}
