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
    /** With a model it is a coding agent, not only a guide. */
    readonly model: () => string | null;
  };
  /** The user's settings; another object once they have changed. */
  readonly settings: () => {
    readonly agents: readonly AgentDefinition[];
    readonly overlays: readonly AgentOverlay[];
  };
  /** Called when the catalog is requested, never before. */
  readonly registry: () => readonly KnownEntry[];
}

/** The known agents and how each can be installed. */
export interface InstallableCatalog extends AgentCatalog {
  /** Null for an agent that is unknown, not in the registry, or not installable from here. */
  installTarget(id: CliType): InstallTarget | null;
}

/** Claude Code and Codex first, then the built-in one, then the user's own, then the rest of the registry. */
export function agentCatalog(options: CatalogOptions): InstallableCatalog {
  let from: readonly KnownEntry[] | null = null;
  let settings = options.settings();
  let definitions: readonly AgentDefinition[] = [];
  return {
    definitions: () => {
      const entries = options.registry();
      if (entries !== from || settings !== options.settings()) definitions = inOrder(options, entries);
      from = entries;
      settings = options.settings();
      return definitions;
    },
    installTarget: (id) => {
      const entry = options.registry().find((one) => idOfEntry(one.id) === id);
      const isOwn = options.settings().agents.some((agent) => agent.id === id);
      return entry && !isOwn ? installTargetOf(entry, options) : null;
    },
  };
}

function inOrder(options: CatalogOptions, entries: readonly KnownEntry[]): readonly AgentDefinition[] {
  const { command, env, model } = options.builtin;
  const settings = options.settings();
  const builtin: AgentDefinition = {
    id: CliType.parse("builtin"),
    // The user may set a model at any time.
    get name() {
      return model() ? "Liminal Orchestrator" : "Liminal Guide";
    },
    command,
    env,
    process: defaultProcess("builtin"),
    retryDelaysMs: RETRY_DELAYS_MS,
    serves: SERVES_ALL,
    get details() {
      const name = model();
      const description = name
        ? `Works itself or delegates to other agents, with ${name}`
        : "Works right now, without an account";
      return { description, installable: false };
    },
  };
  const isFirst = ({ id }: KnownEntry) => REGISTRY_ALIASES.has(id);
  const define = (entry: KnownEntry) => registryDefinition(entry, options) ?? [];
  const first = [...entries.filter(isFirst).flatMap(define), builtin];
  const rest = entries.filter((entry) => !isFirst(entry)).flatMap(define);
  const configured = new Map(settings.agents.map((definition) => [definition.id, definition]));
  const own = settings.agents.filter(({ id }) => !first.some((one) => one.id === id));
  const overlays = new Map(settings.overlays.map((overlay) => [overlay.id, overlay]));
  return [
    ...first.map((definition) => configured.get(definition.id) ?? definition),
    ...own,
    ...rest.filter(({ id }) => !configured.has(id)),
  ].map((definition) => overlaid(definition, overlays.get(definition.id)));
}

/** The command is still looked up on each access. */
function overlaid(definition: AgentDefinition, overlay: AgentOverlay | undefined): AgentDefinition {
  if (!overlay) return definition;
  const { unavailable } = overlay;
  const orchestration = overlay.orchestration ?? definition.orchestration;
  const installHint = unavailable ?? definition.installHint;
  return {
    id: definition.id,
    get name() {
      return overlay.name ?? definition.name;
    },
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
