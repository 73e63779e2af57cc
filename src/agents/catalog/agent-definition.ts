import type { CliType } from "../../protocol/ids.ts";

/** How one agent is known and started. */
export interface AgentDefinition {
  readonly id: CliType;
  readonly name: string;
  /** Program and arguments; null when nothing to start was found. */
  readonly command: readonly string[] | null;
  readonly env: Readonly<Record<string, string>>;
  /** One process for all sessions, or one for each, started in its directory. */
  readonly process: "shared" | "per-session";
  readonly retryDelaysMs: readonly number[];
  /** What to tell the user when there is no command: how it can be had. */
  readonly installHint?: string;
}

/** Every agent a session can be started with, in the order the picker shows them; it changes as agents are installed. */
export interface AgentCatalog {
  definitions(): readonly AgentDefinition[];
}
