import { z } from "zod/mini";

export const TOOL_SERVER_NAME_CHARS_MAX = 200;

/** A tool server (MCP) that the user has named in config.json, and whether sessions of a project get it. */
export const ToolServer = z.object({
  name: z.string(),
  /** Whether it is started as a program or reached at an address. */
  kind: z.enum(["program", "address"]),
  /** The program or the address, without anything that may be secret. */
  target: z.string(),
  enabled: z.boolean(),
});
export type ToolServer = z.infer<typeof ToolServer>;

/** The name under which agents are offered our own tools (MCP). */
export const OWN_TOOL_SERVER = "liminal";
