import type { DatabaseSync } from "node:sqlite";
import { z } from "zod/mini";
import type { ScheduleStore, StoredRun, StoredSchedule } from "../ports/schedule-store.ts";
import { ProjectId, SessionId } from "../protocol/ids.ts";
import { RunState, ScheduleDefinition, ScheduleId } from "../protocol/schedules.ts";
import { transaction } from "./database/transaction.ts";

type Row = Record<string, unknown>;

const SpentBefore = z.object({ tokens: z.number(), cost: z.number() });
const RUN_COLUMNS = "schedule_id, due_at, session_id, state, detail, started_at, ended_at, spent_before";
const RUN_VALUES = "?, ?, ?, ?, ?, ?, ?, ?";

export class SqliteScheduleStore implements ScheduleStore {
  readonly #db: DatabaseSync;
  readonly #sql;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#sql = {
      list: db.prepare("SELECT * FROM schedule ORDER BY created_at, id"),
      get: db.prepare("SELECT * FROM schedule WHERE id = ?"),
      save: db.prepare(
        `INSERT INTO schedule (id, project_id, definition, enabled, created_at, settled_until) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET project_id = excluded.project_id, definition = excluded.definition,
           enabled = excluded.enabled, settled_until = excluded.settled_until`,
      ),
      remove: db.prepare("DELETE FROM schedule WHERE id = ?"),
      settle: db.prepare("UPDATE schedule SET settled_until = ? WHERE id = ? AND enabled = 1 AND settled_until < ?"),
      addRun: db.prepare(
        `INSERT OR IGNORE INTO schedule_run (${RUN_COLUMNS}) SELECT ${RUN_VALUES}
         WHERE EXISTS (SELECT 1 FROM schedule WHERE id = ?)`,
      ),
      updateRun: db.prepare(
        `UPDATE schedule_run SET session_id = ?, state = ?, detail = ?, ended_at = ?, spent_before = ?
         WHERE schedule_id = ? AND due_at = ?`,
      ),
      runs: db.prepare("SELECT * FROM schedule_run WHERE schedule_id = ? ORDER BY due_at DESC LIMIT ?"),
      open: db.prepare("SELECT * FROM schedule_run WHERE ended_at IS NULL ORDER BY due_at, schedule_id"),
      trim: db.prepare(
        `DELETE FROM schedule_run WHERE schedule_id = ? AND ended_at IS NOT NULL AND due_at NOT IN (
           SELECT due_at FROM schedule_run WHERE schedule_id = ? AND ended_at IS NOT NULL ORDER BY due_at DESC LIMIT ?)`,
      ),
    };
  }

  async list(): Promise<readonly StoredSchedule[]> {
    return this.#sql.list.all().map(scheduleFrom);
  }

  async get(id: ScheduleId): Promise<StoredSchedule | null> {
    const row = this.#sql.get.get(id);
    return row ? scheduleFrom(row) : null;
  }

  async save({ id, projectId, definition, enabled, createdAt, settledUntil }: StoredSchedule): Promise<void> {
    this.#sql.save.run(id, projectId, JSON.stringify(definition), enabled ? 1 : 0, createdAt, settledUntil);
  }

  async remove(id: ScheduleId): Promise<void> {
    this.#sql.remove.run(id);
  }

  async claimDue(run: StoredRun): Promise<boolean> {
    return transaction(this.#db, () => {
      const { changes } = this.#sql.settle.run(run.dueAt, run.scheduleId, run.dueAt);
      return Number(changes) === 1 && this.#add(run);
    });
  }

  async addRun(run: StoredRun): Promise<boolean> {
    return this.#add(run);
  }

  #add(run: StoredRun): boolean {
    return Number(this.#sql.addRun.run(...runValues(run), run.scheduleId).changes) === 1;
  }

  async updateRun(run: StoredRun): Promise<void> {
    const [scheduleId, dueAt, sessionId, state, detail, , endedAt, spentBefore] = runValues(run);
    this.#sql.updateRun.run(sessionId, state, detail, endedAt, spentBefore, scheduleId, dueAt);
  }

  async runs(id: ScheduleId, limit: number): Promise<readonly StoredRun[]> {
    return this.#sql.runs.all(id, limit).map(runFrom);
  }

  async openRuns(): Promise<readonly StoredRun[]> {
    return this.#sql.open.all().map(runFrom);
  }

  async trimRuns(id: ScheduleId, keep: number): Promise<void> {
    this.#sql.trim.run(id, id, keep);
  }
}

function runValues(run: StoredRun) {
  const { scheduleId, dueAt, sessionId, state, detail, startedAt, endedAt, spentBefore } = run;
  const spent = spentBefore && JSON.stringify(spentBefore);
  return [scheduleId, dueAt, sessionId, state, detail, startedAt, endedAt, spent] as const;
}

function scheduleFrom(row: Row): StoredSchedule {
  return {
    id: ScheduleId.parse(row["id"]),
    projectId: ProjectId.parse(row["project_id"]),
    definition: ScheduleDefinition.parse(JSON.parse(String(row["definition"]))),
    enabled: row["enabled"] === 1,
    createdAt: String(row["created_at"]),
    settledUntil: String(row["settled_until"]),
  };
}

function runFrom(row: Row): StoredRun {
  const text = (name: string) => (typeof row[name] === "string" ? String(row[name]) : null);
  const sessionId = text("session_id");
  const spent = text("spent_before");
  return {
    scheduleId: ScheduleId.parse(row["schedule_id"]),
    dueAt: String(row["due_at"]),
    sessionId: sessionId === null ? null : SessionId.parse(sessionId),
    state: RunState.parse(row["state"]),
    detail: text("detail"),
    startedAt: String(row["started_at"]),
    endedAt: text("ended_at"),
    spentBefore: spent === null ? null : SpentBefore.parse(JSON.parse(spent)),
  };
}
