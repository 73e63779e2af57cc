import type { ConflictRadar, Merging, WorktreePlace, Worktrees } from "../ports/worktrees.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { ProjectId, SessionId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";
import { placeOfWorktree, type WorktreeId } from "../protocol/worktree-ref.ts";
import { ByPlace, type ByPlaceParts, placeIn } from "./by-place.ts";

/** Those who hear of changes on any machine. */
class ProjectListeners {
  readonly #listeners = new Set<(projectId: ProjectId) => void>();

  readonly tell = (projectId: ProjectId): void => {
    for (const listener of this.#listeners) listener(projectId);
  };

  add(listener: (projectId: ProjectId) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

const IN_PODS = "Each session at this place has a pod of its own, so it needs no worktree.";
const NOTHING_CHANGES: Disposable = { [Symbol.dispose]: () => undefined };
const refuseInPods = (): never => {
  throw new RefusalError(REFUSE.placeFailed(IN_PODS));
};
const notFoundInPods = (): never => {
  throw new RefusalError(REFUSE.worktreeNotFound());
};

/**
 * Of places where each session has a pod: the files of a session are in its pod alone, and a worktree would be in the
 * pod of the project, which is deleted when it is not used.
 */
export const NO_WORKTREES: Worktrees = {
  options: async () => ({
    unavailable: IN_PODS,
    ...{ branch: null, branches: [], behindCommits: null, uncommittedFiles: null, includedFiles: null },
  }),
  create: async () => refuseInPods(),
  madeFor: async () => null,
  find: async () => null,
  list: async () => [],
  used: () => undefined,
  moved: async () => undefined,
  remove: async () => notFoundInPods(),
  giveBack: async () => notFoundInPods(),
  bringBack: async () => notFoundInPods(),
  purge: async () => notFoundInPods(),
  repair: async () => notFoundInPods(),
  carry: async () => refuseInPods(),
  onChanged: () => NOTHING_CHANGES,
};

/** Sessions that each have a pod cannot overlap. */
export const NO_RADAR: ConflictRadar = {
  known: async () => [],
  touched: () => undefined,
  settled: async () => undefined,
  onChanged: () => NOTHING_CHANGES,
};

/** Every worktree is where its project is: on this machine, or at the place that its path and its id name. */
export class WorktreesByPlace implements Worktrees {
  readonly #listeners = new ProjectListeners();
  readonly #parts: ByPlace<Worktrees>;

  constructor(parts: ByPlaceParts<Worktrees>) {
    this.#parts = new ByPlace(parts, (worktrees) => worktrees.onChanged(this.#listeners.tell));
  }

  async options(project: Project): ReturnType<Worktrees["options"]> {
    return (await this.#parts.in(project.path)).options(project);
  }

  async create(project: Project, request: Parameters<Worktrees["create"]>[1]): Promise<WorktreePlace> {
    return (await this.#parts.in(project.path)).create(project, request);
  }

  async madeFor(project: Project, commandId: string): Promise<WorktreePlace | null> {
    return (await this.#parts.in(project.path)).madeFor(project, commandId);
  }

  async find(worktreeId: WorktreeId): Promise<WorktreePlace | null> {
    return (await this.#parts.at(placeOfWorktree(worktreeId))).find(worktreeId);
  }

  async list(project: Project): ReturnType<Worktrees["list"]> {
    return (await this.#parts.in(project.path)).list(project);
  }

  used(worktreeId: WorktreeId): void {
    this.#parts.later(placeOfWorktree(worktreeId), (worktrees) => worktrees.used(worktreeId));
  }

  async moved(project: Project): Promise<void> {
    await (await this.#parts.in(project.path)).moved(project);
  }

  async remove(worktreeId: WorktreeId): Promise<void> {
    await (await this.#parts.at(placeOfWorktree(worktreeId))).remove(worktreeId);
  }

  async giveBack(worktreeId: WorktreeId): Promise<void> {
    await (await this.#parts.at(placeOfWorktree(worktreeId))).giveBack(worktreeId);
  }

  async bringBack(worktreeId: WorktreeId): Promise<void> {
    await (await this.#parts.at(placeOfWorktree(worktreeId))).bringBack(worktreeId);
  }

  async purge(worktreeId: WorktreeId): Promise<void> {
    await (await this.#parts.at(placeOfWorktree(worktreeId))).purge(worktreeId);
  }

  async repair(worktreeId: WorktreeId): Promise<void> {
    await (await this.#parts.at(placeOfWorktree(worktreeId))).repair(worktreeId);
  }

  async carry(from: string, to: string, sessionId: SessionId): ReturnType<Worktrees["carry"]> {
    return (await this.#parts.in(from)).carry(from, to, sessionId);
  }

  onChanged(listener: (projectId: ProjectId) => void): Disposable {
    return this.#listeners.add(listener);
  }
}

/** Work is merged where its worktree is. */
export class MergingByPlace implements Merging {
  readonly #parts: ByPlace<Merging>;

  constructor(parts: ByPlaceParts<Merging>) {
    this.#parts = new ByPlace(parts);
  }

  async preview(...[project, ...args]: Parameters<Merging["preview"]>): ReturnType<Merging["preview"]> {
    return (await this.#parts.in(project.path)).preview(project, ...args);
  }

  async merge(...[project, ...args]: Parameters<Merging["merge"]>): ReturnType<Merging["merge"]> {
    return (await this.#parts.in(project.path)).merge(project, ...args);
  }

  async commit(...[worktree, commit]: Parameters<Merging["commit"]>): ReturnType<Merging["commit"]> {
    return (await this.#parts.in(worktree.path)).commit(worktree, commit);
  }

  async publishPreview(
    ...[project, ...args]: Parameters<Merging["publishPreview"]>
  ): ReturnType<Merging["publishPreview"]> {
    return (await this.#parts.in(project.path)).publishPreview(project, ...args);
  }

  async publish(...[project, ...args]: Parameters<Merging["publish"]>): ReturnType<Merging["publish"]> {
    return (await this.#parts.in(project.path)).publish(project, ...args);
  }
}

/** The conflict radar of each machine. */
export class RadarByPlace implements ConflictRadar {
  readonly #listeners = new ProjectListeners();
  readonly #parts: ByPlace<ConflictRadar>;

  constructor(parts: ByPlaceParts<ConflictRadar>) {
    this.#parts = new ByPlace(parts, (radar) => radar.onChanged(this.#listeners.tell));
  }

  async known(project: Project): ReturnType<ConflictRadar["known"]> {
    return (await this.#parts.in(project.path)).known(project);
  }

  touched(project: Project, place?: WorktreeId | "project" | "all"): void {
    this.#parts.later(placeIn(project.path), (radar) => radar.touched(project, place));
  }

  async settled(project: Project): Promise<void> {
    await (await this.#parts.in(project.path)).settled(project);
  }

  onChanged(listener: (projectId: ProjectId) => void): Disposable {
    return this.#listeners.add(listener);
  }
}
