/** The name under which agents are offered our own tools (MCP). */
export const OWN_TOOL_SERVER = "liminal";
