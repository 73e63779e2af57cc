import type { Json } from "../../protocol/json.ts";
import { asObject } from "./read-json.ts";

/** A tool server of the user's, offered to every agent session. */
export type McpServerSetting =
  | { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly env: Pairs }
  | { readonly name: string; readonly url: string; readonly headers: Pairs };

type Pairs = Readonly<Record<string, string>>;

/** In the protocol's own shape; a server reached by http is left out for an agent that cannot use one. */
export function acpMcpServers(
  settings: readonly McpServerSetting[],
  capabilities: Json | undefined,
): readonly object[] {
  const canUseHttp = asObject(capabilities)?.["http"] === true;
  return settings.flatMap<object>((setting) => {
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
