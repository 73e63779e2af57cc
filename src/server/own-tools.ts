import { join } from "node:path";
import type { OwnToolServer } from "../agents/acp/mcp-servers.ts";
import { PROGRAM_DIR } from "../operations/version.ts";
import type { SessionTokens } from "../orchestration/session-tokens.ts";
import type { SessionId } from "../protocol/ids.ts";
import { OWN_TOOL_SERVER } from "../protocol/own-tools.ts";

/** The agent starts it in the user's folder, whose own settings get no say in how we run. */
const IGNORE_THE_FOLDER = ["--no-env-file", "--no-install", `--config=${join(PROGRAM_DIR, "bin", "bunfig.toml")}`];

interface OwnToolsOptions {
  /** False: no agent is offered our tools. */
  readonly offered: boolean;
  readonly dataDir: string;
  readonly tokens: SessionTokens;
}

/** What a session's agent is told so that it finds our tools; its token travels in a header or an environment, never in arguments. */
export class OwnTools {
  readonly #options: OwnToolsOptions;
  readonly #origin = Promise.withResolvers<string>();

  constructor(options: OwnToolsOptions) {
    this.#options = options;
  }

  listensOn(origin: string): void {
    this.#origin.resolve(origin);
  }

  /** Waits until it is known where we listen: a turn of the last run may need its agent before that. */
  async offer(sessionId: SessionId): Promise<OwnToolServer | null> {
    const { offered, dataDir, tokens } = this.#options;
    if (!offered) return null;
    const origin = await this.#origin.promise;
    const token = tokens.tokenOf(sessionId);
    return {
      name: OWN_TOOL_SERVER,
      // Agents do not know our certificate; the program below does.
      http: origin.startsWith("https:")
        ? null
        : { url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } },
      stdio: {
        command: process.execPath,
        args: [...IGNORE_THE_FOLDER, join(PROGRAM_DIR, "src/cli/main.ts"), "mcp"],
        env: { LIMINAL_DATA_DIR: dataDir, LIMINAL_MCP_TOKEN: token },
      },
    };
  }
}
