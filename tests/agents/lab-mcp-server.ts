import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";

const Request = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z
    .looseObject({ protocolVersion: z.string().optional(), arguments: z.looseObject({ text: z.string() }).optional() })
    .optional(),
});
type Request = z.infer<typeof Request>;

/** The one tool: what it says is what it was given, backwards, so that nobody but it can have said so. */
export const LAB_TOOL = "lab_reverse";
const SECRET = "Bearer lab-secret";

export function reversed(text: string): string {
  return [...text].reverse().join("");
}

/** A small MCP server on stdio that writes down what it is asked, as config.json names it. */
export function stdioMcpServer(file: string): object {
  return { command: process.execPath, args: [import.meta.path, file] };
}

/** The same over http, for those who bring the header it wants; `setting` is how config.json names it. */
export function startHttpMcpServer(): Disposable & { readonly setting: object; readonly asked: string[] } {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(http) {
      if (http.headers.get("authorization") !== SECRET) return new Response(null, { status: 401 });
      if (http.method !== "POST") return new Response(null, { status: 405 });
      const request = Request.parse(await http.json());
      asked.push(request.method);
      return request.id === undefined ? new Response(null, { status: 202 }) : Response.json(answerTo(request));
    },
  });
  return {
    asked,
    setting: { url: `http://127.0.0.1:${server.port}/mcp`, headers: { Authorization: SECRET } },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function answerTo(request: Request): object {
  return { jsonrpc: "2.0", id: request.id, ...answer(request) };
}

function answer({ method, params }: Request): object {
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
      return {
        result: { tools: [{ name: LAB_TOOL, description: "Says a text backwards", inputSchema: INPUT_SCHEMA }] },
      };
    case "tools/call":
      return { result: { content: [{ type: "text", text: reversed(params?.arguments?.text ?? "") }] } };
    case "ping":
      return { result: {} };
    default:
      return { error: { code: -32601, message: `Method not found: ${method}` } };
  }
}

const INPUT_SCHEMA = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

if (import.meta.main) {
  const [, , file = ""] = process.argv;
  for await (const line of createInterface({ input: process.stdin })) {
    const request = Request.parse(JSON.parse(line));
    appendFileSync(file, `${request.method}\n`);
    if (request.id !== undefined) process.stdout.write(`${JSON.stringify(answerTo(request))}\n`);
  }
}
