import { CliType } from "../../protocol/ids.ts";
import type { InstallTarget } from "../install/install-target.ts";
import {
  type AgentCatalog,
  type AgentDefinition,
  type AgentOverlay,
  defaultProcess,
  idOfEntry,
  REGISTRY_ALIASES,
  RETRY_DELAYS_MS,
  SERVES_ALL,
} from "./agent-definition.ts";
import type { KnownEntry } from "./agent-registry.ts";
import { installTargetOf, registryDefinition, type Surroundings } from "./registry-definition.ts";

export interface CatalogOptions extends Surroundings {
  readonly builtin: {
    readonly command: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    /** With one it is more than a guide. */
    readonly model: string | null;
  };
  readonly configured: readonly AgentDefinition[];
  readonly overlays: readonly AgentOverlay[];
  /** Asked for when the catalog is, never before. */
  readonly registry: () => readonly KnownEntry[];
}

/** The agents known here and how each can be had. */
export interface InstallableCatalog extends AgentCatalog {
  /** Null for an agent that is not known, not in the registry, or not installable from here. */
  installTarget(id: CliType): InstallTarget | null;
}

/** Claude Code and Codex first, then the built-in one, then the user's own, then the rest of the registry. */
export function agentCatalog(options: CatalogOptions): InstallableCatalog {
  const configured = new Map(options.configured.map((definition) => [definition.id, definition]));
  let from: readonly KnownEntry[] | null = null;
  let definitions: readonly AgentDefinition[] = [];
  return {
    definitions: () => {
      const entries = options.registry();
      if (entries !== from) definitions = inOrder(options, entries);
      from = entries;
      return definitions;
    },
    installTarget: (id) => {
      const entry = options.registry().find((one) => idOfEntry(one.id) === id);
      return entry && !configured.has(id) ? installTargetOf(entry, options) : null;
    },
  };
}

function inOrder(options: CatalogOptions, entries: readonly KnownEntry[]): readonly AgentDefinition[] {
  const { command, env, model } = options.builtin;
  const description = model
    ? `Works itself or delegates to other agents, with ${model}`
    : "Works right now, without an account";
  const builtin: AgentDefinition = {
    id: CliType.parse("builtin"),
    name: model ? "Liminal Orchestrator" : "Liminal Guide",
    command,
    env,
    process: defaultProcess("builtin"),
    retryDelaysMs: RETRY_DELAYS_MS,
    serves: SERVES_ALL,
    details: { description, installable: false },
  };
  const isFirst = ({ id }: KnownEntry) => REGISTRY_ALIASES.has(id);
  const define = (entry: KnownEntry) => registryDefinition(entry, options) ?? [];
  const first = [...entries.filter(isFirst).flatMap(define), builtin];
  const rest = entries.filter((entry) => !isFirst(entry)).flatMap(define);
  const configured = new Map(options.configured.map((definition) => [definition.id, definition]));
  const own = options.configured.filter(({ id }) => !first.some((one) => one.id === id));
  const overlays = new Map(options.overlays.map((overlay) => [overlay.id, overlay]));
  return [
    ...first.map((definition) => configured.get(definition.id) ?? definition),
    ...own,
    ...rest.filter(({ id }) => !configured.has(id)),
  ].map((definition) => overlaid(definition, overlays.get(definition.id)));
}

/** What can be started is still looked up each time it is asked for. */
function overlaid(definition: AgentDefinition, overlay: AgentOverlay | undefined): AgentDefinition {
  if (!overlay) return definition;
  const { unavailable } = overlay;
  const orchestration = overlay.orchestration ?? definition.orchestration;
  const installHint = unavailable ?? definition.installHint;
  return {
    id: definition.id,
    name: overlay.name ?? definition.name,
    get command() {
      const { command } = definition;
      return command === null || unavailable !== undefined ? null : [...command, ...(overlay.args ?? [])];
    },
    get env() {
      return { ...definition.env, ...overlay.env };
    },
    process: overlay.process ?? definition.process,
    retryDelaysMs: overlay.retryDelaysMs ?? definition.retryDelaysMs,
    serves: { ...definition.serves, ...overlay.serves },
    ...(orchestration !== undefined && { orchestration }),
    ...(installHint !== undefined && { installHint }),
    get details() {
      return { ...definition.details, ...(unavailable !== undefined && { installable: false }) };
    },
  };
}
