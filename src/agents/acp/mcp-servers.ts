import { join } from "node:path";
import type { Json } from "../../protocol/json.ts";
import { OWN_TOOL_SERVER } from "../../protocol/tool-server.ts";
import { asObject } from "./read-json.ts";

/** A tool server of the user's. */
export type McpServerSetting =
  | { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly env: Pairs }
  | { readonly name: string; readonly url: string; readonly headers: Pairs };

/** The app's own tools for one session, by each of the ways an agent may reach them. */
export interface OwnToolServer {
  readonly name: string;
  /** Null where an agent could not check whom it talks to. */
  readonly http: { readonly url: string; readonly headers: Pairs } | null;
  readonly stdio: { readonly command: string; readonly args: readonly string[]; readonly env: Pairs };
}

type Pairs = Readonly<Record<string, string>>;

interface Offered {
  readonly settings: readonly McpServerSetting[];
  readonly capabilities: Json | undefined;
  readonly own?: OwnToolServer | null;
  /** The agent outlives this server: a line to it that breaks must be mended by someone who outlives it, too. */
  readonly isHeld: boolean;
}

/** In the protocol's own shape; a server reached by http is left out for an agent that cannot use one. */
export function acpMcpServers({ settings, capabilities, own = null, isHeld }: Offered): readonly object[] {
  const canUseHttp = asObject(capabilities)?.["http"] === true;
  const ours = own ? [{ name: own.name, ...((canUseHttp && !isHeld && own.http) || own.stdio) }] : [];
  return [...settings.filter(({ name }) => name !== own?.name), ...ours].flatMap<object>((setting) => {
    if ("command" in setting) {
      const { name, command, args, env } = setting;
      return [{ name, command, args, env: pairs(env) }];
    }
    const { name, url, headers } = setting;
    return canUseHttp ? [{ type: "http", name, url, headers: pairs(headers) }] : [];
  });
}

function pairs(record: Pairs): readonly { name: string; value: string }[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }));
}

interface OwnToolServerOptions {
  /** Where the server listens. */
  readonly origin: string;
  /** The session's own. It travels in a header or in the environment, never in arguments. */
  readonly token: string;
  readonly dataDir: string;
  readonly programDir: string;
}

/** The entry for our own tools that a session's agent is given. */
export function ownToolServer({ origin, token, dataDir, programDir }: OwnToolServerOptions): OwnToolServer {
  // The agent starts the program in the user's folder. Settings found there must not apply to it.
  const ignoreTheFolder = ["--no-env-file", "--no-install", `--config=${join(programDir, "bin", "bunfig.toml")}`];
  return {
    name: OWN_TOOL_SERVER,
    // Agents do not trust our certificate; the stdio program does.
    http: origin.startsWith("https:") ? null : { url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } },
    stdio: {
      command: process.execPath,
      args: [...ignoreTheFolder, join(programDir, "src/cli/main.ts"), "mcp"],
      env: { LIMINAL_DATA_DIR: dataDir, LIMINAL_MCP_TOKEN: token },
    },
  };
}
