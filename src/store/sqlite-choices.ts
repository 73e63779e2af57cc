import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { AgentChoices, Choices, ProcessChoices } from "../ports/agent-choices.ts";
import type { ToolChoices } from "../ports/tool-choices.ts";
import type { CliType, ProjectId } from "../protocol/ids.ts";
import { ProcessTopology } from "../protocol/server-messages.ts";

const Value = z.union([z.string(), z.boolean()]);

export class SqliteAgentChoices implements AgentChoices, ProcessChoices {
  readonly #read;
  readonly #write;
  readonly #readProcess;
  readonly #writeProcess;

  constructor(db: DatabaseSync) {
    this.#read = db.prepare("SELECT config_id, value FROM agent_choice WHERE cli_type = ? ORDER BY config_id");
    this.#write = db.prepare(
      `INSERT INTO agent_choice (cli_type, config_id, value) VALUES (?, ?, ?)
       ON CONFLICT (cli_type, config_id) DO UPDATE SET value = excluded.value`,
    );
    this.#readProcess = db.prepare("SELECT process FROM agent_process WHERE cli_type = ?");
    this.#writeProcess = db.prepare(
      `INSERT INTO agent_process (cli_type, process) VALUES (?, ?)
       ON CONFLICT (cli_type) DO UPDATE SET process = excluded.process`,
    );
  }

  of(cliType: CliType): Choices {
    const rows = this.#read.all(cliType);
    return new Map(rows.map((row) => [String(row["config_id"]), Value.parse(JSON.parse(String(row["value"])))]));
  }

  remember(cliType: CliType, configId: string, value: string | boolean): void {
    this.#write.run(cliType, configId, JSON.stringify(value));
  }

  processOf(cliType: CliType): ProcessTopology | null {
    return ProcessTopology.safeParse(this.#readProcess.get(cliType)?.["process"]).data ?? null;
  }

  chooseProcess(cliType: CliType, process: ProcessTopology): void {
    this.#writeProcess.run(cliType, process);
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

  of(projectId: ProjectId): ReadonlyMap<string, boolean> {
    return new Map(this.#read.all(projectId).map((row) => [String(row["name"]), row["enabled"] === 1]));
  }

  choose(projectId: ProjectId, name: string, enabled: boolean): void {
    this.#write.run(projectId, name, enabled ? 1 : 0);
  }
}
