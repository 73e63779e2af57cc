import type { WorktreePlace, Worktrees } from "../ports/worktrees.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";

export interface NewPlaceDeps {
  readonly worktrees: Pick<Worktrees, "create" | "find" | "giveBack" | "madeFor" | "used">;
  /** A worktree was made for a session. */
  readonly onWorktreeMade: (project: Project, place: WorktreePlace) => void;
  /** The directory of a session without a worktree: where each has a pod, that of the project is in its own one. */
  readonly directoryFor: (projectPath: string, sessionId: SessionId) => string;
  readonly onError: (error: unknown) => void;
}

interface WantedPlace extends Pick<Extract<ClientMessage, { type: "session:create" }>, "worktree" | "commandId"> {
  readonly title?: string | undefined;
}

/** The place of a session that is not stored yet: the project's own directory, or a worktree. */
export class NewPlace {
  readonly #deps: NewPlaceDeps;
  readonly #project: Project;
  readonly #directory: string;
  #place: WorktreePlace | null = null;
  #isNew = false;

  /** `directory`: where it works without a worktree. */
  constructor(deps: NewPlaceDeps, project: Project, directory: string) {
    this.#deps = deps;
    this.#project = project;
    this.#directory = directory;
  }

  /** Null in the project's own directory. */
  get worktree(): WorktreePlace | null {
    return this.#place;
  }

  /** It was made for this session. */
  get isNew(): boolean {
    return this.#isNew;
  }

  get cwd(): string {
    return this.#place?.cwd ?? this.#directory;
  }

  /**
   * The worktree that the command names or asks for. The one that is made has the command's id: repeated after a crash,
   * the command makes no second one.
   */
  async find({ worktree, title, commandId }: WantedPlace): Promise<void> {
    if (!worktree) return;
    const { worktrees } = this.#deps;
    if ("worktreeId" in worktree) {
      this.#place = await worktrees.find(worktree.worktreeId);
      if (this.#place?.projectId !== this.#project.id) throw new RefusalError(REFUSE.worktreeNotFound());
      return;
    }
    const madeFor = commandId === undefined ? {} : { madeFor: commandId };
    this.#isNew = true;
    this.#place = commandId === undefined ? null : await worktrees.madeFor(this.#project, commandId);
    this.#place ??= await worktrees.create(this.#project, { ...worktree.create, title: title ?? null, ...madeFor });
  }

  /** The session is stored. */
  keep(): void {
    const isNew = this.#isNew;
    this.#isNew = false;
    if (this.#place === null) return;
    this.#deps.worktrees.used(this.#place.worktreeId);
    if (isNew) this.#deps.onWorktreeMade(this.#project, this.#place);
  }

  /** A worktree without the session that it was made for is of no use, unless there is work in it. */
  async giveBack(): Promise<void> {
    if (this.#place && this.#isNew)
      await this.#deps.worktrees.giveBack(this.#place.worktreeId).catch(this.#deps.onError);
  }
}
