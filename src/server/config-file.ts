import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { AgentDefinition } from "../agents/catalog/agent-definition.ts";
import { CliType } from "../protocol/ids.ts";

const AgentSetting = z.object({
  name: z.string().min(1),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const ConfigFile = z.looseObject({ agents: z.record(CliType, AgentSetting).optional() });

export interface LoadedConfigFile {
  readonly agents: readonly AgentDefinition[];
  /** What is wrong with the file and where, when it cannot be used. */
  readonly problem: string | null;
}

/** The user's own settings. A file with a mistake is reported with its place, and the app starts without it. */
export function loadConfigFile(path: string): LoadedConfigFile {
  if (!existsSync(path)) return { agents: [], problem: null };
  try {
    const parsed = ConfigFile.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      return { agents: [], problem: `${path}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}` };
    }
    const agents = Object.entries(parsed.data.agents ?? {}).map(([id, { name, command, args = [], env = {} }]) => ({
      id: CliType.parse(id),
      name,
      command: [command, ...args],
      env,
    }));
    return { agents, problem: null };
  } catch (error) {
    return { agents: [], problem: `${path}: ${error instanceof Error ? error.message : String(error)}` };
  }
}
