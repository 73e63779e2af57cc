import type { CliType } from "../../protocol/ids.ts";
import type { PageRequest } from "../../protocol/server-messages.ts";
import { asString, type JsonObject } from "./read-json.ts";

const MESSAGE_CHARS_MAX = 2_000;
const URL_CHARS_MAX = 4_000;

/** An agent's wish that the user visits a page, when it is one a browser may be sent to. */
export function readPageRequest(
  params: JsonObject,
  agent: { readonly id: CliType; readonly name: string },
  newId: () => string,
): PageRequest | null {
  const url = asString(params["url"]);
  if (params["mode"] !== "url" || url === undefined || url.length > URL_CHARS_MAX || !URL.canParse(url)) return null;
  const { protocol } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return null;
  return {
    elicitationId: newId(),
    cliType: agent.id,
    agentName: agent.name,
    message: (asString(params["message"]) ?? "").slice(0, MESSAGE_CHARS_MAX),
    url,
  };
}
