import { CliType } from "../../protocol/ids.ts";
import type { ProcessTopology } from "../../protocol/process-topology.ts";

/** What the picker shows of an agent besides its name and state. */
export interface AgentDetails {
  /** The version in the catalog. */
  readonly version?: string;
  readonly description?: string;
  /** Whether `agent:install` can install it. */
  readonly installable?: boolean;
  /** The version we installed, and the one a rollback would restore. */
  readonly installedVersion?: string;
  readonly previousVersion?: string;
}

/** How one agent is described and started. */
export interface AgentDefinition {
  readonly id: CliType;
  readonly name: string;
  /** Program and arguments; null if no program was found. */
  readonly command: readonly string[] | null;
  readonly env: Readonly<Record<string, string>>;
  /** One process for all sessions, or one for each, started in its directory. */
  readonly process: ProcessTopology;
  readonly retryDelaysMs: readonly number[];
  /** Whether the agent may read and write files, and run commands, through us. */
  readonly serves: { readonly fs: boolean; readonly terminal: boolean };
  /** False withholds our own tools, which can start other agents, from its sessions. */
  readonly orchestration?: boolean;
  /** Shown if there is no command: how to install it. */
  readonly installHint?: string;
  readonly details?: AgentDetails;
}

/** The user's settings for an agent in the catalog. */
export interface AgentOverlay {
  readonly id: CliType;
  readonly name?: string;
  /** Appended to its command. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly process?: ProcessTopology;
  readonly retryDelaysMs?: readonly number[];
  readonly serves: Partial<AgentDefinition["serves"]>;
  readonly orchestration?: boolean;
  /** Why it must not be started: its settings cannot be read. */
  readonly unavailable?: string;
}

/** Every agent a session can be started with, in picker order; changes as agents are installed. */
export interface AgentCatalog {
  definitions(): readonly AgentDefinition[];
}

/** The default, unless the user's settings override it. */
export const SERVES_ALL: AgentDefinition["serves"] = { fs: true, terminal: true };

/**
 * Agents whose process can serve many sessions without a crash in one ending the others, and why.
 * Every other agent gets one process per session, so that a crash affects one session.
 */
const STEADY_AGENTS: ReadonlyMap<string, string> = new Map([
  ["builtin", "ours; the tests run many sessions in one process"],
  ["claude-code", "its adapter runs each session in its own child process"],
  ["codex", "its adapter wraps the app server, which is built to serve many conversations"],
]);

/** The process topology if neither the user nor config.json sets one. */
export function defaultProcess(id: string): ProcessTopology {
  return STEADY_AGENTS.has(id) ? "shared" : "per-session";
}

interface Alias {
  readonly id: CliType;
  readonly name: string;
  /** Holds the user's own command line, which has priority. */
  readonly variable: string;
}

/** Agents that had an id here before the registry gave them another; in picker order. */
export const REGISTRY_ALIASES: ReadonlyMap<string, Alias> = new Map([
  ["claude-acp", { id: CliType.parse("claude-code"), name: "Claude Code", variable: "CLAUDE_ACP_CMD" }],
  ["codex-acp", { id: CliType.parse("codex"), name: "Codex", variable: "CODEX_ACP_CMD" }],
]);

const TAKEN: ReadonlySet<string> = new Set(["builtin", ...[...REGISTRY_ALIASES.values()].map(({ id }) => id)]);

/** The agent's id here; null for an entry whose id has another meaning here. */
export function idOfEntry(registryId: string): CliType | null {
  const alias = REGISTRY_ALIASES.get(registryId);
  if (alias) return alias.id;
  return TAKEN.has(registryId) ? null : CliType.parse(registryId);
}

/** The delay before each automatic restart of a crashed agent; afterwards the user has to restart it. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
