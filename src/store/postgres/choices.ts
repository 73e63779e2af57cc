import { z } from "zod";
import { parseJson } from "../../lib/parse-json.ts";
import type { AgentChoices, Choices, KnownLimits, ModelFavourites, ProcessChoices } from "../../ports/agent-choices.ts";
import type { ToolChoices } from "../../ports/tool-choices.ts";
import { AgentLimits } from "../../protocol/conversations.ts";
import { CliType, type ProjectId } from "../../protocol/ids.ts";
import { ProcessTopology } from "../../protocol/process-topology.ts";
import type { Queries } from "./database.ts";

const Value = z.union([z.string(), z.boolean()]);

export class PostgresAgentChoices implements AgentChoices, ModelFavourites, ProcessChoices, KnownLimits {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async of(cliType: CliType): Promise<Choices> {
    const rows = await this.#db.rows(
      "SELECT config_id, value FROM agent_choice WHERE cli_type = $1 ORDER BY config_id",
      [cliType],
    );
    return new Map(rows.map((row) => [String(row["config_id"]), Value.parse(JSON.parse(String(row["value"])))]));
  }

  async remember(cliType: CliType, configId: string, value: string | boolean): Promise<void> {
    await this.#db.run(
      `INSERT INTO agent_choice (cli_type, config_id, value) VALUES ($1, $2, $3)
       ON CONFLICT (cli_type, config_id) DO UPDATE SET value = excluded.value`,
      [cliType, configId, JSON.stringify(value)],
    );
  }

  async favourites(cliType: CliType): Promise<readonly string[]> {
    const rows = await this.#db.rows("SELECT model FROM model_favourite WHERE cli_type = $1 ORDER BY model", [cliType]);
    return rows.map((row) => String(row["model"]));
  }

  async setFavourite(cliType: CliType, model: string, isFavourite: boolean): Promise<void> {
    await this.#db.run(
      isFavourite
        ? "INSERT INTO model_favourite (cli_type, model) VALUES ($1, $2) ON CONFLICT DO NOTHING"
        : "DELETE FROM model_favourite WHERE cli_type = $1 AND model = $2",
      [cliType, model],
    );
  }

  async processes(): Promise<ReadonlyMap<CliType, ProcessTopology>> {
    const chosen = new Map<CliType, ProcessTopology>();
    for (const row of await this.#db.rows("SELECT cli_type, process FROM agent_process")) {
      const [cliType, process] = [
        CliType.safeParse(row["cli_type"]).data,
        ProcessTopology.safeParse(row["process"]).data,
      ];
      if (cliType !== undefined && process !== undefined) chosen.set(cliType, process);
    }
    return chosen;
  }

  async chooseProcess(cliType: CliType, process: ProcessTopology): Promise<void> {
    await this.#db.run(
      `INSERT INTO agent_process (cli_type, process) VALUES ($1, $2)
       ON CONFLICT (cli_type) DO UPDATE SET process = excluded.process`,
      [cliType, process],
    );
  }

  async limits(): Promise<ReadonlyMap<CliType, AgentLimits>> {
    const known = new Map<CliType, AgentLimits>();
    for (const row of await this.#db.rows("SELECT cli_type, limits FROM agent_limits")) {
      const [cliType, limits] = [
        CliType.safeParse(row["cli_type"]).data,
        AgentLimits.safeParse(parseJson(String(row["limits"]))).data,
      ];
      if (cliType !== undefined && limits !== undefined) known.set(cliType, limits);
    }
    return known;
  }

  async rememberLimits(cliType: CliType, limits: AgentLimits): Promise<void> {
    await this.#db.run(
      `INSERT INTO agent_limits (cli_type, limits) VALUES ($1, $2)
       ON CONFLICT (cli_type) DO UPDATE SET limits = excluded.limits`,
      [cliType, JSON.stringify(limits)],
    );
  }
}

export class PostgresToolChoices implements ToolChoices {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async of(projectId: ProjectId): Promise<ReadonlyMap<string, boolean>> {
    const rows = await this.#db.rows("SELECT name, enabled FROM tool_choice WHERE project_id = $1", [projectId]);
    return new Map(rows.map((row) => [String(row["name"]), row["enabled"] === 1]));
  }

  async choose(projectId: ProjectId, name: string, enabled: boolean): Promise<void> {
    await this.#db.run(
      `INSERT INTO tool_choice (project_id, name, enabled) VALUES ($1, $2, $3)
       ON CONFLICT (project_id, name) DO UPDATE SET enabled = excluded.enabled`,
      [projectId, name, enabled ? 1 : 0],
    );
  }
}
