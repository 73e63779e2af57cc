import { z } from "zod/mini";
import type { NoticeMark, NoticeStore, NoticeSubject, RefusedRun } from "../../ports/notice-store.ts";
import { ProjectId, SessionId } from "../../protocol/ids.ts";
import { ScheduleDefinition, ScheduleId } from "../../protocol/schedules.ts";
import type { Queries, Row } from "./database.ts";

const State = z.enum(["sending", "again", "sent", "failed"]);
const RUN_SUBJECT = "'schedule:' || schedule_id || ':' || due_at";

export class PostgresNoticeStore implements NoticeStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async attention(sessionId: SessionId): Promise<{ readonly seq: number; readonly isUnread: boolean } | null> {
    const row = await this.#db.row(
      "SELECT attention_seq AS seq, attention_seq > seen_seq AS is_unread FROM session WHERE id = $1",
      [sessionId],
    );
    return row && { seq: Number(row["seq"]), isUnread: row["is_unread"] === true };
  }

  async unreadSince(at: string, isSeenToo = false): Promise<readonly SessionId[]> {
    const rows = await this.#db.rows(
      `SELECT id FROM session WHERE last_active_at >= $1 AND archived = 0
         AND (attention_seq > seen_seq OR ($2::integer = 1 AND attention_seq > 0)) ORDER BY key`,
      [at, isSeenToo ? 1 : 0],
    );
    return rows.map((row) => SessionId.parse(row["id"]));
  }

  async refusedSince(at: string): Promise<readonly RefusedRun[]> {
    const rows = await this.#db.rows(
      `SELECT schedule_id, due_at, project_id, definition FROM schedule_run JOIN schedule ON schedule.id = schedule_id
       WHERE state = 'refused' AND ended_at >= $1 ORDER BY ended_at`,
      [at],
    );
    return rows.map((row) => {
      const { name, target } = ScheduleDefinition.parse(JSON.parse(String(row["definition"])));
      return {
        scheduleId: ScheduleId.parse(row["schedule_id"]),
        dueAt: String(row["due_at"]),
        name,
        projectId: ProjectId.parse(row["project_id"]),
        cliType: target.kind === "new" ? target.cliType : null,
      };
    });
  }

  async mark(subject: NoticeSubject, targetId: string): Promise<NoticeMark | null> {
    return markFrom(
      await this.#db.row("SELECT * FROM notice WHERE subject = $1 AND target_id = $2", [subject, targetId]),
    );
  }

  async save({ subject, targetId, seq, state, tries, at, problem }: NoticeMark): Promise<void> {
    await this.#db.run(
      `INSERT INTO notice (subject, target_id, seq, state, tries, at, problem)
       SELECT $1::text, $2::text, $3::bigint, $4::text, $5::integer, $6::text, $7::text
       WHERE EXISTS (SELECT 1 FROM session WHERE id = $1) OR EXISTS (SELECT 1 FROM schedule_run WHERE ${RUN_SUBJECT} = $1)
       ON CONFLICT (subject, target_id) DO UPDATE SET seq = excluded.seq, state = excluded.state,
         tries = excluded.tries, at = excluded.at, problem = excluded.problem`,
      [subject, targetId, seq, state, tries, at, problem],
    );
  }

  async lastOf(targetId: string): Promise<NoticeMark | null> {
    return markFrom(
      await this.#db.row(
        "SELECT * FROM notice WHERE target_id = $1 AND state IN ('sent', 'failed') ORDER BY at DESC LIMIT 1",
        [targetId],
      ),
    );
  }
}

function markFrom(row: Row | null): NoticeMark | null {
  if (!row) return null;
  const problem = row["problem"];
  return {
    subject: String(row["subject"]),
    targetId: String(row["target_id"]),
    seq: Number(row["seq"]),
    state: State.parse(row["state"]),
    tries: Number(row["tries"]),
    at: String(row["at"]),
    problem: typeof problem === "string" ? problem : null,
  };
}
