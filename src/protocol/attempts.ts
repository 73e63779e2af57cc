import { z } from "zod/mini";
import { AttemptGroupId } from "./attempt-ref.ts";
import { COMMIT_MESSAGE_CHARS_MAX } from "./changes.ts";
import { CliType, ProjectId, SessionId } from "./ids.ts";
import { PROMPT_CHARS_MAX, TITLE_CHARS_MAX } from "./limits.ts";
import { PermissionMode } from "./permission-policy.ts";
import { BRANCH_CHARS_MAX } from "./worktrees.ts";

/** One task, given to several agents or models at once. Each works in its own worktree, and the user keeps one result. */

export const ATTEMPTS_MAX = 8;

/** Who makes an attempt. The same agent may be named several times, with the same or with another model. */
export const Attempter = z.object({
  cliType: CliType,
  /** One of the agent's models, by its id or name. */
  model: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
});
export type Attempter = z.infer<typeof Attempter>;

const Branch = z.string().check(z.minLength(1), z.maxLength(BRANCH_CHARS_MAX));

export const ATTEMPT_FILES_MAX = 50;

/** The result of an attempt so far. */
export const AttemptResult = z.object({
  sessionId: SessionId,
  /** What it changed since its base, committed or not: up to `ATTEMPT_FILES_MAX`; `totalFiles` counts all. */
  files: z.array(z.object({ path: z.string(), added: z.nullable(z.int()), removed: z.nullable(z.int()) })),
  totalFiles: z.int(),
  added: z.int(),
  removed: z.int(),
  commits: z.int(),
  uncommittedFiles: z.int(),
  /** The branch that it would be merged into; null if unknown. */
  into: z.nullable(z.string()),
  /** The end of its answer. */
  lastLine: z.string(),
  /** The name of its model, once its agent has reported it. */
  model: z.optional(z.string()),
  /** Why its files could not be read. */
  problem: z.optional(z.string()),
});
export type AttemptResult = z.infer<typeof AttemptResult>;

/** Bodies of the messages that clients send, by type. */
export const ATTEMPT_REQUESTS = {
  /** All sessions are made, or none. */
  "attempts:start": {
    projectId: ProjectId,
    content: z.string().check(z.trim(), z.minLength(1), z.maxLength(PROMPT_CHARS_MAX)),
    title: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(TITLE_CHARS_MAX))),
    agents: z.array(Attempter).check(z.minLength(1), z.maxLength(ATTEMPTS_MAX)),
    /** What all of them may do without asking; by default what the project's settings say. */
    policy: z.optional(PermissionMode),
    /** A branch, tag or commit; by default the commit that is checked out in the project. */
    base: z.optional(Branch),
  },
  "attempts:compare": { projectId: ProjectId, groupId: AttemptGroupId },
  /**
   * Commits what is uncommitted in the worktree of this attempt and merges its branch. Then the other attempts are
   * archived, and their worktrees go to quarantine. With conflicts, nothing is merged and no other attempt is touched.
   */
  "attempts:keep": {
    sessionId: SessionId,
    /** By default the branch that the worktree was made from. */
    into: z.optional(Branch),
    message: z.string().check(z.trim(), z.minLength(1), z.maxLength(COMMIT_MESSAGE_CHARS_MAX)),
  },
} as const;

/** Bodies of the answers, by type. */
export const ATTEMPT_ANSWERS = {
  "attempts:started": { groupId: AttemptGroupId, sessionIds: z.array(SessionId) },
  /** In the order of their numbers, without those that are archived. */
  "attempts:compared": { groupId: AttemptGroupId, results: z.array(AttemptResult) },
  "attempts:kept": {
    groupId: AttemptGroupId,
    sessionId: SessionId,
    into: z.string(),
    /** Absent: the attempt changed nothing. */
    commit: z.optional(z.string()),
    /** Attempts that could not be archived, with the reason. They stay as they are. */
    left: z.array(z.object({ sessionId: SessionId, reason: z.string() })),
  },
} as const;
