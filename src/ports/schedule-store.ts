import type { ProjectId, SessionId } from "../protocol/ids.ts";
import type { RunState, ScheduleDefinition, ScheduleId } from "../protocol/schedules.ts";

export interface StoredSchedule {
  readonly id: ScheduleId;
  readonly projectId: ProjectId;
  readonly definition: ScheduleDefinition;
  readonly enabled: boolean;
  readonly createdAt: string;
  /** Due times up to this one are settled. */
  readonly settledUntil: string;
}

/** Usage of a session at the start of a run. */
export interface SpentBefore {
  readonly tokens: number;
  readonly cost: number;
}

export interface StoredRun {
  readonly scheduleId: ScheduleId;
  readonly dueAt: string;
  readonly sessionId: SessionId | null;
  readonly state: RunState;
  readonly detail: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly spentBefore: SpentBefore | null;
}

/** Schedules and their runs. Each due time of a schedule has at most one run. */
export interface ScheduleStore {
  /** Oldest first. */
  list(): Promise<readonly StoredSchedule[]>;
  get(id: ScheduleId): Promise<StoredSchedule | null>;
  /** Adds or replaces one; its runs stay. */
  save(schedule: StoredSchedule): Promise<void>;
  /** With its runs. */
  remove(id: ScheduleId): Promise<void>;
  /**
   * Adds the run of a due time, and settles all due times up to it, in one step. False when the schedule is disabled
   * or gone, or that time is settled: then nothing changes.
   */
  claimDue(run: StoredRun): Promise<boolean>;
  /** Adds a run that the user asked for; false when the schedule is gone or has a run of this time. */
  addRun(run: StoredRun): Promise<boolean>;
  /** Changes a run; one whose schedule was removed is left out. */
  updateRun(run: StoredRun): Promise<void>;
  /** Newest first. */
  runs(id: ScheduleId, limit: number): Promise<readonly StoredRun[]>;
  /** Runs that have not ended, oldest first. */
  openRuns(): Promise<readonly StoredRun[]>;
  /** Deletes all ended runs of a schedule except the newest ones. */
  trimRuns(id: ScheduleId, keep: number): Promise<void>;
}
