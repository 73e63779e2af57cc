import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import packageJson from "../../package.json" with { type: "json" };
import { ignore } from "../lib/ignore.ts";
import { McpRelay } from "./mcp-relay.ts";
import { beQuiet, tellFailure } from "./print.ts";
import { NoServerError, RunningServer } from "./running-server.ts";
import { startInBackground } from "./start-in-background.ts";

/**
 * MCP on stdio: the tools of the running server, for agents and programs that cannot use HTTP. For a program a server is started
 * where none runs; a session's agent has one already, which may just be starting again.
 */
export async function mcp(args: readonly string[]): Promise<void> {
  const isQuiet = (word: string) => word === "-q" || word === "--quiet";
  const extra = args.find((word) => !isQuiet(word));
  if (extra !== undefined) {
    tellFailure(`Unexpected argument "${extra}".\nUsage: liminal mcp`);
    process.exitCode = 1;
    return;
  }
  if (args.some(isQuiet)) beQuiet();
  const relay = new McpRelay(process.env);
  let instructions: string | undefined;
  try {
    if (process.env["LIMINAL_MCP_TOKEN"] === undefined && !hasServer()) await startInBackground(process.env);
    instructions = await relay.ready(packageJson.version);
  } catch (error) {
    tellFailure(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
    return;
  }
  serveStdio(() => relayedServer(relay, instructions));
}

/** One that is there and silent is one, too: the relay says so. */
function hasServer(): boolean {
  try {
    return new RunningServer(process.env).pid > 0;
  } catch (error) {
    if (error instanceof NoServerError) return false;
    throw error;
  }
}

function relayedServer(relay: McpRelay, instructions: string | undefined): Server {
  const info = { name: "liminal", title: "Liminal Builder", version: packageJson.version };
  const server = new Server(info, {
    capabilities: { tools: {} },
    ...(instructions !== undefined && { instructions }),
  });
  server.setRequestHandler("tools/list", async ({ params }, { mcpReq }) => ({
    tools: [],
    ...(await relay.ask("tools/list", params ?? {}, mcpReq.signal)),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    relay.speakFor(server.getClientVersion()?.name);
    // Ours where the caller has none: a call that is sent again because the server was restarted must act once.
    const progressToken = mcpReq._meta?.progressToken;
    const call = {
      name: params.name,
      arguments: { idempotencyKey: randomUUID(), ...params.arguments },
      ...(progressToken !== undefined && { _meta: { progressToken } }),
    };
    let progress = 0;
    const onProgress = (message: string | undefined) => {
      if (progressToken === undefined) return;
      progress += 1;
      const told = { progressToken, progress, ...(message !== undefined && { message }) };
      mcpReq.notify({ method: "notifications/progress", params: told }).catch(ignore("the caller has disconnected"));
    };
    return { content: [], ...(await relay.ask("tools/call", call, mcpReq.signal, onProgress)) };
  });
  return server;
}
