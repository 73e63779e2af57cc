import type { Json } from "../../protocol/json.ts";
import { OWN_TOOL_SERVER } from "../../protocol/tool-server.ts";
import { asObject } from "./read-json.ts";

/** An MCP server configured by the user. */
export type McpServerSetting =
  | { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly env: Pairs }
  | { readonly name: string; readonly url: string; readonly headers: Pairs };

/** Our own tools for one session, for each transport an agent may use. */
export interface OwnToolServer {
  readonly name: string;
  /** Null if an agent could not reach the server, or not verify its certificate. */
  readonly http: { readonly url: string; readonly headers: Pairs } | null;
  readonly stdio: { readonly command: string; readonly args: readonly string[]; readonly env: Pairs };
}

type Pairs = Readonly<Record<string, string>>;

export interface SessionTools {
  /** MCP servers configured by the user. */
  readonly mcpServers: readonly McpServerSetting[];
  /** Our own MCP tools, if the agent may use them. */
  readonly ownTools: OwnToolServer | null;
}

interface Offered {
  readonly settings: readonly McpServerSetting[];
  readonly capabilities: Json | undefined;
  readonly own?: OwnToolServer | null;
  /** The agent outlives this server: its connection must be restored by a process that outlives the server, too. */
  readonly isHeld: boolean;
}

/** In the protocol's format; http servers are omitted for agents that do not support them. */
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
  /** The server's address, as the agent reaches it; null if it cannot. */
  readonly origin: string | null;
  /** The session's token. Passed in a header or in the environment, never in arguments. */
  readonly token: string;
  /** How an agent starts the stdio server, in whatever directory, and how that finds the server. */
  readonly relay: { readonly command: readonly string[]; readonly env: Pairs };
}

/** The entry for our own tools in a session's server list. */
export function ownToolServer({ origin, token, relay }: OwnToolServerOptions): OwnToolServer {
  const [command = "", ...args] = relay.command;
  return {
    name: OWN_TOOL_SERVER,
    // Agents do not trust our certificate; the stdio program does.
    http:
      origin === null || origin.startsWith("https:")
        ? null
        : { url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } },
    stdio: { command, args, env: { ...relay.env, LIMINAL_MCP_TOKEN: token } },
  };
}
