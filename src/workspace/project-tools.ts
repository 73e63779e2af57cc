import { TaskQueue } from "../lib/task-queue.ts";
import type { ToolChoices } from "../ports/tool-choices.ts";
import type { ProjectId } from "../protocol/ids.ts";
import type { ToolServer } from "../protocol/tool-server.ts";

interface ProjectToolsDeps {
  /** As in config.json, for the machine of the project; `enabled` is the default without a choice. */
  readonly servers: (projectId: ProjectId) => readonly ToolServer[];
  readonly choices: ToolChoices;
}

/** The user's tool servers, project by project. */
export class ProjectTools {
  readonly #deps: ProjectToolsDeps;
  readonly #choosing = new TaskQueue();

  constructor(deps: ProjectToolsDeps) {
    this.#deps = deps;
  }

  async list(projectId: ProjectId): Promise<readonly ToolServer[]> {
    const chosen = await this.#deps.choices.of(projectId);
    return this.#deps
      .servers(projectId)
      .map((server) => ({ ...server, enabled: chosen.get(server.name) ?? server.enabled }));
  }

  /** By name, what sessions of this project get. */
  async enabledIn(projectId: ProjectId): Promise<ReadonlySet<string>> {
    return new Set((await this.list(projectId)).flatMap(({ name, enabled }) => (enabled ? [name] : [])));
  }

  /**
   * The servers after the choice; null for a name that config.json does not have. Choices resolve in the order they were
   * made, so that the last list that is published is the newest.
   */
  async choose(projectId: ProjectId, name: string, enabled: boolean): Promise<readonly ToolServer[] | null> {
    if (!this.#deps.servers(projectId).some((server) => server.name === name)) return null;
    return this.#choosing.run(async () => {
      await this.#deps.choices.choose(projectId, name, enabled);
      return this.list(projectId);
    });
  }
}
