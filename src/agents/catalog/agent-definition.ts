import type { CliType } from "../../protocol/ids.ts";
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
