import type { ToolChoices } from "../ports/tool-choices.ts";
import type { ProjectId } from "../protocol/ids.ts";
import type { ToolServer } from "../protocol/tool-server.ts";

interface ProjectToolsDeps {
  /** As config.json has them; `enabled` is what holds where nothing was chosen. */
  readonly servers: readonly ToolServer[];
  readonly choices: ToolChoices;
}

/** The user's tool servers, project by project. */
export class ProjectTools {
  readonly #deps: ProjectToolsDeps;

  constructor(deps: ProjectToolsDeps) {
    this.#deps = deps;
  }

  list(projectId: ProjectId): readonly ToolServer[] {
    const chosen = this.#deps.choices.of(projectId);
    return this.#deps.servers.map((server) => ({ ...server, enabled: chosen.get(server.name) ?? server.enabled }));
  }

  /** By name, what sessions of this project get. */
  enabledIn(projectId: ProjectId): ReadonlySet<string> {
    return new Set(this.list(projectId).flatMap(({ name, enabled }) => (enabled ? [name] : [])));
  }

  /** False for a name that config.json does not have. */
  choose(projectId: ProjectId, name: string, enabled: boolean): boolean {
    if (!this.#deps.servers.some((server) => server.name === name)) return false;
    this.#deps.choices.choose(projectId, name, enabled);
    return true;
  }
}
