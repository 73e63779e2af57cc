import { join } from "node:path";
import { agentCatalog } from "../agents/catalog/agent-catalog.ts";
import { AgentRegistry, REGISTRY_URL } from "../agents/catalog/agent-registry.ts";
import { InstalledAgents } from "../agents/install/installed-agents.ts";
import type { World } from "../ports/world.ts";
import { MODEL_FILE } from "./builtin-model.ts";
import type { ServerConfig } from "./config.ts";
import type { LoadedConfigFile } from "./config-file.ts";
import type { DataDir } from "./data-dir.ts";
import { BUN_COMMAND, ownCommand } from "./own-program.ts";
import type { Logger } from "./server-log.ts";

interface CatalogParts {
  readonly config: ServerConfig;
  readonly dataDir: Pick<DataDir, "file">;
  readonly world: World;
  /** As config.json is now. */
  readonly settings: () => Pick<LoadedConfigFile, "agents" | "overlays" | "builtinEnv">;
  /** The name of the built-in agent's model, if it has one. */
  readonly model: () => string | null;
  readonly logger: Logger;
}

/** Passed to the built-in agent, whose model it unlocks, and to no other. */
const MODEL_KEY = "LIMINAL_MODEL_KEY";

/** The catalog of agents: the registry's, the user's own, and the installed ones. Nothing is read before it is needed. */
export function createCatalog(parts: CatalogParts) {
  const { config, dataDir, world, settings, model, logger } = parts;
  const { env } = config;
  const which = (program: string) => Bun.which(program, { PATH: env["PATH"] ?? "" });
  const installed = new InstalledAgents({
    folder: dataDir.file("agents"),
    runtimes: { bun: BUN_COMMAND, node: () => which("node") },
    warn: (text) => logger.warn(text),
  });
  const registry = new AgentRegistry({
    world,
    cacheFile: join(installed.folder, "registry.json"),
    url: registryUrl(env["LIMINAL_REGISTRY_URL"]),
    info: (text) => logger.info(text),
  });
  const catalog = agentCatalog({
    env,
    which,
    installed: (id) => installed.view(id),
    builtin: {
      command: ownCommand("builtin-agent"),
      get env() {
        return builtinAgent({ config, dataDir, builtinEnv: settings().builtinEnv }).env;
      },
      model,
    },
    settings,
    registry: () => registry.entries(),
  });
  return { catalog, registry, installed, which };
}

/** How the built-in agent is started. */
export function builtinAgent({
  config,
  dataDir,
  builtinEnv,
}: Pick<CatalogParts, "config" | "dataDir"> & Pick<LoadedConfigFile, "builtinEnv">) {
  const { [MODEL_KEY]: key } = config.env;
  return {
    command: ownCommand("builtin-agent"),
    env: {
      LIMINAL_MODEL_FILE: dataDir.file(MODEL_FILE),
      ...(key !== undefined && { [MODEL_KEY]: key }),
      ...builtinEnv,
      LIMINAL_GUIDE_DIR: dataDir.file("guide"),
    },
  };
}

/** `off` keeps the app from checking the network for newer versions. */
function registryUrl(setting: string | undefined): string | null {
  return setting === "off" ? null : setting || REGISTRY_URL;
}
