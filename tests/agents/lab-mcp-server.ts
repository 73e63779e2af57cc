import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A small MCP server on stdio that writes down what it is asked, as config.json names it. */
export function labMcpServer(file: string): object {
  return { command: process.execPath, args: [import.meta.path, file] };
}

if (import.meta.main) {
  const [, , file = ""] = process.argv;
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    appendFileSync(file, `${method}\n`);
    if (id !== undefined)
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer(method, params) })}\n`);
  }
}

function answer(method: string, params: { protocolVersion?: string } | undefined): object {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: params?.protocolVersion ?? "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "lab", version: "1" },
        },
      };
    case "tools/list":
      return { result: { tools: [{ name: "lab_echo", description: "Repeats", inputSchema: { type: "object" } }] } };
    case "ping":
      return { result: {} };
    default:
      return { error: { code: -32601, message: `Method not found: ${method}` } };
  }
}
