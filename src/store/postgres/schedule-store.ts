import { z } from "zod/mini";
import type { ScheduleStore, StoredRun, StoredSchedule } from "../../ports/schedule-store.ts";
import { ProjectId, SessionId } from "../../protocol/ids.ts";
import { RunState, ScheduleDefinition, ScheduleId } from "../../protocol/schedules.ts";
import type { PostgresDatabase, Queries, Row } from "./database.ts";

const SpentBefore = z.object({ tokens: z.number(), cost: z.number() });

export class PostgresScheduleStore implements ScheduleStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async list(): Promise<readonly StoredSchedule[]> {
    return (await this.#db.rows("SELECT * FROM schedule ORDER BY created_at, id")).map(scheduleFrom);
  }

  async get(id: ScheduleId): Promise<StoredSchedule | null> {
    const row = await this.#db.row("SELECT * FROM schedule WHERE id = $1", [id]);
    return row && scheduleFrom(row);
  }

  async save({ id, projectId, definition, enabled, createdAt, settledUntil }: StoredSchedule): Promise<void> {
    await this.#db.run(
      `INSERT INTO schedule (id, project_id, definition, enabled, created_at, settled_until)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO UPDATE SET project_id = excluded.project_id, definition = excluded.definition,
         enabled = excluded.enabled, settled_until = excluded.settled_until`,
      [id, projectId, JSON.stringify(definition), enabled ? 1 : 0, createdAt, settledUntil],
    );
  }

  async remove(id: ScheduleId): Promise<void> {
    await this.#db.run("DELETE FROM schedule WHERE id = $1", [id]);
  }

  async claimDue(run: StoredRun): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      // The row is locked until the end: of two servers that claim a time at once, the second one sees it settled.
      const settled = await tx.run(
        "UPDATE schedule SET settled_until = $1 WHERE id = $2 AND enabled = 1 AND settled_until < $1",
        [run.dueAt, run.scheduleId],
      );
      return settled === 1 && (await addRun(tx, run));
    });
  }

  async addRun(run: StoredRun): Promise<boolean> {
    return addRun(this.#db, run);
  }

  async updateRun(run: StoredRun): Promise<void> {
    const { scheduleId, dueAt, sessionId, state, detail, endedAt } = run;
    await this.#db.run(
      `UPDATE schedule_run SET session_id = $1, state = $2, detail = $3, ended_at = $4, spent_before = $5
       WHERE schedule_id = $6 AND due_at = $7`,
      [sessionId, state, detail, endedAt, spentText(run), scheduleId, dueAt],
    );
  }

  async runs(id: ScheduleId, limit: number): Promise<readonly StoredRun[]> {
    const rows = await this.#db.rows(
      "SELECT * FROM schedule_run WHERE schedule_id = $1 ORDER BY due_at DESC LIMIT $2",
      [id, limit],
    );
    return rows.map(runFrom);
  }

  async openRuns(): Promise<readonly StoredRun[]> {
    const rows = await this.#db.rows("SELECT * FROM schedule_run WHERE ended_at IS NULL ORDER BY due_at, schedule_id");
    return rows.map(runFrom);
  }

  async trimRuns(id: ScheduleId, keep: number): Promise<void> {
    await this.#db.run(
      `DELETE FROM schedule_run WHERE schedule_id = $1 AND ended_at IS NOT NULL AND due_at NOT IN (
         SELECT due_at FROM schedule_run WHERE schedule_id = $1 AND ended_at IS NOT NULL ORDER BY due_at DESC LIMIT $2)`,
      [id, keep],
    );
  }
}

async function addRun(db: Queries, run: StoredRun): Promise<boolean> {
  const { scheduleId, dueAt, sessionId, state, detail, startedAt, endedAt } = run;
  // The schedule's row is held, so that it cannot go between the look and the insertion.
  const added = await db.run(
    `INSERT INTO schedule_run (schedule_id, due_at, session_id, state, detail, started_at, ended_at, spent_before)
     SELECT id, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text
     FROM schedule WHERE id = $1 FOR KEY SHARE
     ON CONFLICT DO NOTHING`,
    [scheduleId, dueAt, sessionId, state, detail, startedAt, endedAt, spentText(run)],
  );
  return added === 1;
}

function spentText({ spentBefore }: StoredRun): string | null {
  return spentBefore && JSON.stringify(spentBefore);
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
