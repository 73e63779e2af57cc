import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import packageJson from "../../package.json" with { type: "json" };
import { McpRelay } from "./mcp-relay.ts";

/** MCP on stdio: the tools of the running server, for agents and programs that cannot use HTTP. */
export async function mcp(args: readonly string[]): Promise<void> {
  if (args.length > 0) {
    process.stderr.write("Usage: liminal mcp\n");
    process.exitCode = 1;
    return;
  }
  const relay = new McpRelay(process.env);
  try {
    await relay.ready();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    return;
  }
  serveStdio(() => relayedServer(relay));
}

function relayedServer(relay: McpRelay): Server {
  const info = { name: "liminal", title: "Liminal Builder", version: packageJson.version };
  const server = new Server(info, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async ({ params }, { mcpReq }) => ({
    tools: [],
    ...(await relay.ask("tools/list", params ?? {}, mcpReq.signal)),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    // Ours where the caller has none: a call that is sent again because the server was restarted must act once.
    const call = { name: params.name, arguments: { idempotencyKey: randomUUID(), ...params.arguments } };
    return { content: [], ...(await relay.ask("tools/call", call, mcpReq.signal)) };
  });
  return server;
}
