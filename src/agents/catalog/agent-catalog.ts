import { CliType } from "../../protocol/ids.ts";
import type { AgentCatalog, AgentDefinition } from "./agent-definition.ts";
import { RETRY_DELAYS_MS } from "./retry-delays.ts";
import { splitCommand } from "./split-command.ts";

export interface CatalogOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a program is found, or null. */
  readonly which: (program: string) => string | null;
  readonly builtin: { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> };
  readonly configured: readonly AgentDefinition[];
}

const ORDINARY = { process: "shared", retryDelaysMs: RETRY_DELAYS_MS } as const;

/** The agents known here, Claude Code and Codex first, then the built-in one, then the user's own. */
export function agentCatalog(options: CatalogOptions): AgentCatalog {
  const known: AgentDefinition[] = [
    {
      id: CliType.parse("claude-code"),
      name: "Claude Code",
      command: findCommand(options, "CLAUDE_ACP_CMD", ["claude-agent-acp", "claude-code-acp"]),
      env: {},
      ...ORDINARY,
    },
    {
      id: CliType.parse("codex"),
      name: "Codex",
      command: findCommand(options, "CODEX_ACP_CMD", ["codex-acp"]),
      env: {},
      ...ORDINARY,
    },
    { id: CliType.parse("builtin"), name: "Liminal Guide", ...options.builtin, ...ORDINARY },
  ];
  const configured = new Map(options.configured.map((definition) => [definition.id, definition]));
  const kept = known.map((definition) => configured.get(definition.id) ?? definition);
  const definitions = [...kept, ...options.configured.filter(({ id }) => !known.some((one) => one.id === id))];
  return { definitions: () => definitions };
}

function findCommand(options: CatalogOptions, variable: string, programs: readonly string[]): readonly string[] | null {
  const set = options.env[variable];
  if (set !== undefined && set.trim() !== "") return splitCommand(set);
  const found = programs.map(options.which).find((path) => path !== null);
  return found == null ? null : [found];
}
