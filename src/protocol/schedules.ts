import { z } from "zod/mini";
import { Budget } from "./delegation.ts";
import { CliType, ProjectId, SessionId } from "./ids.ts";
import { PROMPT_CHARS_MAX, TITLE_CHARS_MAX } from "./limits.ts";
import { PermissionMode } from "./permission-policy.ts";

export const SCHEDULES_MAX = 200;
export const SCHEDULE_RUNS_SHOWN_MAX = 100;
const CRON_CHARS_MAX = 200;
const ZONE_CHARS_MAX = 100;

export const ScheduleId = z
  .string()
  .check(z.regex(/^[a-z0-9]{1,24}$/))
  .brand<"ScheduleId">();
export type ScheduleId = z.infer<typeof ScheduleId>;

/** When it is due: by a cron expression of five fields in a time zone, or once. */
export const Cadence = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("cron"),
    cron: z.string().check(z.trim(), z.minLength(1), z.maxLength(CRON_CHARS_MAX)),
    /** As in the IANA database: `Europe/Berlin`. */
    zone: z.string().check(z.minLength(1), z.maxLength(ZONE_CHARS_MAX)),
  }),
  z.object({ kind: z.literal("once"), at: z.iso.datetime({ offset: true }) }),
]);
export type Cadence = z.infer<typeof Cadence>;

/** Where its prompt is sent: to a new session each time, or to one that is there. */
export const ScheduleTarget = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("new"),
    cliType: CliType,
    /** In a new worktree each time. */
    worktree: z.optional(z.boolean()),
    /** The permission mode of the session; absent: that of the project or the agent. */
    policy: z.optional(PermissionMode),
  }),
  z.object({ kind: z.literal("session"), sessionId: SessionId }),
]);
export type ScheduleTarget = z.infer<typeof ScheduleTarget>;

/** Of one run; a run is one turn. */
export const ScheduleBudget = z.pick(Budget, { tokens: true, cost: true, workMs: true });
export type ScheduleBudget = z.infer<typeof ScheduleBudget>;

const definition = {
  name: z.string().check(z.trim(), z.minLength(1, "the name must not be empty."), z.maxLength(TITLE_CHARS_MAX)),
  cadence: Cadence,
  target: ScheduleTarget,
  prompt: z.string().check(z.trim(), z.minLength(1, "the prompt must not be empty."), z.maxLength(PROMPT_CHARS_MAX)),
  budget: z.optional(ScheduleBudget),
  /** What happens to a run that was due while the server was not running: the newest one is started, or none. */
  missed: z.enum(["latest", "skip"]),
};
export const ScheduleDefinition = z.object(definition);
export type ScheduleDefinition = z.infer<typeof ScheduleDefinition>;

/**
 * `starting`: until its message is stored. `running`: until its turn has ended. `refused`: nothing was sent. `skipped`:
 * it was due and not started, on purpose.
 */
export const RunState = z.enum(["starting", "running", "done", "failed", "limited", "cancelled", "refused", "skipped"]);
export type RunState = z.infer<typeof RunState>;

export const ScheduleRun = z.object({
  scheduleId: ScheduleId,
  dueAt: z.string(),
  state: RunState,
  /** Why it is in this state, where that is not plain. */
  detail: z.optional(z.string()),
  sessionId: z.optional(SessionId),
  startedAt: z.string(),
  endedAt: z.optional(z.string()),
});
export type ScheduleRun = z.infer<typeof ScheduleRun>;

export const Schedule = z.object({
  ...definition,
  id: ScheduleId,
  projectId: ProjectId,
  enabled: z.boolean(),
  createdAt: z.string(),
  /** Absent when it is disabled, or never due again. */
  nextDueAt: z.optional(z.string()),
  lastRun: z.optional(ScheduleRun),
});
export type Schedule = z.infer<typeof Schedule>;

export const SCHEDULE_REQUESTS = {
  "schedule:list": { projectId: ProjectId },
  /** Without `scheduleId` a new one. */
  "schedule:save": {
    projectId: ProjectId,
    scheduleId: z.optional(ScheduleId),
    ...definition,
    enabled: z.optional(z.boolean()),
  },
  "schedule:enable": { scheduleId: ScheduleId, enabled: z.boolean() },
  "schedule:remove": { scheduleId: ScheduleId },
  /** Starts a run now, also of a disabled one. */
  "schedule:run": { scheduleId: ScheduleId },
  "schedule:runs": { scheduleId: ScheduleId },
  /** When it would be due next. */
  "schedule:preview": { cadence: Cadence },
};
export const SCHEDULE_ANSWERS = {
  /** Answers `schedule:list` and every change; every client receives changes. */
  "schedule:list": { projectId: ProjectId, schedules: z.array(Schedule) },
  /** Newest first. */
  "schedule:runs": { scheduleId: ScheduleId, runs: z.array(ScheduleRun) },
  "schedule:preview": { times: z.array(z.string()) },
};
