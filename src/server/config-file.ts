import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { AgentDefinition } from "../agents/catalog/agent-definition.ts";
import { RETRY_DELAYS_MS } from "../agents/catalog/retry-delays.ts";
import type { EvictionLimits } from "../agents/pool/eviction.ts";
import { Budget } from "../protocol/delegation.ts";
import { CliType } from "../protocol/ids.ts";
import { PermissionMode } from "../protocol/permission-policy.ts";
import { TREE_LIMITS, type TreeLimits } from "../sessions/delegation/tree-limits.ts";
import type { ConfiguredToolServer } from "./tool-servers.ts";

const RETRY_MS_MAX = 30_000;
const LEVELS_MAX = 10;
const POOL_DEFAULTS: EvictionLimits = { idleMs: 30 * 60_000, processesMax: 12 };

const AgentSetting = z.object({
  name: z.string().min(1).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  process: z.enum(["shared", "per-session"]).optional(),
  fs: z.boolean().optional(),
  terminal: z.boolean().optional(),
  permissions: z.optional(PermissionMode),
  orchestration: z.boolean().optional(),
  retryMs: z.array(z.int().min(0).max(RETRY_MS_MAX)).max(20).optional(),
});
type AgentSetting = z.infer<typeof AgentSetting>;
/** Known without a command: what it may be given is an environment, which names its model. */
const BUILTIN = CliType.parse("builtin");
const AgentSettings = z.record(CliType, AgentSetting).superRefine((agents, { addIssue }) => {
  for (const [id, setting] of Object.entries(agents)) {
    if (id === BUILTIN && setting.command === undefined) continue;
    for (const key of ["name", "command"] as const)
      if (setting[key] === undefined) addIssue({ code: "custom", path: [id, key], message: `an agent needs a ${key}` });
  }
});
const PoolSetting = z.object({
  idleMs: z.int().min(100).optional(),
  processesMax: z.int().min(1).optional(),
});
const OrchestrationSetting = z.object({
  /** False: no agent is offered our tools. */
  offered: z.boolean().optional(),
  keepChildren: z.boolean().optional(),
  depthMax: z.int().min(1).max(LEVELS_MAX).optional(),
  childrenMax: z.int().min(1).optional(),
  runningMax: z.int().min(1).optional(),
  budget: z.optional(Budget),
});
const Texts = z.record(z.string(), z.string());
/** False: only projects in which it was switched on get it. */
const enabled = z.boolean().optional();
const McpSetting = z.union([
  z.object({ command: z.string().min(1), args: z.array(z.string()).optional(), env: Texts.optional(), enabled }),
  z.object({ url: z.url({ protocol: /^https?$/ }), headers: Texts.optional(), enabled }),
]);
const ConfigFile = z.looseObject({
  orchestration: OrchestrationSetting.optional(),
  agents: AgentSettings.optional(),
  pool: PoolSetting.optional(),
  mcpServers: z.record(z.string().min(1), McpSetting).optional(),
});

export interface OrchestrationConfig {
  readonly offered: boolean;
  readonly keepChildren: boolean;
  readonly limits: TreeLimits;
}

export interface LoadedConfigFile {
  readonly agents: readonly AgentDefinition[];
  /** More of the environment for the built-in agent. */
  readonly builtinEnv: Readonly<Record<string, string>>;
  readonly pool: EvictionLimits;
  readonly mcpServers: readonly ConfiguredToolServer[];
  readonly orchestration: OrchestrationConfig;
  /** What sessions of an agent start with, where that is not to ask. */
  readonly permissions: ReadonlyMap<CliType, PermissionMode>;
  /** What is wrong with the file and where, when it cannot be used. */
  readonly problem: string | null;
}

/** The user's own settings. A file with a mistake is reported with its place, and the app starts without it. */
export function loadConfigFile(path: string): LoadedConfigFile {
  if (!existsSync(path)) return without(null);
  try {
    const parsed = ConfigFile.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      return without(`${path}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}`);
    }
    const { agents = {}, pool = {}, mcpServers = {}, orchestration = {} } = parsed.data;
    return {
      agents: Object.entries(agents).flatMap(([id, setting]) => definitionOf(CliType.parse(id), setting) ?? []),
      builtinEnv: agents[BUILTIN]?.env ?? {},
      pool: {
        idleMs: pool.idleMs ?? POOL_DEFAULTS.idleMs,
        processesMax: pool.processesMax ?? POOL_DEFAULTS.processesMax,
      },
      orchestration: orchestrationOf(orchestration),
      mcpServers: Object.entries(mcpServers).map(([name, setting]) => mcpServerOf(name, setting)),
      permissions: new Map(
        Object.entries(agents).flatMap(([id, { permissions }]) =>
          permissions === undefined ? [] : [[CliType.parse(id), permissions] as const],
        ),
      ),
      problem: null,
    };
  } catch (error) {
    return without(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function without(problem: string | null): LoadedConfigFile {
  const orchestration = orchestrationOf({});
  const nothing = { agents: [], builtinEnv: {}, mcpServers: [], permissions: new Map() };
  return { ...nothing, pool: POOL_DEFAULTS, orchestration, problem };
}

function orchestrationOf(setting: z.infer<typeof OrchestrationSetting>): OrchestrationConfig {
  const { offered = true, keepChildren = false, budget = TREE_LIMITS.budget } = setting;
  const { depthMax = TREE_LIMITS.depthMax, childrenMax = TREE_LIMITS.childrenMax } = setting;
  const { runningMax = TREE_LIMITS.runningMax } = setting;
  return { offered, keepChildren, limits: { depthMax, childrenMax, runningMax, budget } };
}

function mcpServerOf(name: string, setting: z.infer<typeof McpSetting>): ConfiguredToolServer {
  const { enabled: isEnabled = true } = setting;
  if ("url" in setting) return { name, enabled: isEnabled, url: setting.url, headers: setting.headers ?? {} };
  return { name, enabled: isEnabled, command: setting.command, args: setting.args ?? [], env: setting.env ?? {} };
}

function definitionOf(id: CliType, setting: AgentSetting): AgentDefinition | null {
  const {
    name,
    command,
    args = [],
    env = {},
    process = "shared",
    retryMs = RETRY_DELAYS_MS,
    fs = true,
    terminal = true,
    orchestration = true,
  } = setting;
  if (name === undefined || command === undefined) return null;
  const serves = { fs, terminal };
  return { id, name, command: [command, ...args], env, process, retryDelaysMs: retryMs, serves, orchestration };
}
