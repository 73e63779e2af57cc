import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { parseJson } from "../lib/parse-json.ts";
import type { AgentChoices, Choices, KnownLimits, ModelFavourites, ProcessChoices } from "../ports/agent-choices.ts";
import type { ToolChoices } from "../ports/tool-choices.ts";
import { AgentLimits } from "../protocol/conversations.ts";
import { CliType, type ProjectId } from "../protocol/ids.ts";
import { ProcessTopology } from "../protocol/process-topology.ts";

const Value = z.union([z.string(), z.boolean()]);

export class SqliteAgentChoices implements AgentChoices, ModelFavourites, ProcessChoices, KnownLimits {
  readonly #read;
  readonly #write;
  readonly #readFavourites;
  readonly #addFavourite;
  readonly #removeFavourite;
  readonly #readProcesses;
  readonly #writeProcess;
  readonly #readLimits;
  readonly #writeLimits;

  constructor(db: DatabaseSync) {
    this.#read = db.prepare("SELECT config_id, value FROM agent_choice WHERE cli_type = ? ORDER BY config_id");
    this.#write = db.prepare(
      `INSERT INTO agent_choice (cli_type, config_id, value) VALUES (?, ?, ?)
       ON CONFLICT (cli_type, config_id) DO UPDATE SET value = excluded.value`,
    );
    this.#readFavourites = db.prepare("SELECT model FROM model_favourite WHERE cli_type = ? ORDER BY model");
    this.#addFavourite = db.prepare("INSERT OR IGNORE INTO model_favourite (cli_type, model) VALUES (?, ?)");
    this.#removeFavourite = db.prepare("DELETE FROM model_favourite WHERE cli_type = ? AND model = ?");
    this.#readProcesses = db.prepare("SELECT cli_type, process FROM agent_process");
    this.#writeProcess = db.prepare(
      `INSERT INTO agent_process (cli_type, process) VALUES (?, ?)
       ON CONFLICT (cli_type) DO UPDATE SET process = excluded.process`,
    );
    this.#readLimits = db.prepare("SELECT cli_type, limits FROM agent_limits");
    this.#writeLimits = db.prepare("INSERT OR REPLACE INTO agent_limits (cli_type, limits) VALUES (?, ?)");
  }

  async of(cliType: CliType): Promise<Choices> {
    const rows = this.#read.all(cliType);
    return new Map(rows.map((row) => [String(row["config_id"]), Value.parse(JSON.parse(String(row["value"])))]));
  }

  async remember(cliType: CliType, configId: string, value: string | boolean): Promise<void> {
    this.#write.run(cliType, configId, JSON.stringify(value));
  }

  async favourites(cliType: CliType): Promise<readonly string[]> {
    return this.#readFavourites.all(cliType).map((row) => String(row["model"]));
  }

  async setFavourite(cliType: CliType, model: string, isFavourite: boolean): Promise<void> {
    (isFavourite ? this.#addFavourite : this.#removeFavourite).run(cliType, model);
  }

  async processes(): Promise<ReadonlyMap<CliType, ProcessTopology>> {
    const chosen = new Map<CliType, ProcessTopology>();
    for (const row of this.#readProcesses.all()) {
      const [cliType, process] = [
        CliType.safeParse(row["cli_type"]).data,
        ProcessTopology.safeParse(row["process"]).data,
      ];
      if (cliType !== undefined && process !== undefined) chosen.set(cliType, process);
    }
    return chosen;
  }

  async chooseProcess(cliType: CliType, process: ProcessTopology): Promise<void> {
    this.#writeProcess.run(cliType, process);
  }

  async limits(): Promise<ReadonlyMap<CliType, AgentLimits>> {
    const known = new Map<CliType, AgentLimits>();
    for (const row of this.#readLimits.all()) {
      const [cliType, limits] = [
        CliType.safeParse(row["cli_type"]).data,
        AgentLimits.safeParse(parseJson(String(row["limits"]))).data,
      ];
      if (cliType !== undefined && limits !== undefined) known.set(cliType, limits);
    }
    return known;
  }

  async rememberLimits(cliType: CliType, limits: AgentLimits): Promise<void> {
    this.#writeLimits.run(cliType, JSON.stringify(limits));
  }
}

export class SqliteToolChoices implements ToolChoices {
  readonly #read;
  readonly #write;

  constructor(db: DatabaseSync) {
    this.#read = db.prepare("SELECT name, enabled FROM tool_choice WHERE project_id = ?");
    this.#write = db.prepare(
      `INSERT INTO tool_choice (project_id, name, enabled) VALUES (?, ?, ?)
       ON CONFLICT (project_id, name) DO UPDATE SET enabled = excluded.enabled`,
    );
  }

  async of(projectId: ProjectId): Promise<ReadonlyMap<string, boolean>> {
    return new Map(this.#read.all(projectId).map((row) => [String(row["name"]), row["enabled"] === 1]));
  }

  async choose(projectId: ProjectId, name: string, enabled: boolean): Promise<void> {
    this.#write.run(projectId, name, enabled ? 1 : 0);
  }
}
