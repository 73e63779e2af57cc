import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type AgentSetting, ROOT } from "../support/test-server.ts";

const Asked = z.looseObject({ id: z.union([z.string(), z.int()]).optional(), method: z.string() });

/**
 * While the file `frail` is in the directory: an agent that makes one session and stops when it is asked for the next,
 * taking the file away. Without it: the built-in agent.
 */
export function frailAgent(dir: string): AgentSetting {
  return { name: "Frail", command: process.execPath, args: [import.meta.path, dir], process: "shared" };
}

if (import.meta.main) {
  const frail = join(process.argv[2] ?? "", "frail");
  if (existsSync(frail)) {
    let sessions = 0;
    for await (const line of console) {
      const { id, method } = Asked.parse(JSON.parse(line));
      if (method === "session/new") sessions += 1;
      if (sessions > 1) {
        rmSync(frail);
        process.exit(1);
      }
      const result = method === "initialize" ? { protocolVersion: 1 } : { sessionId: "the-first" };
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
    }
  }
  process.argv.splice(2);
  await import(join(ROOT, "builtin-agent/main.ts"));
}
