import { z } from "zod/mini";
import { ChangedFile } from "./changes.ts";
import { ProjectId, SessionId } from "./ids.ts";
import { PATH_CHARS_MAX, TITLE_CHARS_MAX } from "./limits.ts";
import { TerminalId } from "./terminals.ts";
import { WorktreeId } from "./worktree-ref.ts";

/** Worktrees: working directories of their own for sessions, what happens to them, and how their work gets back. */

export const BRANCH_CHARS_MAX = 200;
export const SPARSE_DIRECTORIES_MAX = 100;
/** Of one project, quarantine included. */
export const WORKTREES_MAX = 200;
export const OVERLAPS_MAX = 50;
export const OVERLAP_PATHS_MAX = 50;
export const MERGE_FILES_MAX = 500;
export const MERGE_MESSAGE_CHARS_MAX = 10_000;
export const PULL_REQUEST_CHARS_MAX = 50_000;

const Branch = z.string().check(z.minLength(1), z.maxLength(BRANCH_CHARS_MAX));

/** How a new worktree is made. Everything has a default. */
export const NewWorktree = z.object({
  /** A branch, tag or commit; by default the commit that is checked out in the project. */
  base: z.optional(Branch),
  /** By default one that is derived from the title. Refused when there is such a branch. */
  branch: z.optional(Branch),
  /** What the worktree is for, such as the first words of its session: names it where there is neither title nor branch. */
  about: z.optional(z.string().check(z.maxLength(TITLE_CHARS_MAX))),
  /** Only these directories are checked out. */
  sparse: z.optional(
    z.array(z.string().check(z.minLength(1), z.maxLength(PATH_CHARS_MAX))).check(z.maxLength(SPARSE_DIRECTORIES_MAX)),
  ),
  /** The uncommitted work of the project comes along; the project keeps it, too. */
  carry: z.optional(z.boolean()),
});
export type NewWorktree = z.infer<typeof NewWorktree>;

/**
 * `making`: being created. `ready`: can be used. `missing`: its directory is gone. `removed`: in quarantine, from where it
 * can be returned. `stuck`: something was cut off and needs the user; `problem` says what and what to do.
 */
export const WorktreeStatus = z.enum(["making", "ready", "missing", "removed", "stuck"]);
export type WorktreeStatus = z.infer<typeof WorktreeStatus>;

/** Files that this worktree and another one both changed. */
export const Overlap = z.object({
  /** Null: the branch that the worktree was made from, as it is now. */
  with: z.nullable(z.object({ worktreeId: z.nullable(WorktreeId), name: z.string() })),
  /** `conflict`: merging both would conflict. `same-files`: both changed them; whether it conflicts is unknown or not. */
  kind: z.enum(["conflict", "same-files"]),
  /** Up to `OVERLAP_PATHS_MAX`; `total` counts all of them. */
  paths: z.array(z.string()),
  total: z.int(),
});
export type Overlap = z.infer<typeof Overlap>;

/** The last known overlaps. "unknown" is not "clean". */
export const Radar = z.object({
  state: z.enum(["unknown", "clean", "overlap"]),
  overlaps: z.array(Overlap),
  /** As ISO 8601; absent before the first check. */
  lookedAt: z.optional(z.string()),
});
export type Radar = z.infer<typeof Radar>;

/** The state of its files and commits at the last check. Null: not checked yet, or it could not be determined. */
export const WorktreeFacts = z.object({
  /** Files that differ from the last commit, untracked ones included. */
  uncommittedFiles: z.nullable(z.int()),
  /** Some branch of a remote is known. */
  hasRemote: z.nullable(z.boolean()),
  /** Commits that no remote has. */
  unpushedCommits: z.nullable(z.int()),
  /** Commits of its branch that the base does not have, and the other way round. */
  aheadCommits: z.nullable(z.int()),
  behindCommits: z.nullable(z.int()),
  /** All its commits are in the base. */
  isMerged: z.nullable(z.boolean()),
  /** The base has what its commits changed, though not the commits: they were squashed, or picked one by one. */
  isContained: z.nullable(z.boolean()),
  /** Ignored files of its own, for example `.env` or build results. */
  ignoredFiles: z.nullable(z.int()),
  sizeBytes: z.nullable(z.int()),
  lookedAt: z.nullable(z.string()),
});
export type WorktreeFacts = z.infer<typeof WorktreeFacts>;
export const NOT_LOOKED_AT: WorktreeFacts = {
  uncommittedFiles: null,
  hasRemote: null,
  unpushedCommits: null,
  aheadCommits: null,
  behindCommits: null,
  isMerged: null,
  isContained: null,
  ignoredFiles: null,
  sizeBytes: null,
  lookedAt: null,
};

/** The command of `liminal.json` that prepares a new worktree. */
export const WorktreeSetup = z.object({
  /** `asks`: it runs only after the user has agreed to exactly this command. */
  state: z.enum(["none", "asks", "running", "done", "failed"]),
  command: z.optional(z.string()),
  /** Repeated with the consent, so that what runs is what was shown. */
  hash: z.optional(z.string()),
  terminalId: z.optional(TerminalId),
  exitCode: z.optional(z.nullable(z.int())),
});
export type WorktreeSetup = z.infer<typeof WorktreeSetup>;

export const Worktree = z.object({
  worktreeId: WorktreeId,
  projectId: ProjectId,
  /** The last part of its path. */
  name: z.string(),
  path: z.string(),
  /** Where its sessions work, if the project is a directory below the top of its repository. */
  cwd: z.optional(z.string()),
  /** Null when no branch is checked out. */
  branch: z.nullable(z.string()),
  /** The branch that it was made from and is merged into by default; null when that is unknown. */
  base: z.nullable(z.string()),
  /** False: made by another program. It is listed, but never used or changed here. */
  isOurs: z.boolean(),
  status: WorktreeStatus,
  problem: z.optional(z.string()),
  createdAt: z.nullable(z.string()),
  lastUsedAt: z.nullable(z.string()),
  removedAt: z.optional(z.string()),
  /** Sessions that work there, archived ones excluded. */
  sessionIds: z.array(SessionId),
  setup: WorktreeSetup,
  facts: WorktreeFacts,
  radar: Radar,
});
export type Worktree = z.infer<typeof Worktree>;

/** The data that the choice of a place for a new session needs. */
export const WorktreeOptions = z.object({
  projectId: ProjectId,
  /** Why there can be no worktree, as text; null when there can. */
  unavailable: z.nullable(z.string()),
  /** What is checked out in the project; null on a detached HEAD. */
  branch: z.nullable(z.string()),
  /** Local branches, most recent first, bounded. */
  branches: z.array(z.string()),
  /** Of the project's branch against its upstream; null without one. */
  behindCommits: z.nullable(z.int()),
  /** Files of the project that are not committed. */
  uncommittedFiles: z.nullable(z.int()),
  /** Sessions that work in the project's own directory right now or have unreviewed changes there. */
  busySessionIds: z.array(SessionId),
  /** What the user chose for the previous session in this project; null before the first one. */
  lastChoice: z.nullable(z.enum(["project", "worktree"])),
  /** Setup of `liminal.json`, and ignored files that `.worktreeinclude` brings along. */
  setup: WorktreeSetup,
  includedFiles: z.nullable(z.int()),
  /** A `liminal.json` that cannot be used: what is wrong with it. */
  problem: z.optional(z.string()),
});
export type WorktreeOptions = z.infer<typeof WorktreeOptions>;

export const MergePreview = z.object({
  worktreeId: WorktreeId,
  branch: z.string(),
  into: z.string(),
  /** Branches it could go into. */
  targets: z.array(z.string()),
  /** `nothing`: all commits are there already. `unknown`: Git cannot tell; `reason` says why. */
  result: z.enum(["clean", "conflicts", "nothing", "unknown"]),
  reason: z.optional(z.string()),
  commits: z.int(),
  /** What the merge changes in the target, up to `MERGE_FILES_MAX`; `totalFiles` counts all. */
  files: z.array(ChangedFile),
  totalFiles: z.int(),
  added: z.int(),
  removed: z.int(),
  conflicts: z.array(z.object({ path: z.string(), kind: z.string() })),
  /** Files in the worktree that are not committed and are no part of the merge. */
  uncommittedFiles: z.int(),
  /** Some of them, up to `MERGE_FILES_MAX`. `expect` is repeated by `merge:commit`, which is refused when there are others. */
  uncommitted: z.optional(z.object({ paths: z.array(z.string()), expect: z.string() })),
  /** Changed files of the target's checkout that the merge would touch: it is refused while there are any. */
  inTheWay: z.array(z.string()),
  /** The directory that has them. */
  checkout: z.optional(z.string()),
  /** A suggestion for a squash. */
  message: z.string(),
  /** Repeated by `merge:run`, which is refused when either side has moved since. */
  expect: z.string(),
});
export type MergePreview = z.infer<typeof MergePreview>;

/** The commands for pushing a branch and opening a pull request, before they run. */
export const PublishPreview = z.object({
  worktreeId: WorktreeId,
  branch: z.string(),
  /** Null: there is no remote to push to. */
  remote: z.nullable(z.string()),
  /** Null: neither `gh` nor `glab` is installed, signed in and fits the remote; `reason` says why. */
  tool: z.nullable(z.enum(["gh", "glab"])),
  reason: z.optional(z.string()),
  /** The words of each command, with the suggested title and description. */
  commands: z.array(z.array(z.string())),
  title: z.string(),
  body: z.string(),
  unpushedCommits: z.int(),
  expect: z.string(),
});
export type PublishPreview = z.infer<typeof PublishPreview>;

const expected = z.string().check(z.minLength(1), z.maxLength(200));
const target = z.optional(Branch);
/** Bodies of the messages that clients send, by type. */
export const WORKTREE_REQUESTS = {
  /** From then on `worktree:list` comes with every change in the project. */
  "worktree:list": { projectId: ProjectId },
  "worktree:options": { projectId: ProjectId },
  "worktree:remove": { worktreeId: WorktreeId },
  "worktree:return": { worktreeId: WorktreeId },
  /** Deletes for good. `name` repeats the worktree's name: the user has typed or confirmed it. */
  "worktree:purge": { worktreeId: WorktreeId, name: z.string().check(z.maxLength(PATH_CHARS_MAX)) },
  /** Finishes or undoes what was cut off. */
  "worktree:repair": { worktreeId: WorktreeId },
  /** Runs the setup, with the user's consent to the command with this hash. */
  "worktree:setup": { worktreeId: WorktreeId, hash: expected },
  /** The conversation goes on in another place: a new worktree, one that is there, or the project (null). */
  "worktree:move-session": {
    sessionId: SessionId,
    to: z.nullable(z.union([z.object({ worktreeId: WorktreeId }), z.object({ create: NewWorktree })])),
  },
  "merge:preview": { worktreeId: WorktreeId, into: target },
  "merge:run": {
    worktreeId: WorktreeId,
    into: Branch,
    how: z.enum(["merge", "squash"]),
    message: z.optional(z.string().check(z.maxLength(MERGE_MESSAGE_CHARS_MAX))),
    expect: expected,
  },
  /** Commits all files that are uncommitted in the worktree, with the user's hooks. */
  "merge:commit": {
    worktreeId: WorktreeId,
    message: z.string().check(z.minLength(1), z.maxLength(MERGE_MESSAGE_CHARS_MAX)),
    expect: expected,
  },
  /** The agent of this session is asked to merge the target into its branch. */
  "merge:ask-agent": { sessionId: SessionId, worktreeId: WorktreeId, into: Branch },
  "publish:preview": { worktreeId: WorktreeId, into: target },
  /** `pullRequest` absent: the branch is only pushed. */
  "publish:run": {
    worktreeId: WorktreeId,
    pullRequest: z.optional(
      z.object({
        title: z.string().check(z.minLength(1), z.maxLength(TITLE_CHARS_MAX)),
        body: z.string().check(z.maxLength(PULL_REQUEST_CHARS_MAX)),
        into: target,
      }),
    ),
    expect: expected,
  },
} as const;

/** Bodies of the messages that the server sends, by type. */
export const WORKTREE_ANSWERS = {
  /** Also published to every client whenever something of it changes. */
  "worktree:list": { projectId: ProjectId, worktrees: z.array(Worktree) },
  "worktree:options": WorktreeOptions.shape,
  "worktree:moved": { sessionId: SessionId, worktreeId: z.nullable(WorktreeId) },
  "merge:preview": MergePreview.shape,
  /** `output`: what Git and the user's hooks wrote. */
  "merge:committed": { worktreeId: WorktreeId, commit: z.string(), output: z.string() },
  "merge:done": { worktreeId: WorktreeId, into: z.string(), commit: z.string() },
  "publish:preview": PublishPreview.shape,
  "publish:done": {
    worktreeId: WorktreeId,
    url: z.nullable(z.string()),
    output: z.string(),
  },
} as const;
