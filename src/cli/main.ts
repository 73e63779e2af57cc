import { logs } from "./logs.ts";
import { serve } from "./serve.ts";

const USAGE = `Usage: liminal <command>

  serve [--json] [--insecure]   start Liminal Builder and print its URL
      --json                    print one JSON object {"url", "port", "pid", "dataDir"} instead of the line for people
      --insecure                allow an address that other machines can reach, without TLS
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
  case "help":
  case "--help":
  case "-h":
    process.stdout.write(USAGE);
    break;
  default:
    process.stderr.write(`Unknown command "${command}".\n\n${USAGE}`);
    process.exitCode = 1;
}
