import { z } from "zod/mini";

export const TOOL_SERVER_NAME_CHARS_MAX = 200;

/** An MCP server that the user configured in config.json, and whether sessions of a project get it. */
export const ToolServer = z.object({
  name: z.string(),
  /** Whether it is started as a program or reached at an address. */
  kind: z.enum(["program", "address"]),
  /** The program or the address, without secrets. */
  target: z.string(),
  enabled: z.boolean(),
});
export type ToolServer = z.infer<typeof ToolServer>;

/** The name under which agents are offered our own tools (MCP). */
export const OWN_TOOL_SERVER = "liminal";

/** The variable that tells `liminal mcp` a socket which leads to the server; without it there is a server on its machine. */
export const TOOL_RELAY_SOCKET = "LIMINAL_MCP_SOCKET";
