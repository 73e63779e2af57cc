import type { Json } from "../../protocol/json.ts";
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
