import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { isSameSecret } from "../../src/access/secrets.ts";
import { SessionTokens } from "../../src/orchestration/session-tokens.ts";
import { SessionId } from "../../src/protocol/ids.ts";
import { START, type TestServer } from "../support/test-server.ts";

const REQUEST_MS_MAX = 60_000;

const Info = z.looseObject({
  agentId: z.string(),
  cliType: z.string(),
  title: z.string(),
  status: z.string(),
  outcome: z.string(),
  why: z.string().optional(),
  cwd: z.string(),
  createdAt: z.string(),
  lastActiveAt: z.string(),
  parentId: z.string().optional(),
});
export type Info = z.infer<typeof Info>;
const Created = z.object({ agentId: z.string(), status: z.string() });
const Waited = z.looseObject({
  reason: z.string(),
  agents: z.array(Info.extend({ text: z.string() })),
  pending: z.array(z.string()),
  waitId: z.string().optional(),
});
const Output = z.looseObject({
  status: z.string(),
  outcome: z.string(),
  text: z.string(),
  entries: z.array(z.looseObject({ entryId: z.string(), type: z.string(), text: z.string() })).optional(),
  hasMore: z.boolean().optional(),
});

/** A tool said no. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
}

type Arguments = Readonly<Record<string, unknown>>;

/** The official SDK's client, with the tools as methods; every result is checked for its two equal forms. */
export class McpCaller implements AsyncDisposable {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async overHttp(server: TestServer, token = server.token, name = "test"): Promise<McpCaller> {
    const transport = new StreamableHTTPClientTransport(new URL(`${server.origin}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    });
    const client = new Client({ name, version: "1" });
    await client.connect(transport);
    return new McpCaller(client);
  }

  /** `liminal mcp` as a program of its own. */
  static async overStdio(server: TestServer, token?: string, name = "test"): Promise<McpCaller> {
    return McpCaller.by(relayProgram(server, token), name);
  }

  /** A program that serves MCP on stdio. */
  static async by(program: ConstructorParameters<typeof StdioClientTransport>[0], name = "test"): Promise<McpCaller> {
    const client = new Client({ name, version: "1" });
    await client.connect(new StdioClientTransport(program));
    return new McpCaller(client);
  }

  async call(name: string, given: Arguments = {}): Promise<Record<string, unknown>> {
    const result = await this.client.callTool({ name, arguments: { ...given } }, { timeout: REQUEST_MS_MAX });
    const { content, isError, structuredContent } = z
      .looseObject({
        content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
        isError: z.boolean().optional(),
        structuredContent: z.record(z.string(), z.unknown()).optional(),
      })
      .parse(result);
    const text = content[0]?.text ?? "";
    if (isError) throw new ToolRefusal(text);
    if (!Bun.deepEquals(JSON.parse(text), structuredContent)) throw new Error(`text and structure differ: ${text}`);
    return structuredContent ?? {};
  }

  /** How a call is refused. */
  async refusalOf(name: string, given: Arguments = {}): Promise<string> {
    try {
      return `not refused: ${JSON.stringify(await this.call(name, given))}`;
    } catch (error) {
      if (!(error instanceof ToolRefusal)) throw error;
      return error.message;
    }
  }

  async create(given: Arguments): Promise<string> {
    return Created.parse(await this.call("create_coding_agent", given)).agentId;
  }

  async info(agentId: string): Promise<Info> {
    return z.object({ status: z.string(), info: Info }).parse(await this.call("get_agent_status", { agentId })).info;
  }

  /** Ended ones too, unless told otherwise. */
  async list(given: Arguments = { includeEnded: true }): Promise<readonly Info[]> {
    return z.object({ agents: z.array(Info) }).parse(await this.call("list_agents", given)).agents;
  }

  /** Waits as long as it takes, as an agent would: by asking again after each timeout. */
  async wait(given: Arguments = {}): Promise<z.infer<typeof Waited>> {
    for (;;) {
      const waited = Waited.parse(await this.call("wait_for_agents", given));
      if (waited.reason !== "timeout" || given["timeoutMs"] !== undefined) return waited;
    }
  }

  async output(agentId: string, range?: Arguments): Promise<z.infer<typeof Output>> {
    return Output.parse(await this.call("get_agent_output", { agentId, ...(range && { range }) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

/** How `liminal mcp` is started for this server. */
export function relayProgram(server: TestServer, token?: string) {
  const [command, ...args] = START;
  return {
    command,
    args: [...args, "mcp"],
    env: {
      ...server.processes.env,
      PATH: process.env["PATH"] ?? "",
      HOME: server.home,
      LIMINAL_DATA_DIR: server.dataDir,
      LIMINAL_PORT: "0",
      LIMINAL_REGISTRY_URL: "off",
      ...(token !== undefined && { LIMINAL_MCP_TOKEN: token }),
    },
  };
}

/** The token that the server gives to a session's agent. */
export function sessionToken(server: TestServer, sessionId: string): string {
  const tokens = new SessionTokens({ secret: server.token, isSameSecret, isAlive: async () => true });
  return tokens.tokenOf(SessionId.parse(sessionId));
}
