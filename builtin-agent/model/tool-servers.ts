import type { Client, Tool } from "@modelcontextprotocol/client";
import type { ToolServer } from "../sessions/tool-server.ts";
import { askPermission } from "../turn/ask-permission.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import { isObject, type JsonObject, stringAt } from "../wire/json.ts";
import { done, failed, type ModelTool, type ToolAnswer } from "./own-tools.ts";
import { connectionFailure } from "./trouble.ts";

/** The app's own tools check permissions themselves, so their calls need no permission request here. */
const OWN_SERVER = "liminal";
const HTTP_READY_MS_MAX = 5_000;
/** A user's server may have to be downloaded before it starts. */
const STDIO_READY_MS_MAX = 30_000;
/** Longer than the longest wait for agents. */
const CALL_MS_MAX = 11 * 60_000;
const TOOLS_PER_SERVER_MAX = 100;
/** Characters that some models do not accept in a name. */
const UNSAFE_IN_NAME = /[^A-Za-z0-9_-]/g;
const NAME_CHARACTERS_MAX = 64;

type Connected = { readonly server: ToolServer; readonly client: Client; readonly tools: readonly Tool[] };

/** The MCP servers of one session, connected when a model first needs them. */
export class ToolServers {
  readonly #connected: Connected[] = [];
  /** Unreachable servers, as messages for the user. */
  readonly problems: string[] = [];
  #lost = false;

  static async connect(servers: readonly ToolServer[], cwd: string): Promise<ToolServers> {
    const made = new ToolServers();
    await Promise.all(servers.map((server) => made.#connect(server, cwd)));
    return made;
  }

  /** All were reached and none has closed since. */
  get isWhole(): boolean {
    return !this.#lost && this.problems.length === 0;
  }

  /** Under their own names; a name that is taken gets its server's name as a prefix. */
  tools(taken: readonly string[]): ModelTool[] {
    const names = new Set(taken);
    const order = this.#connected.toSorted((a, b) => rank(a) - rank(b));
    return order.flatMap(({ server, client, tools }) =>
      tools.slice(0, TOOLS_PER_SERVER_MAX).map((tool) => {
        const plain = safeName(tool.name);
        const name = names.has(plain) ? safeName(`${server.name}_${tool.name}`) : plain;
        names.add(name);
        return modelTool(name, server, client, tool);
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#connected.map(({ client }) => client.close()));
  }

  async #connect(server: ToolServer, cwd: string): Promise<void> {
    const sdk = await import("@modelcontextprotocol/client");
    const client = new sdk.Client({ name: "liminal-guide", version: "0.1.0" });
    const timeout = server.type === "http" ? HTTP_READY_MS_MAX : STDIO_READY_MS_MAX;
    try {
      if (server.type === "http") {
        const { url, headers } = server;
        await client.connect(new sdk.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), {
          timeout,
        });
      } else {
        const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
        const { command, args, env } = server;
        const options = { command, args: [...args], env: { ...env }, cwd, stderr: "ignore" as const };
        await client.connect(new StdioClientTransport(options), { timeout });
      }
      client.onclose = () => {
        this.#lost = true;
      };
      const { tools } = await client.listTools(undefined, { timeout });
      this.#connected.push({ server, client, tools });
    } catch (error) {
      this.problems.push(`Agent MCP failed to initialize: ${server.name}: ${errorText(error)}`);
      await client.close();
    }
  }
}

function rank({ server }: Connected): number {
  return server.name === OWN_SERVER ? 0 : 1;
}

function safeName(name: string): string {
  return name.replace(UNSAFE_IN_NAME, "_").slice(0, NAME_CHARACTERS_MAX);
}

function modelTool(name: string, server: ToolServer, client: Client, tool: Tool): ModelTool {
  return {
    name,
    description: tool.description ?? tool.title ?? tool.name,
    inputSchema: tool.inputSchema as ModelTool["inputSchema"],
    run: (turn, input) => callTool(turn, { server, client, tool }, input),
  };
}

async function callTool(
  turn: Turn,
  { server, client, tool }: { server: ToolServer; client: Client; tool: Tool },
  input: JsonObject,
): Promise<ToolAnswer> {
  const shown = new ToolCall(turn, {
    title: titleOf(server, tool, input),
    name: tool.name,
    kind: "other",
    rawInput: input,
  });
  if (server.name !== OWN_SERVER) {
    const permission = await askPermission(turn, shown, "tool");
    if (permission !== "allowed") {
      shown.fail(permission === "rejected" ? "Rejected." : "Tools of other servers are off in read-only mode.");
      return failed(permission === "rejected" ? "The user does not want this call." : "The session is read-only.");
    }
  }
  shown.run();
  try {
    // With progress notifications, our own tools may take as long as they need.
    const options = {
      signal: turn.signal,
      timeout: CALL_MS_MAX,
      resetTimeoutOnProgress: true,
      onprogress: () => undefined,
    };
    const result = await client.callTool({ name: tool.name, arguments: { ...input } }, options);
    turn.signal.throwIfAborted();
    const text = textOf(result.content);
    const patch = { content: [textContent(text)], rawOutput: result.structuredContent ?? { text } };
    if (result.isError) shown.failWith(patch);
    else shown.complete(patch);
    return result.isError ? failed(text) : done(text);
  } catch (error) {
    turn.signal.throwIfAborted();
    const words = `${server.name} did not answer: ${errorText(error)}`;
    shown.fail(words);
    return failed(words);
  }
}

/** Our own tools are shown by title; the name of the agent says more than the server. */
function titleOf({ name }: ToolServer, tool: Tool, input: JsonObject): string {
  const title = tool.title ?? tool.name;
  if (name !== OWN_SERVER) return `${name}: ${title}`;
  const about = stringAt(input, "title");
  return about === undefined ? title : `${title}: ${about}`;
}

/** Content other than text is only named, because not every model can read it. */
function textOf(content: readonly unknown[]): string {
  return content
    .map((block) => {
      if (!isObject(block)) return "";
      return typeof block["text"] === "string" ? block["text"] : `[${String(block["type"])} left out]`;
    })
    .join("\n");
}

function errorText(error: unknown): string {
  const failure = connectionFailure(error);
  if (failure !== undefined) return `could not connect (${failure})`;
  return error instanceof Error ? error.message : String(error);
}
