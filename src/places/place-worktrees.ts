import type { ConflictRadar, ListedWorktree, Merging, WorktreePlace, Worktrees } from "../ports/worktrees.ts";
import type { ProjectId, SessionId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";
import type { WorktreeId } from "../protocol/worktree-ref.ts";
import type { MergePreview, PublishPreview, Radar } from "../protocol/worktrees.ts";
import { PartCaller } from "./ask-part.ts";
import { PlaceError } from "./place-error.ts";
import type { PlaceLink } from "./place-link.ts";
import { PlaceNames } from "./place-names.ts";
import { MERGING_CALLS, RADAR_CALLS, WORKTREE_CALLS } from "./worktree-calls.ts";

type Changed = (projectId: ProjectId) => void;

/**
 * The worktrees of a place, by its runner. Records, directories and repositories are there, so that a step that is cut
 * off is finished or undone there, whoever connects next.
 */
export class PlaceWorktrees implements Worktrees {
  readonly #names: PlaceNames;
  readonly #calls: PartCaller<typeof WORKTREE_CALLS>;
  readonly #listeners = new Set<Changed>();
  /** Whose worktrees somebody has asked for. */
  readonly #projects = new Set<ProjectId>();

  constructor(link: PlaceLink, place: string, onError: (error: unknown) => void) {
    this.#names = new PlaceNames(place);
    this.#calls = new PartCaller(link, "worktrees", WORKTREE_CALLS, onError);
  }

  /** What was cut off is settled by then, or will be soon. */
  connected(): void {
    for (const projectId of this.#projects) this.changed(projectId);
  }

  changed(projectId: ProjectId): void {
    for (const listener of this.#listeners) listener(projectId);
  }

  /** That the place is away, or too old, is a reason not to offer any. */
  async options(project: Project): ReturnType<Worktrees["options"]> {
    try {
      return await this.#calls.ask("options", this.#names.projectThere(project));
    } catch (error) {
      if (!(error instanceof PlaceError)) throw error;
      const none = { branch: null, branches: [], behindCommits: null, uncommittedFiles: null, includedFiles: null };
      return { ...none, unavailable: error.message };
    }
  }

  async create(project: Project, request: Parameters<Worktrees["create"]>[1]): Promise<WorktreePlace> {
    const { carryFrom, ...rest } = request;
    const from = carryFrom && {
      carryFrom: { ...carryFrom, directory: this.#names.pathThere(carryFrom.directory) },
    };
    const made = await this.#calls.call("create", this.#names.projectThere(project), { ...rest, ...from });
    return this.#names.worktreeHere(made);
  }

  async madeFor(project: Project, commandId: string): Promise<WorktreePlace | null> {
    return this.#here(await this.#calls.call("madeFor", this.#names.projectThere(project), commandId));
  }

  async find(worktreeId: WorktreeId): Promise<WorktreePlace | null> {
    return this.#here(await this.#calls.call("find", this.#names.idThere(worktreeId)));
  }

  async list(project: Project): Promise<readonly ListedWorktree[]> {
    this.#projects.add(project.id);
    const listed = await this.#calls.call("list", this.#names.projectThere(project));
    return listed.map((one) => ({
      ...one,
      worktreeId: this.#names.idHere(one.worktreeId),
      path: this.#names.pathHere(one.path),
      ...(one.cwd !== undefined && { cwd: this.#names.pathHere(one.cwd) }),
    }));
  }

  used(worktreeId: WorktreeId): void {
    this.#calls.later("used", this.#names.idThere(worktreeId));
  }

  async moved(project: Project): Promise<void> {
    await this.#calls.ask("moved", this.#names.projectThere(project)).catch(unlessAway);
  }

  async remove(worktreeId: WorktreeId): Promise<void> {
    await this.#calls.call("remove", this.#names.idThere(worktreeId));
  }

  async giveBack(worktreeId: WorktreeId): Promise<void> {
    await this.#calls.call("giveBack", this.#names.idThere(worktreeId));
  }

  async bringBack(worktreeId: WorktreeId): Promise<void> {
    await this.#calls.call("bringBack", this.#names.idThere(worktreeId));
  }

  async purge(worktreeId: WorktreeId): Promise<void> {
    await this.#calls.call("purge", this.#names.idThere(worktreeId));
  }

  async repair(worktreeId: WorktreeId): Promise<void> {
    await this.#calls.call("repair", this.#names.idThere(worktreeId));
  }

  carry(from: string, to: string, sessionId: SessionId): Promise<{ readonly files: number }> {
    return this.#calls.call("carry", this.#names.pathThere(from), this.#names.pathThere(to), sessionId);
  }

  onChanged(listener: Changed): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #here(worktree: WorktreePlace | null): WorktreePlace | null {
    return worktree && this.#names.worktreeHere(worktree);
  }
}

/** How work at a place gets back, by its runner. */
export class PlaceMerging implements Merging {
  readonly #names: PlaceNames;
  readonly #calls: PartCaller<typeof MERGING_CALLS>;

  constructor(link: PlaceLink, place: string, onError: (error: unknown) => void) {
    this.#names = new PlaceNames(place);
    this.#calls = new PartCaller(link, "merging", MERGING_CALLS, onError);
  }

  async preview(
    project: Project,
    worktree: WorktreePlace,
    base: string | null,
    into: string | null,
  ): Promise<MergePreview> {
    const preview = await this.#calls.call("preview", ...this.#there(project, worktree), base, into);
    const { worktreeId, checkout } = preview;
    return {
      ...preview,
      worktreeId: this.#names.idHere(worktreeId),
      ...(checkout !== undefined && { checkout: this.#names.pathHere(checkout) }),
    };
  }

  merge(
    project: Project,
    worktree: WorktreePlace,
    merge: Parameters<Merging["merge"]>[2],
  ): ReturnType<Merging["merge"]> {
    return this.#calls.call("merge", ...this.#there(project, worktree), { ...merge });
  }

  commit(worktree: WorktreePlace, commit: Parameters<Merging["commit"]>[1]): ReturnType<Merging["commit"]> {
    return this.#calls.call("commit", this.#names.worktreeThere(worktree), { ...commit });
  }

  async publishPreview(
    project: Project,
    worktree: WorktreePlace,
    draft: Parameters<Merging["publishPreview"]>[2],
  ): Promise<PublishPreview> {
    const preview = await this.#calls.call("publishPreview", ...this.#there(project, worktree), { ...draft });
    return { ...preview, worktreeId: this.#names.idHere(preview.worktreeId) };
  }

  publish(
    project: Project,
    worktree: WorktreePlace,
    publish: Parameters<Merging["publish"]>[2],
  ): ReturnType<Merging["publish"]> {
    return this.#calls.call("publish", ...this.#there(project, worktree), { ...publish });
  }

  #there(project: Project, worktree: WorktreePlace): [Project, WorktreePlace] {
    return [this.#names.projectThere(project), this.#names.worktreeThere(worktree)];
  }
}

/** The conflict radar of a place. What it knows is there, and gone with each runner: then it looks again. */
export class PlaceRadar implements ConflictRadar {
  readonly #names: PlaceNames;
  readonly #calls: PartCaller<typeof RADAR_CALLS>;
  readonly #listeners = new Set<Changed>();
  /** Those that were looked at. */
  readonly #projects = new Map<ProjectId, Project>();

  constructor(link: PlaceLink, place: string, onError: (error: unknown) => void) {
    this.#names = new PlaceNames(place);
    this.#calls = new PartCaller(link, "radar", RADAR_CALLS, onError);
  }

  connected(): void {
    for (const project of this.#projects.values()) this.#calls.later("touched", project, "all");
  }

  /** Nothing is known until the connection is back, and that is not "clean". */
  lost(): void {
    for (const projectId of this.#projects.keys()) this.changed(projectId);
  }

  changed(projectId: ProjectId): void {
    for (const listener of this.#listeners) listener(projectId);
  }

  async known(project: Project): ReturnType<ConflictRadar["known"]> {
    const known = await this.#calls.ask("known", this.#names.projectThere(project)).catch(unlessAway);
    return known?.map(([worktreeId, radar]) => [this.#names.idHere(worktreeId), this.#radarHere(radar)] as const) ?? [];
  }

  touched(project: Project, place: WorktreeId | "project" | "all" = "all"): void {
    const there = this.#names.projectThere(project);
    this.#projects.set(project.id, there);
    this.#calls.later("touched", there, place === "project" || place === "all" ? place : this.#names.idThere(place));
  }

  async settled(project: Project): Promise<void> {
    await this.#calls.ask("settled", this.#names.projectThere(project)).catch(unlessAway);
  }

  onChanged(listener: Changed): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #radarHere({ overlaps, ...radar }: Radar): Radar {
    return {
      ...radar,
      overlaps: overlaps.map(({ with: other, ...overlap }) => ({
        ...overlap,
        with: other && { ...other, worktreeId: other.worktreeId && this.#names.idHere(other.worktreeId) },
      })),
    };
  }
}

/** Nothing is known of a place that is away, or too old for this. */
function unlessAway(error: unknown): null {
  if (error instanceof PlaceError) return null;
  throw error;
}
