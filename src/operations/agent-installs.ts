import type { InstallableCatalog } from "../agents/catalog/agent-catalog.ts";
import type { AgentRegistry } from "../agents/catalog/agent-registry.ts";
import type { AgentInstaller } from "../agents/install/agent-installer.ts";
import { choosePackageTool } from "../agents/install/fetch-package.ts";
import type { InstalledAgents } from "../agents/install/installed-agents.ts";
import type { AgentPool } from "../agents/pool/agent-pool.ts";
import { agentEnvironment, type Environment, joinPaths, loginPath } from "../agents/process/agent-environment.ts";
import type { ProcessHost } from "../agents/process/process-host.ts";
import { OWNER_VARIABLE, RUN_VARIABLE } from "../agents/process/sweep-leftovers.ts";
import type { InstallMessage } from "../bridge/answer-message.ts";
import type { Hub } from "../fanout/hub.ts";
import type { World } from "../ports/world.ts";
import { RefusalError } from "../protocol/errors.ts";
import type { Answer } from "../sessions/answer.ts";
import type { ServerConfig } from "./config.ts";
import { BUN_COMMAND } from "./own-program.ts";
import { VERSION } from "./version.ts";

const FREE_BYTES_MIN = 1024 * 1024 * 1024;
/** Settings of the package source, which is the user's choice. */
const PACKAGE_SETTING = /^(?:npm_config_|BUN_CONFIG_)/i;

interface InstallParts {
  readonly config: ServerConfig;
  readonly world: World;
  readonly owner: string;
  readonly epoch: string;
  readonly host: ProcessHost;
  readonly pool: AgentPool;
  readonly catalog: InstallableCatalog;
  readonly registry: AgentRegistry;
  readonly installed: InstalledAgents;
  readonly which: (program: string) => string | null;
  readonly hub: Hub;
  /** The list of agents has changed. */
  readonly onChanged: () => void;
  readonly onError: (error: unknown) => void;
}

/** Installs agents for clients, and publishes the progress. The installer is loaded on first use. */
export class AgentInstalls {
  readonly #parts: InstallParts;
  #installer: Promise<AgentInstaller> | null = null;

  constructor(parts: InstallParts) {
    this.#parts = parts;
  }

  async answer(message: InstallMessage): Promise<Answer> {
    try {
      await this.#act(message);
      return { kind: "ok" };
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
  }

  /** Called when a client asks for the list: checks for newer versions, and publishes the list if there are any. */
  refresh(): void {
    const { registry, onChanged, onError } = this.#parts;
    registry
      .refresh()
      .then((changed) => changed && onChanged())
      .catch(onError);
  }

  async stop(): Promise<void> {
    await (await this.#installer)?.stop();
  }

  async #act(message: InstallMessage): Promise<void> {
    this.#installer ??= this.#load();
    const installer = await this.#installer;
    switch (message.type) {
      case "agent:install":
        return installer.install(message.cliType, message.version);
      case "agent:install-cancel":
        return installer.cancel(message.cliType);
      case "agent:uninstall":
        return installer.uninstall(message.cliType);
      case "agent:rollback":
        return installer.rollBack(message.cliType);
      default:
        return message satisfies never;
    }
  }

  async #load(): Promise<AgentInstaller> {
    const { AgentInstaller } = await import("../agents/install/agent-installer.ts");
    const { config, owner, epoch, pool, catalog, installed, which, hub } = this.#parts;
    const { env } = config;
    const marks = { [OWNER_VARIABLE]: owner, [RUN_VARIABLE]: epoch };
    return new AgentInstaller({
      installed,
      world: this.#parts.world,
      host: this.#parts.host,
      packageTool: () => choosePackageTool({ bun: BUN_COMMAND, env, which }),
      toolEnv: () => agentEnvironment(env, packageSettings(env), marks),
      agentEnv: async () => agentEnvironment(env, { PATH: joinPaths(env["PATH"], await loginPath(env)) }, marks),
      clientVersion: VERSION,
      answerTimeoutMs: config.startTimeoutMs,
      freeBytesMin: FREE_BYTES_MIN,
      target: (id) => catalog.installTarget(id),
      nameOf: (id) => catalog.definitions().find((one) => one.id === id)?.name ?? null,
      release: (id) => pool.release(id),
      onProgress: (progress) => hub.publish({ type: "agent:install-progress", ...progress }),
      onChanged: () => this.#parts.onChanged(),
    });
  }
}

function packageSettings(env: ServerConfig["env"]): Environment {
  const kept = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && PACKAGE_SETTING.test(pair[0]),
  );
  return Object.fromEntries(kept);
}
