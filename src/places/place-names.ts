import type { WorktreePlace } from "../ports/worktrees.ts";
import { splitPlace } from "../protocol/place-path.ts";
import type { Project } from "../protocol/server-messages.ts";
import { placeOfWorktree, WorktreeId } from "../protocol/worktree-ref.ts";

/** What is at a place, as the server names it (here) and as its own machine does (there). */
export class PlaceNames {
  readonly #place: string;

  constructor(place: string) {
    this.#place = place;
  }

  pathHere(path: string): string {
    return `${this.#place}:${path}`;
  }

  pathThere(path: string): string {
    const at = splitPlace(path);
    if (at?.place !== this.#place) throw new Error(`${path} is not at ${this.#place}`);
    return at.path;
  }

  idHere(worktreeId: WorktreeId): WorktreeId {
    return WorktreeId.parse(`${this.#place}:${worktreeId}`);
  }

  idThere(worktreeId: WorktreeId): WorktreeId {
    if (placeOfWorktree(worktreeId) !== this.#place) throw new Error(`${worktreeId} is not at ${this.#place}`);
    return WorktreeId.parse(worktreeId.slice(this.#place.length + 1));
  }

  projectThere(project: Project): Project {
    return { ...project, path: this.pathThere(project.path) };
  }

  worktreeHere(worktree: WorktreePlace): WorktreePlace {
    const { worktreeId, path, cwd } = worktree;
    return { ...worktree, worktreeId: this.idHere(worktreeId), path: this.pathHere(path), cwd: this.pathHere(cwd) };
  }

  worktreeThere(worktree: WorktreePlace): WorktreePlace {
    const { worktreeId, path, cwd } = worktree;
    return { ...worktree, worktreeId: this.idThere(worktreeId), path: this.pathThere(path), cwd: this.pathThere(cwd) };
  }
}
