import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentSetting, ROOT } from "../support/test-server.ts";

/**
 * The built-in agent behind a counter: every start is one line in `starts`, and while the file `broken` is there it
 * ends at once; with `loop` it answers the handshake and then ends.
 */
export function countedAgent(dir: string, retryMs: readonly number[]): AgentSetting {
  return { name: "Counted", command: process.execPath, args: [import.meta.path, dir], retryMs };
}

export function startsOf(dir: string): number {
  const path = join(dir, "starts");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").length : 0;
}

if (import.meta.main) {
  const dir = process.argv[2] ?? "";
  appendFileSync(join(dir, "starts"), `${process.pid}\n`);
  if (existsSync(join(dir, "broken"))) {
    process.stderr.write("broken on purpose\n");
    process.exit(7);
  }
  if (existsSync(join(dir, "loop"))) {
    for await (const line of console) {
      const { id } = JSON.parse(line);
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1 } })}\n`);
      process.exit(8);
    }
  }
  process.argv.splice(2);
  await import(join(ROOT, "builtin-agent/main.ts"));
}
