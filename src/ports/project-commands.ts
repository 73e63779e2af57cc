import type { ProjectId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";
import type { WorktreeId } from "../protocol/worktree-ref.ts";
import type { WorktreeSetup } from "../protocol/worktrees.ts";
import type { WorktreePlace } from "./worktrees.ts";

/**
 * The machine where commands run, as far as it has to be asked: this one, or that of a place. Directories are named as on
 * the server. What cannot be found out throws a `RefusalError`.
 */
export interface CommandMachine {
  /** `liminal.json` of a project's or worktree's directory; null without one. */
  read(directory: string): Promise<{ readonly text: string } | { readonly problem: string } | null>;
  /** Nobody listens on this port of loopback. */
  isFree(directory: string, port: number): Promise<boolean>;
  /** Something accepts connections on it. */
  answersOn(directory: string, port: number): Promise<boolean>;
}

/**
 * The commands of a project's `liminal.json`. Each runs in a terminal, and only after the user has agreed to exactly this
 * command.
 */
export interface ProjectCommands {
  /**
   * For the choice of a place: what a new worktree would run, and a `liminal.json` that cannot be used. The state is
   * `none` without commands, `asks`, or `done` when the user has agreed to them: then it runs without asking.
   */
  setupFor(project: Project): Promise<{ readonly setup: WorktreeSetup; readonly problem: string | null }>;
  /** How the setup of this worktree stands. */
  setupOf(worktreeId: WorktreeId): WorktreeSetup;
  /**
   * Starts the setup in the worktree. With a hash the user agrees to the command with it; without one it runs only if they
   * did before; otherwise the state is `asks`. Throws a `RefusalError` when the command is no longer the one with this
   * hash: nothing ran, and `setupOf` has the new one. Its failure leaves worktree and reason.
   */
  runSetup(project: Project, place: WorktreePlace, hash: string | null): Promise<WorktreeSetup>;
  /**
   * Before a worktree is removed: ends its services and terminals, then runs the teardown if the user has agreed to it.
   * Throws a `RefusalError` when the teardown fails: the worktree must stay. The next call leaves the teardown out.
   */
  leave(project: Project, place: WorktreePlace): Promise<void>;
  /** The setup of a worktree, or a service, changed. */
  onChanged(listener: (projectId: ProjectId) => void): Disposable;
}
