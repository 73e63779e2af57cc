import type { PermissionToolCall } from "../../protocol/session-parts.ts";

/** A tool of an MCP server. */
export interface McpTool {
  readonly server: string;
  readonly tool: string;
}

/** How agents title a call of such a tool: Claude Code, Codex, and Gemini with Qwen; others do not name the server. */
const TITLES: readonly RegExp[] = [
  /^mcp__(?<server>[\w.-]+?)__(?<tool>[\w.-]+)$/,
  /^mcp\.(?<server>[\w-]+)\.(?<tool>[\w.-]+)$/,
  /^(?<tool>[\w.-]+) \((?<server>[\w.-]+) MCP Server\)$/,
];

/**
 * Which tool of which server a request is about; null if it is about something else. The title of a command or of a
 * sub-agent is
 * the model's own text, so only calls of no particular kind count. Codex calls these `execute` and names server and
 * tool separately.
 */
export function mcpToolOf({ name, kind = "other", input }: PermissionToolCall): McpTool | null {
  const given = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  if (given["command"] !== undefined || given["cmd"] !== undefined) return null;
  const { server, tool } = TITLES.map((title) => title.exec(name)?.groups).find((groups) => groups) ?? {};
  if (server === undefined || tool === undefined) return null;
  const isNamedApart = given["server"] === server && given["tool"] === tool;
  return kind === "other" || (kind === "execute" && isNamedApart) ? { server, tool } : null;
}

/** As written in a rule. */
export function toolPattern({ server, tool }: McpTool): string {
  return `mcp:${server}/${tool}`;
}

/** Whether a rule's `tool` names this one; `*` matches any server, any tool, or the rest of a tool's name. */
export function coversTool(pattern: string | undefined, { server, tool }: McpTool): boolean {
  const [, of = "", named = ""] = /^mcp:([^/]+)\/(.+)$/.exec(pattern ?? "") ?? [];
  if (of !== "*" && of !== server) return false;
  return named.endsWith("*") ? tool.startsWith(named.slice(0, -1)) : named === tool && named !== "";
}
