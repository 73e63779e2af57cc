import type { DatabaseSync } from "node:sqlite";
import { z } from "zod/mini";
import type { NoticeMark, NoticeStore, NoticeSubject, RefusedRun } from "../ports/notice-store.ts";
import { ProjectId, SessionId } from "../protocol/ids.ts";
import { ScheduleDefinition, ScheduleId } from "../protocol/schedules.ts";

type Row = Record<string, unknown>;

const State = z.enum(["sending", "again", "sent", "failed"]);
const RUN_SUBJECT = "'schedule:' || schedule_id || ':' || due_at";

export class SqliteNoticeStore implements NoticeStore {
  readonly #sql;

  constructor(db: DatabaseSync) {
    this.#sql = {
      attention: db.prepare(
        "SELECT attention_seq AS seq, attention_seq > seen_seq AS is_unread FROM session WHERE id = ?",
      ),
      unread: db.prepare(
        "SELECT id FROM session WHERE last_active_at >= ? AND (attention_seq > seen_seq OR (? = 1 AND attention_seq > 0)) AND archived = 0 ORDER BY key",
      ),
      refused: db.prepare(
        `SELECT schedule_id, due_at, project_id, definition FROM schedule_run JOIN schedule ON schedule.id = schedule_id
         WHERE state = 'refused' AND ended_at >= ? ORDER BY ended_at`,
      ),
      mark: db.prepare("SELECT * FROM notice WHERE subject = ? AND target_id = ?"),
      save: db.prepare(
        `INSERT OR REPLACE INTO notice (subject, target_id, seq, state, tries, at, problem) SELECT ?, ?, ?, ?, ?, ?, ?
         WHERE EXISTS (SELECT 1 FROM session WHERE id = ?) OR EXISTS (SELECT 1 FROM schedule_run WHERE ${RUN_SUBJECT} = ?)`,
      ),
      last: db.prepare(
        "SELECT * FROM notice WHERE target_id = ? AND state IN ('sent', 'failed') ORDER BY at DESC LIMIT 1",
      ),
    };
  }

  async attention(sessionId: SessionId): Promise<{ readonly seq: number; readonly isUnread: boolean } | null> {
    const row = this.#sql.attention.get(sessionId);
    return row ? { seq: Number(row["seq"]), isUnread: row["is_unread"] === 1 } : null;
  }

  async unreadSince(at: string, isSeenToo = false): Promise<readonly SessionId[]> {
    return this.#sql.unread.all(at, isSeenToo ? 1 : 0).map((row) => SessionId.parse(row["id"]));
  }

  async refusedSince(at: string): Promise<readonly RefusedRun[]> {
    return this.#sql.refused.all(at).map((row) => {
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
    return markFrom(this.#sql.mark.get(subject, targetId));
  }

  async save({ subject, targetId, seq, state, tries, at, problem }: NoticeMark): Promise<void> {
    this.#sql.save.run(subject, targetId, seq, state, tries, at, problem, subject, subject);
  }

  async lastOf(targetId: string): Promise<NoticeMark | null> {
    return markFrom(this.#sql.last.get(targetId));
  }
}

function markFrom(row: Row | undefined): NoticeMark | null {
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
