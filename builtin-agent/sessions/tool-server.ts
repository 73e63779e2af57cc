import { isObject, type JsonObject, stringAt } from "../wire/json.ts";
import { invalidParams } from "../wire/rpc-error.ts";

type Pairs = Readonly<Record<string, string>>;

/** An MCP server from the client; only a model uses it. */
export type ToolServer = { readonly name: string } & (
  | { readonly type: "stdio"; readonly command: string; readonly args: readonly string[]; readonly env: Pairs }
  | { readonly type: "http"; readonly url: string; readonly headers: Pairs }
);

/** For `session/new`, where the protocol requires the list. */
export function requiredToolServers(params: JsonObject): ToolServer[] {
  const { mcpServers } = params;
  if (!Array.isArray(mcpServers)) throw invalidParams(`"mcpServers" must be an array.`);
  return parseToolServers(mcpServers);
}

/** The servers that can be read; a kind that was not advertised is skipped. */
export function parseToolServers(given: unknown): ToolServer[] {
  return Array.isArray(given) ? given.flatMap((server: unknown) => parseToolServer(server) ?? []) : [];
}

function parseToolServer(server: unknown): ToolServer | undefined {
  if (!isObject(server)) return undefined;
  const name = stringAt(server, "name") ?? "";
  const url = stringAt(server, "url");
  if (server["type"] === "http" && url !== undefined)
    return { name, type: "http", url, headers: pairs(server["headers"]) };
  const command = stringAt(server, "command");
  if (command === undefined) return undefined;
  const { args } = server;
  const words = Array.isArray(args) ? args.map(String) : [];
  return { name, type: "stdio", command, args: words, env: pairs(server["env"]) };
}

/** The protocol's lists of names and values. */
function pairs(list: unknown): Pairs {
  if (!Array.isArray(list)) return {};
  return Object.fromEntries(
    list.flatMap((item: unknown) => {
      const [name, value] = isObject(item) ? [stringAt(item, "name"), stringAt(item, "value")] : [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}
