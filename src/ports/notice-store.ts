import type { CliType, ProjectId, SessionId } from "../protocol/ids.ts";
import type { ScheduleId } from "../protocol/schedules.ts";

/** A run that could not start: it has no session that would show it. */
export interface RefusedRun {
  readonly scheduleId: ScheduleId;
  readonly dueAt: string;
  /** Of its schedule. */
  readonly name: string;
  readonly projectId: ProjectId;
  /** Null for a run in a session that is there. */
  readonly cliType: CliType | null;
}

/** What a notice is about: a session, or the run of a schedule (`runSubject`). */
export type NoticeSubject = string;

export function runSubject({ scheduleId, dueAt }: Pick<RefusedRun, "scheduleId" | "dueAt">): NoticeSubject {
  return `schedule:${scheduleId}:${dueAt}`;
}

/** The state of a notice at one target. A newer notice about the same subject replaces it. */
export interface NoticeMark {
  readonly subject: NoticeSubject;
  readonly targetId: string;
  /** Of the fact that it is about. */
  readonly seq: number;
  /** `sending`: in progress; its delivery is unknown. `again`: it failed and will be retried. */
  readonly state: "sending" | "again" | "sent" | "failed";
  readonly tries: number;
  readonly at: string;
  /** Why it failed. */
  readonly problem: string | null;
}

/** Sent notices, so that a restart does not repeat them. */
export interface NoticeStore {
  /** The newest fact that the user should notice, and whether it was seen; null for an unknown session. */
  attention(sessionId: SessionId): Promise<{ readonly seq: number; readonly isUnread: boolean } | null>;
  /** Sessions that were active since then and have something unread; archived ones are left out. */
  unreadSince(at: string, isSeenToo?: boolean): Promise<readonly SessionId[]>;
  /** Runs that were refused since then. */
  refusedSince(at: string): Promise<readonly RefusedRun[]>;
  mark(subject: NoticeSubject, targetId: string): Promise<NoticeMark | null>;
  /** Left out when its subject is gone. */
  save(mark: NoticeMark): Promise<void>;
  /** The newest one that arrived or failed. */
  lastOf(targetId: string): Promise<NoticeMark | null>;
}
