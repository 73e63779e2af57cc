import { join } from "node:path";
import { agentCatalog } from "../agents/catalog/agent-catalog.ts";
import type { AgentDefinition, AgentOverlay } from "../agents/catalog/agent-definition.ts";
import { AgentRegistry, REGISTRY_URL } from "../agents/catalog/agent-registry.ts";
import { InstalledAgents } from "../agents/install/installed-agents.ts";
import type { World } from "../ports/world.ts";
import type { ServerConfig } from "./config.ts";
import type { DataDir } from "./data-dir.ts";
import type { Logger } from "./server-log.ts";
import { PROGRAM_DIR } from "./version.ts";

interface CatalogParts {
  readonly config: ServerConfig;
  readonly dataDir: Pick<DataDir, "file">;
  readonly world: World;
  readonly configured: readonly AgentDefinition[];
  readonly overlays: readonly AgentOverlay[];
  readonly builtinEnv: Readonly<Record<string, string>>;
  readonly logger: Logger;
}

/** Given to the built-in agent, whose model it opens, and to no other. */
const MODEL_KEY = "LIMINAL_MODEL_KEY";

/** Which agents there are: the registry's, the user's own, and what was installed of them. Nothing is read before it is asked for. */
export function createCatalog({ config, dataDir, world, configured, overlays, builtinEnv, logger }: CatalogParts) {
  const { env } = config;
  const { [MODEL_KEY]: key } = env;
  const which = (program: string) => Bun.which(program, { PATH: env["PATH"] ?? "" });
  const installed = new InstalledAgents({
    folder: dataDir.file("agents"),
    runtimes: { bun: process.execPath, node: () => which("node") },
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
      command: [process.execPath, join(PROGRAM_DIR, "builtin-agent/main.ts")],
      env: { ...(key !== undefined && { [MODEL_KEY]: key }), ...builtinEnv, LIMINAL_GUIDE_DIR: dataDir.file("guide") },
      model: builtinEnv["LIMINAL_MODEL"] ?? env["LIMINAL_MODEL"] ?? null,
    },
    configured,
    overlays,
    registry: () => registry.entries(),
  });
  return { catalog, registry, installed, which };
}

/** `off` keeps the app from asking the network for newer versions. */
function registryUrl(setting: string | undefined): string | null {
  return setting === "off" ? null : setting || REGISTRY_URL;
}
