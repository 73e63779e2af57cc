import { CliType } from "../../protocol/ids.ts";
import type { ProcessTopology } from "../../protocol/server-messages.ts";

/** What the picker shows of an agent beside its name and state. */
export interface AgentDetails {
  /** What the catalog offers. */
  readonly version?: string;
  readonly description?: string;
  /** Whether `agent:install` can bring it. */
  readonly installable?: boolean;
  /** What is installed by us, and what a roll-back would go back to. */
  readonly installedVersion?: string;
  readonly previousVersion?: string;
}

/** How one agent is known and started. */
export interface AgentDefinition {
  readonly id: CliType;
  readonly name: string;
  /** Program and arguments; null when nothing to start was found. */
  readonly command: readonly string[] | null;
  readonly env: Readonly<Record<string, string>>;
  /** One process for all sessions, or one for each, started in its directory. */
  readonly process: ProcessTopology;
  readonly retryDelaysMs: readonly number[];
  /** Whether the agent may read and write files, and run commands, through us. */
  readonly serves: { readonly fs: boolean; readonly terminal: boolean };
  /** False keeps our own tools, by which it could start other agents, from its sessions. */
  readonly orchestration?: boolean;
  /** What to tell the user when there is no command: how it can be had. */
  readonly installHint?: string;
  readonly details?: AgentDetails;
}

/** What the user's settings change about an agent that the catalog has. */
export interface AgentOverlay {
  readonly id: CliType;
  readonly name?: string;
  /** Added to its command. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly process?: ProcessTopology;
  readonly retryDelaysMs?: readonly number[];
  readonly serves: Partial<AgentDefinition["serves"]>;
  readonly orchestration?: boolean;
  /** Why it must not be started: its settings cannot be read. */
  readonly unavailable?: string;
}

/** Every agent a session can be started with, in the order the picker shows them; it changes as agents are installed. */
export interface AgentCatalog {
  definitions(): readonly AgentDefinition[];
}

/** Unless the user's settings say otherwise. */
export const SERVES_ALL: AgentDefinition["serves"] = { fs: true, terminal: true };

/**
 * Agents whose process is known to serve many sessions without a crash in one of them ending the others, and why.
 * Every other agent gets one process per session, so that its crash has one victim.
 */
const STEADY_AGENTS: ReadonlyMap<string, string> = new Map([
  ["builtin", "ours; the tests run many sessions in one process"],
  ["claude-code", "its adapter runs each session in its own child process"],
  ["codex", "its adapter wraps the app server, which is built to serve many conversations"],
]);

/** How an agent's sessions are served where neither the user nor config.json says. */
export function defaultProcess(id: string): ProcessTopology {
  return STEADY_AGENTS.has(id) ? "shared" : "per-session";
}

interface Alias {
  readonly id: CliType;
  readonly name: string;
  /** Holds a command line of the user's own that goes before everything else. */
  readonly variable: string;
}

/** Agents that had their id here before the registry gave them another; in the order in which the picker shows them. */
export const REGISTRY_ALIASES: ReadonlyMap<string, Alias> = new Map([
  ["claude-acp", { id: CliType.parse("claude-code"), name: "Claude Code", variable: "CLAUDE_ACP_CMD" }],
  ["codex-acp", { id: CliType.parse("codex"), name: "Codex", variable: "CODEX_ACP_CMD" }],
]);

const TAKEN: ReadonlySet<string> = new Set(["builtin", ...[...REGISTRY_ALIASES.values()].map(({ id }) => id)]);

/** The agent's id here; null for an entry that claims an id which means something else here. */
export function idOfEntry(registryId: string): CliType | null {
  const alias = REGISTRY_ALIASES.get(registryId);
  if (alias) return alias.id;
  return TAKEN.has(registryId) ? null : CliType.parse(registryId);
}

/** How long to wait before each automatic restart of an agent that crashed; then it is the user's turn. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
