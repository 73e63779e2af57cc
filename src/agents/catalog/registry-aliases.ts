import { CliType } from "../../protocol/ids.ts";

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
