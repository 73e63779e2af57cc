import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { ignore } from "../lib/ignore.ts";
import { TOOL_RELAY_SOCKET } from "../protocol/tool-server.ts";
import type { CommandLine } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { beQuiet, printError } from "./print.ts";
import { NoServerError, RunningServer } from "./running-server.ts";
import { startInBackground } from "./start-in-background.ts";

/**
 * MCP on stdio: the tools of the running server, for agents and programs that cannot use HTTP. For a program a server
 * is started if none runs; a session's agent already has one, which may just be restarting.
 */
export async function mcp({ words: args }: CommandLine): Promise<ExitCode | undefined> {
  const isQuiet = (word: string) => word === "-q" || word === "--quiet";
  const extra = args.find((word) => !isQuiet(word));
  if (extra !== undefined) {
    printError(`Unexpected argument "${extra}".\nUsage: liminal mcp`);
    return EXIT.failed;
  }
  if (args.some(isQuiet)) beQuiet();
  const relay = new McpRelay(process.env);
  let instructions: string | undefined;
  try {
    if (process.env["LIMINAL_MCP_TOKEN"] === undefined && !hasServer()) await startInBackground(process.env);
    instructions = await relay.ready(packageJson.version);
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return EXIT.failed;
  }
  serveStdio(() => relayedServer(relay, instructions));
  return undefined;
}

/** A silent server counts as running: the relay reports it. */
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
    relay.setClientName(server.getClientVersion()?.name);
    // Ours if the caller has none: a call that is repeated after a server restart must run once.
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

/** The tools are available by then, or the caller gets an error. */
const READY_MS_MAX = 5_000;
/** A server that was running gets longer to return: it may be restarting. */
const BACK_MS_MAX = 30_000;
/** An agent in the middle of a turn waits as long for the next server as it is held for it. */
const BACK_FOR_AGENTS_MS_MAX = 10 * 60_000;
const LOOK_AGAIN_MS = 100;
const NOT_READY = "Agent MCP failed to initialize";
const HTTP_UNAUTHORIZED = 401;

/** Below the 60 s after which common clients abort a silent call. */
const PROGRESS_EVERY_MS = 10_000;
const PROTOCOL_VERSION = "2025-06-18";

const Result = z.looseObject({});
const Initialized = z.looseObject({ instructions: z.string().optional() });
const Progress = z.object({
  method: z.literal("notifications/progress"),
  params: z.looseObject({ message: z.string().optional() }),
});
const Reply = z.object({
  result: Result.optional(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
});

type Environment = Readonly<Record<string, string | undefined>>;

/** Forwards MCP requests to the running server, which is looked up each time, so that a restart on another port works. */
export class McpRelay {
  readonly #env: Environment;
  #wasThere = false;
  /** The name of the program we relay for. */
  #clientName: string | undefined;

  constructor(env: Environment) {
    this.#env = env;
  }

  /**
   * Resolves with the server's instructions when it answers. A silent server is not awaited for longer than
   * a missing one.
   */
  async ready(version: string): Promise<string | undefined> {
    const limit = AbortSignal.timeout(READY_MS_MAX);
    const clientInfo = { name: "liminal-mcp", version };
    try {
      const answer = await this.ask(
        "initialize",
        { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo },
        limit,
      );
      return Initialized.parse(answer).instructions;
    } catch (error) {
      if (!limit.aborted) throw error;
      const why = error instanceof NoServerError ? error.message : "the server is not responding. Run: liminal doctor";
      throw new Error(`${NOT_READY}: ${why}`);
    }
  }

  /** Repeated after the connection broke, which is why every call carries a key by which it runs once. */
  async ask(
    method: string,
    params: object,
    signal: AbortSignal,
    onProgress: (message: string | undefined) => void = () => undefined,
  ): Promise<z.infer<typeof Result>> {
    let missedSince: number | null = null;
    let reportedAt = performance.now();
    for (;;) {
      try {
        const result = await this.#post(method, params, signal, onProgress);
        this.#wasThere = true;
        return result;
      } catch (error) {
        if (signal.aborted || !isUnreachable(error)) throw error;
        missedSince ??= performance.now();
        if (performance.now() - missedSince > this.#patienceMs) throw new Error(`${NOT_READY}: ${messageOf(error)}`);
      }
      if (performance.now() - reportedAt > PROGRESS_EVERY_MS) {
        reportedAt = performance.now();
        onProgress("Liminal Builder is restarting");
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  /** From now on calls are made on behalf of this program. */
  setClientName(clientName: string | undefined): void {
    this.#clientName = clientName;
  }

  get #patienceMs(): number {
    if (!this.#wasThere) return READY_MS_MAX;
    return this.#env["LIMINAL_MCP_TOKEN"] === undefined ? BACK_MS_MAX : BACK_FOR_AGENTS_MS_MAX;
  }

  async #post(
    method: string,
    params: object,
    signal: AbortSignal,
    onProgress: (message: string | undefined) => void,
  ): Promise<z.infer<typeof Result>> {
    const request = { jsonrpc: "2.0", id: 1, method, params };
    const headers = {
      Accept: "application/json, text/event-stream",
      ...(this.#clientName && { "Liminal-Client": encodeURIComponent(this.#clientName.toWellFormed()) }),
    };
    const response = await this.#reach(request, headers, signal);
    if (response.status === HTTP_UNAUTHORIZED)
      throw new Error(`${NOT_READY}: invalid token. Its session may have ended.`);
    const { result, error } = Reply.parse(await lastMessage(response, onProgress));
    if (result) return result;
    throw new Error(error?.message ?? `${NOT_READY}: the server returned ${response.status}.`);
  }

  /** At a place there is no server: a socket of the runner there leads to it. */
  #reach(request: object, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const token = this.#env["LIMINAL_MCP_TOKEN"];
    const unix = this.#env[TOOL_RELAY_SOCKET];
    if (!unix) return new RunningServer(this.#env, token).post("/mcp", request, headers, signal);
    const all = { ...headers, Authorization: `Bearer ${token ?? ""}`, "Content-Type": "application/json" };
    return fetch("http://localhost/mcp", { method: "POST", headers: all, body: JSON.stringify(request), signal, unix });
  }
}

/** A JSON body, or the last message of an event stream; progress is passed on as it arrives. */
async function lastMessage(response: Response, onProgress: (message: string | undefined) => void): Promise<unknown> {
  const decoder = new TextDecoder();
  let [body, rest] = ["", ""];
  let last: unknown;
  const read = (line: string) => {
    const data = line.startsWith("data:") ? line.slice("data:".length).trim() : "";
    if (data === "") return;
    const message: unknown = JSON.parse(data);
    const progress = Progress.safeParse(message).data;
    if (progress) onProgress(progress.params.message);
    else last = message;
  };
  for await (const chunk of response.body ?? []) {
    const text = decoder.decode(chunk, { stream: true });
    body = last === undefined ? body + text : "";
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) read(line);
  }
  read(rest);
  return last ?? JSON.parse(body);
}

/** No server, one that is just starting or stopping, or a broken connection. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof NoServerError || error instanceof SyntaxError) return true;
  return error instanceof Error && "code" in error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
