import type { ProjectId, SessionId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";
import type { WorktreeId } from "../protocol/worktree-ref.ts";
import type {
  MergePreview,
  NewWorktree,
  PublishPreview,
  Radar,
  Worktree,
  WorktreeOptions,
} from "../protocol/worktrees.ts";

export const UNKNOWN_RADAR: Radar = { state: "unknown", overlaps: [] };

/** A worktree that sessions can work in. */
export interface WorktreePlace {
  readonly worktreeId: WorktreeId;
  readonly projectId: ProjectId;
  readonly name: string;
  readonly branch: string;
  /** The top directory of the worktree. */
  readonly path: string;
  /** The project's directory in it: the same as `path`, unless the project is a subdirectory of its repository. */
  readonly cwd: string;
  /** How many uncommitted files were copied when it was made, if any. */
  readonly carriedFiles?: number | undefined;
}

/** The state of a worktree's files and commits; its sessions and its setup are tracked elsewhere. */
export type ListedWorktree = Omit<Worktree, "sessionIds" | "setup" | "radar">;

export interface WorktreeRequest extends NewWorktree {
  readonly title: string | null;
  /** With its uncommitted work, instead of the project's (`carry`). */
  readonly carryFrom?: { readonly directory: string; readonly sessionId: SessionId };
  /** The command that requested it. */
  readonly madeFor?: string;
}

/** The worktrees of projects. Failures throw a `RefusalError`, and then nothing has changed. */
export interface Worktrees {
  options(
    project: Project,
  ): Promise<
    Pick<
      WorktreeOptions,
      "unavailable" | "branch" | "branches" | "behindCommits" | "uncommittedFiles" | "includedFiles"
    >
  >;
  /**
   * Complete, with the files of `.worktreeinclude` and the requested uncommitted work; after a failure nothing is left
   * of it.
   */
  create(project: Project, request: WorktreeRequest): Promise<WorktreePlace>;
  /** The one of the project that was made for a command, if its directory exists; null otherwise. */
  madeFor(project: Project, commandId: string): Promise<WorktreePlace | null>;
  /** One of ours whose directory exists; null otherwise. */
  find(worktreeId: WorktreeId): Promise<WorktreePlace | null>;
  /** Returns the result of the last check at once. Checks again in the background, and calls `onChanged`. */
  list(project: Project): Promise<readonly ListedWorktree[]>;
  /** A session works there now. */
  used(worktreeId: WorktreeId): void;
  /** Branches of the project's repository have moved: all its worktrees are checked again with the next list. */
  moved(project: Project): Promise<void>;
  /** Moves it to quarantine. */
  remove(worktreeId: WorktreeId): Promise<void>;
  /** The operation it was made for failed: it is deleted if it is unchanged, otherwise moved to quarantine. */
  giveBack(worktreeId: WorktreeId): Promise<void>;
  /** Returns it from quarantine. */
  bringBack(worktreeId: WorktreeId): Promise<void>;
  /** Deletes it permanently. */
  purge(worktreeId: WorktreeId): Promise<void>;
  /** Finishes or undoes an interrupted operation. */
  repair(worktreeId: WorktreeId): Promise<void>;
  /**
   * Brings the uncommitted work of one directory to another one of the same repository, by a move with a checkpoint on
   * both sides. Refused when the target has uncommitted work of its own.
   */
  carry(from: string, to: string, sessionId: SessionId): Promise<{ readonly files: number }>;
  onChanged(listener: (projectId: ProjectId) => void): Disposable;
}

/** How the work of a worktree gets back. Never checks out, stashes, resets or cleans. */
export interface Merging {
  preview(project: Project, worktree: WorktreePlace, base: string | null, into: string | null): Promise<MergePreview>;
  merge(
    project: Project,
    worktree: WorktreePlace,
    merge: {
      readonly into: string;
      readonly how: "merge" | "squash";
      readonly message: string | null;
      readonly expect: string;
    },
  ): Promise<{ readonly commit: string }>;
  /** Commits everything that is uncommitted in the worktree, or nothing. */
  commit(
    worktree: WorktreePlace,
    commit: { readonly message: string; readonly expect: string },
  ): Promise<{ readonly commit: string; readonly output: string }>;
  publishPreview(
    project: Project,
    worktree: WorktreePlace,
    draft: { readonly title: string; readonly body: string; readonly into: string | null },
  ): Promise<PublishPreview>;
  publish(
    project: Project,
    worktree: WorktreePlace,
    publish: {
      readonly pullRequest: { readonly title: string; readonly body: string; readonly into: string | null } | null;
      readonly expect: string;
    },
  ): Promise<{ readonly url: string | null; readonly output: string }>;
}

/** Whether work in parallel worktrees would collide. */
export interface ConflictRadar {
  /** The results of the last check, by worktree; one that is missing is unknown. */
  known(project: Project): Promise<readonly (readonly [WorktreeId, Radar])[]>;
  /**
   * Files or commits of one of the project's worktrees, of its own directory, or of any of them may have changed:
   * checks again soon, and calls `onChanged`.
   */
  touched(project: Project, place?: WorktreeId | "project" | "all"): void;
  /** Everything that was touched so far is looked at. */
  settled(project: Project): Promise<void>;
  onChanged(listener: (projectId: ProjectId) => void): Disposable;
}
