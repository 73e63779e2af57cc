import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { SessionId } from "../protocol/ids.ts";
import type { Caller } from "./caller.ts";
import type { OrchestrationParts } from "./children.ts";
import { TOOLS } from "./tools/catalog.ts";

const OUTSIDE = "outside";
const BODY_BYTES_MAX = 1024 * 1024;

const INSTRUCTIONS =
  "Starts and steers other coding agents. list_agent_kinds says which there are, with their models and modes. Create them with " +
  "create_coding_agent, wait with wait_for_agents rather than asking for their status again and again, read results with " +
  "get_agent_output. The user sees every agent live and can step in at any time.";

interface EndpointOptions {
  readonly parts: OrchestrationParts;
  readonly version: string;
}

/**
 * MCP over streamable HTTP. No state is kept between requests, so a server that was started again goes on where its
 * callers are. Who calls was found out before.
 */
export function mcpEndpoint({ parts, version }: EndpointOptions) {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const server = new McpServer(
        { name: "liminal", title: "Liminal Builder", version },
        // The list of tools never changes while a server runs.
        { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
      );
      const caller: Caller = authInfo?.clientId === OUTSIDE ? null : SessionId.parse(authInfo?.clientId);
      for (const offer of TOOLS) offer(server, parts, caller);
      return server;
    },
    { maxRequestBodySize: BODY_BYTES_MAX },
  );
  return {
    serve: (request: Request, caller: Caller): Promise<Response> =>
      handler.fetch(request, { authInfo: { token: "", clientId: caller ?? OUTSIDE, scopes: [] } }),
    close: (): Promise<void> => handler.close(),
  };
}
