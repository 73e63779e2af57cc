import { logs } from "./logs.ts";
import { serve } from "./serve.ts";

const USAGE = `Usage: liminal <command>

  serve [--json] [--insecure]   start Liminal Builder and print its URL
      --json                    print one JSON object {"url", "port", "pid", "dataDir"} instead of the line for people
      --insecure                allow an address that other machines can reach, without TLS
  mcp                           offer the tools of the running server over MCP on stdio, to agents and other programs
  logs <session id>             print what was said on the wire between us and the session's agent
`;

const [command = "serve", ...args] = process.argv.slice(2);
switch (command) {
  case "serve":
    await serve(args);
    break;
  case "logs":
    await logs(args);
    break;
  case "mcp": {
    // Not before it is wanted: the protocol's library is large, and every other command would wait for it.
    const { mcp } = await import("./mcp.ts");
    await mcp(args);
    break;
  }
  case "help":
  case "--help":
  case "-h":
    process.stdout.write(USAGE);
    break;
  default:
    process.stderr.write(`Unknown command "${command}".\n\n${USAGE}`);
    process.exitCode = 1;
}
