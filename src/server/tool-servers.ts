import { basename } from "node:path";
import type { McpServerSetting } from "../agents/acp/mcp-servers.ts";
import type { ToolServer } from "../protocol/tool-server.ts";

/** A tool server as config.json has it. */
export type ConfiguredToolServer = McpServerSetting & {
  /** Whether projects get it in which nothing else was chosen. */
  readonly enabled: boolean;
};

/** Fit to be shown: arguments, environments, headers and queries may hold secrets, so they are left out. */
export function shownToolServer(server: ConfiguredToolServer): ToolServer {
  const { name, enabled } = server;
  if ("command" in server) return { name, enabled, kind: "program", target: basename(server.command) };
  const { origin, pathname } = new URL(server.url);
  return { name, enabled, kind: "address", target: `${origin}${pathname}` };
}
