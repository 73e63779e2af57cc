import { z } from "zod/mini";
import type { ConflictRadar, Merging, Worktrees } from "../ports/worktrees.ts";
import { ProjectId, SessionId } from "../protocol/ids.ts";
import { WorktreeId } from "../protocol/worktree-ref.ts";
import { MergePreview, NewWorktree, PublishPreview, Radar, Worktree, WorktreeOptions } from "../protocol/worktrees.ts";

/** The ports of worktrees as a runner serves them. Ids and directories are those of its machine. */

const PATH_CHARS_MAX = 4_096;
const TEXT_CHARS_MAX = 100_000;

const Text = z.string().check(z.maxLength(TEXT_CHARS_MAX));
const Directory = z.string().check(z.minLength(1), z.maxLength(PATH_CHARS_MAX));
/** Without a place: none can name the worktrees of another machine. */
const IdThere = WorktreeId.check(z.regex(/^[^:]*$/));
const ProjectThere = z.object({ id: ProjectId, path: Directory, name: Text, addedAt: Text });
const WorktreeThere = z.object({
  worktreeId: IdThere,
  projectId: ProjectId,
  name: Text,
  branch: Text,
  path: Directory,
  cwd: Directory,
  carriedFiles: z.optional(z.int()),
});
const ListedThere = z.extend(z.omit(Worktree, { sessionIds: true, setup: true, radar: true }), {
  worktreeId: IdThere,
});
const Request = z.extend(NewWorktree, {
  title: z.nullable(Text),
  carryFrom: z.optional(z.object({ directory: Directory, sessionId: SessionId })),
  madeFor: z.optional(Text),
});
const PullRequest = z.object({ title: Text, body: Text, into: z.nullable(Text) });
const NOTHING = z.null();

interface Call {
  readonly args: z.ZodMiniType<readonly unknown[]>;
  readonly answer: z.ZodMiniType;
  /** It may change something: where to look when its answer is lost, because nobody knows whether it did. */
  readonly changes?: string;
}
type CallsOf<Port> = Readonly<Record<Exclude<keyof Port, "onChanged">, Call>>;

const LIST = "the list of worktrees";
const BRANCHES = "the branches there";

export const WORKTREE_CALLS = {
  options: {
    args: z.tuple([ProjectThere]),
    answer: z.pick(WorktreeOptions, {
      unavailable: true,
      branch: true,
      branches: true,
      behindCommits: true,
      uncommittedFiles: true,
      includedFiles: true,
    }),
  },
  create: { args: z.tuple([ProjectThere, Request]), answer: WorktreeThere, changes: LIST },
  madeFor: { args: z.tuple([ProjectThere, Text]), answer: z.nullable(WorktreeThere) },
  find: { args: z.tuple([IdThere]), answer: z.nullable(WorktreeThere) },
  list: { args: z.tuple([ProjectThere]), answer: z.array(ListedThere) },
  used: { args: z.tuple([IdThere]), answer: NOTHING },
  moved: { args: z.tuple([ProjectThere]), answer: NOTHING },
  remove: { args: z.tuple([IdThere]), answer: NOTHING, changes: LIST },
  giveBack: { args: z.tuple([IdThere]), answer: NOTHING, changes: LIST },
  bringBack: { args: z.tuple([IdThere]), answer: NOTHING, changes: LIST },
  purge: { args: z.tuple([IdThere]), answer: NOTHING, changes: LIST },
  repair: { args: z.tuple([IdThere]), answer: NOTHING, changes: LIST },
  carry: {
    args: z.tuple([Directory, Directory, SessionId]),
    answer: z.object({ files: z.int() }),
    changes: "the files there",
  },
} as const satisfies CallsOf<Worktrees>;

export const MERGING_CALLS = {
  preview: {
    args: z.tuple([ProjectThere, WorktreeThere, z.nullable(Text), z.nullable(Text)]),
    answer: z.extend(MergePreview, { worktreeId: IdThere }),
  },
  merge: {
    args: z.tuple([
      ProjectThere,
      WorktreeThere,
      z.object({ into: Text, how: z.enum(["merge", "squash"]), message: z.nullable(Text), expect: Text }),
    ]),
    answer: z.object({ commit: z.string() }),
    changes: BRANCHES,
  },
  commit: {
    args: z.tuple([WorktreeThere, z.object({ message: Text, expect: Text })]),
    answer: z.object({ commit: z.string(), output: z.string() }),
    changes: BRANCHES,
  },
  publishPreview: {
    args: z.tuple([ProjectThere, WorktreeThere, PullRequest]),
    answer: z.extend(PublishPreview, { worktreeId: IdThere }),
  },
  publish: {
    args: z.tuple([ProjectThere, WorktreeThere, z.object({ pullRequest: z.nullable(PullRequest), expect: Text })]),
    answer: z.object({ url: z.nullable(z.string()), output: z.string() }),
    changes: "the remote",
  },
} as const satisfies CallsOf<Merging>;

export const RADAR_CALLS = {
  known: { args: z.tuple([ProjectThere]), answer: z.array(z.tuple([IdThere, Radar])) },
  touched: { args: z.tuple([ProjectThere, z.union([z.enum(["project", "all"]), IdThere])]), answer: NOTHING },
  settled: { args: z.tuple([ProjectThere]), answer: NOTHING },
} as const satisfies CallsOf<ConflictRadar>;
