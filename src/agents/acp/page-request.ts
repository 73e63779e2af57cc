import type { World } from "../../ports/world.ts";
import type { CliType } from "../../protocol/ids.ts";
import type { PageRequest } from "../../protocol/server-messages.ts";
import { ClientRequestError } from "./client-requests.ts";
import { asString, type JsonObject } from "./read-json.ts";

const INVALID_PARAMS = -32602;
const MESSAGE_CHARS_MAX = 2_000;
const URL_CHARS_MAX = 4_000;

/** An agent's wish that the user visits a page; refused unless it is one a browser may be sent to. */
export function readPageRequest(
  params: JsonObject,
  agent: { readonly id: CliType; readonly name: string; readonly world: World },
): PageRequest {
  const url = asString(params["url"]);
  if (params["mode"] !== "url" || url === undefined || !isPage(url))
    throw new ClientRequestError(INVALID_PARAMS, "Only pages with an http or https address can be shown.");
  return {
    elicitationId: agent.world.newId(),
    cliType: agent.id,
    agentName: agent.name,
    message: (asString(params["message"]) ?? "").slice(0, MESSAGE_CHARS_MAX),
    url,
  };
}

function isPage(url: string): boolean {
  return url.length <= URL_CHARS_MAX && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
