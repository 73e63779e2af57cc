import { basename } from "node:path";
import { TaskQueue } from "../lib/task-queue.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { Directories } from "../protocol/directories.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import { ProjectId } from "../protocol/ids.ts";
import { splitPlace } from "../protocol/place-path.ts";
import type { Project } from "../protocol/server-messages.ts";
import { completeDirectory, findDirectory, type TypedPath } from "./typed-directory.ts";

interface ProjectServiceDeps {
  readonly world: World;
  readonly store: ProjectStore;
  /** What `~` stands for. */
  readonly home: string;
  /** Directories on other machines. */
  readonly places: PlaceDirectories | null;
  /** Why no directory of this machine is a project; null if they are. */
  readonly refusesHere?: string | null;
}

/** Directories at a place, by the path they have there. */
export interface PlaceDirectories {
  find(place: string, path: string): Promise<TypedPath>;
  complete(place: string, path: string): Promise<Directories>;
}

type ProjectAdded =
  | { readonly ok: true; readonly project: Project }
  | { readonly ok: false; readonly refusal: Refusal };

/** Directories the user works in, identified by their real path, so that none is added twice. */
export class ProjectService {
  readonly #deps: ProjectServiceDeps;
  /** As stored. Kept in memory, because a client must get the list in the same step in which it is subscribed. */
  #listed: readonly Project[];
  readonly #changes = new TaskQueue();
  readonly #leavers: ((id: ProjectId) => Promise<void>)[] = [];

  /** Stored projects are read first. */
  static async open(deps: ProjectServiceDeps): Promise<ProjectService> {
    return new ProjectService(deps, await deps.store.list());
  }

  private constructor(deps: ProjectServiceDeps, listed: readonly Project[]) {
    this.#deps = deps;
    this.#listed = listed;
  }

  list(): readonly Project[] {
    return this.#listed;
  }

  async add(givenPath: string): Promise<ProjectAdded> {
    const found = await this.#find(givenPath);
    if (!found.ok) return { ok: false, refusal: REFUSE.projectPathInvalid(found.reason) };
    return this.#changes.run(() => this.#add(found.path));
  }

  async #add(path: string): Promise<ProjectAdded> {
    const { store, world } = this.#deps;
    const known = await store.byPath(path);
    // The client cannot resolve `~` and links of another machine.
    if (known && !known.removed)
      return { ok: false, refusal: splitPlace(path) ? REFUSE.projectDuplicate(path) : REFUSE.projectDuplicate() };
    const project: Project = {
      id: known?.project.id ?? ProjectId.parse(world.newId()),
      path,
      name: nameOf(path),
      addedAt: isoTime(world),
    };
    await store.add(project);
    this.#listed = [...this.#listed, project];
    return { ok: true, project };
  }

  /** Accepts any path that leads to its directory. */
  async find(givenPath: string): Promise<Project | null> {
    const found = await this.#find(givenPath);
    const known = found.ok ? await this.#deps.store.byPath(found.path) : null;
    return known && !known.removed ? known.project : null;
  }

  /** Ends what runs for a project that is removed. Must not reject. */
  onRemove(leave: (id: ProjectId) => Promise<void>): void {
    this.#leavers.push(leave);
  }

  /** Keeps files, sessions and the project's id; they return when it is added again. */
  remove(id: ProjectId): Promise<boolean> {
    return this.#changes.run(async () => {
      if (!this.#listed.some((project) => project.id === id)) return false;
      await this.#deps.store.remove(id);
      this.#listed = this.#listed.filter((project) => project.id !== id);
      await Promise.all(this.#leavers.map((leave) => leave(id)));
      return true;
    });
  }

  /** Completions of a path that is being typed, and its current error. */
  async directories(path: string): Promise<Directories> {
    const at = splitPlace(path);
    const { places } = this.#deps;
    if (!at || !places) return completeDirectory(path, this.#deps.home, (found) => this.#duplicateReason(found));
    const { base, ...there } = await places.complete(at.place, at.path);
    return { ...there, path, base: `${at.place}:${base}` };
  }

  async #find(givenPath: string): Promise<TypedPath> {
    const at = splitPlace(givenPath);
    const { places, refusesHere = null } = this.#deps;
    if (!at && refusesHere !== null) return { ok: false, reason: refusesHere };
    if (!at || !places) return findDirectory(givenPath, this.#deps.home);
    const found = await places.find(at.place, at.path);
    return found.ok ? { ok: true, path: `${at.place}:${found.path}` } : found;
  }

  async #duplicateReason(path: string): Promise<string | undefined> {
    return (await this.#deps.store.byPath(path))?.removed === false ? REFUSE.projectDuplicate().message : undefined;
  }
}

/** The directory's own name, and its place if that is another machine. */
function nameOf(path: string): string {
  const at = splitPlace(path);
  return at ? `${basename(at.path) || at.path} (${at.place})` : basename(path) || path;
}
