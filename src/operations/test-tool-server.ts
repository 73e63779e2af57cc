import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { McpServerSetting } from "../agents/acp/mcp-servers.ts";
import { redactGiven } from "../lib/redact-secrets.ts";
import type { Tested } from "../protocol/agent-settings.ts";
import { VERSION } from "./version.ts";

const TOOLS_NAMED_MAX = 30;
const STDERR_CHARS_MAX = 2_000;

/** Starts or calls a tool server as an agent would, and asks for its tools. */
export async function testToolServer(
  server: McpServerSetting,
  env: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Tested> {
  const printed = { text: "" };
  const client = new Client({ name: "liminal-builder", version: VERSION });
  try {
    const transport = await openTransport(server, env, printed);
    await client.connect(transport, { timeout: timeoutMs });
    const { tools } = await client.listTools({}, { timeout: timeoutMs });
    const names = tools.map(({ name }) => name);
    const info = client.getServerVersion();
    const more = names.length > TOOLS_NAMED_MAX ? [`and ${names.length - TOOLS_NAMED_MAX} more`] : [];
    return {
      ok: true,
      message: `${names.length === 1 ? "1 tool" : `${names.length} tools`}${info ? ` of ${info.name} ${info.version}` : ""}`,
      details: names.length === 0 ? [] : [[...names.slice(0, TOOLS_NAMED_MAX), ...more].join(", ")],
    };
  } catch (error) {
    const given = "command" in server ? server.env : server.headers;
    const why = redactGiven(error instanceof Error ? error.message : String(error), given, env).replace(/\.$/, "");
    const stderr = redactGiven(printed.text.trim(), given, env).slice(-STDERR_CHARS_MAX);
    return { ok: false, message: `${failureOf(server)} ${why}.`, details: stderr === "" ? [] : [stderr] };
  } finally {
    await client.close();
  }
}

function failureOf(server: McpServerSetting): string {
  return "command" in server ? `${server.command} does not work:` : `${new URL(server.url).origin} does not work:`;
}

async function openTransport(
  server: McpServerSetting,
  env: Readonly<Record<string, string>>,
  printed: { text: string },
) {
  if ("command" in server) {
    const { command, args } = server;
    const own = { ...env, ...server.env };
    const program = Bun.which(command, { PATH: own["PATH"] ?? "" });
    if (program === null && !command.includes("/"))
      throw new Error(`"${command}" is not on the PATH; install it or enter its full path`);
    const transport = new StdioClientTransport({ command, args: [...args], env: own, stderr: "pipe" });
    transport.stderr?.on("data", (text: unknown) => {
      printed.text = `${printed.text}${String(text)}`.slice(-STDERR_CHARS_MAX);
    });
    return transport;
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { ...server.headers } } });
}
