import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { ignore } from "../lib/ignore.ts";
import type { CommandLine } from "./command-line.ts";
import { beQuiet, tellFailure } from "./print.ts";
import { NoServerError, RunningServer } from "./running-server.ts";
import { startInBackground } from "./start-in-background.ts";

/**
 * MCP on stdio: the tools of the running server, for agents and programs that cannot use HTTP. For a program a server is started
 * where none runs; a session's agent has one already, which may just be starting again.
 */
export async function mcp({ words: args }: CommandLine): Promise<undefined> {
  const isQuiet = (word: string) => word === "-q" || word === "--quiet";
  const extra = args.find((word) => !isQuiet(word));
  if (extra !== undefined) {
    tellFailure(`Unexpected argument "${extra}".\nUsage: liminal mcp`);
    process.exitCode = 1;
    return;
  }
  if (args.some(isQuiet)) beQuiet();
  const relay = new McpRelay(process.env);
  let instructions: string | undefined;
  try {
    if (process.env["LIMINAL_MCP_TOKEN"] === undefined && !hasServer()) await startInBackground(process.env);
    instructions = await relay.ready(packageJson.version);
  } catch (error) {
    tellFailure(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
    return;
  }
  serveStdio(() => relayedServer(relay, instructions));
}

/** One that is there and silent is one, too: the relay says so. */
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
    relay.speakFor(server.getClientVersion()?.name);
    // Ours where the caller has none: a call that is sent again because the server was restarted must act once.
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

/** Tools are there by then, or whoever wants them is told that they are not. */
const READY_MS_MAX = 5_000;
/** A server that was there gets longer to come back: it may be busy with being started again. */
const BACK_MS_MAX = 30_000;
/** An agent in the middle of a turn waits as long for the next server as it is itself kept for it. */
const BACK_FOR_AGENTS_MS_MAX = 10 * 60_000;
const LOOK_AGAIN_MS = 100;
const NOT_READY = "Agent MCP failed to initialize";
const HTTP_UNAUTHORIZED = 401;

/** Below the 60 s after which common clients give up on a call that says nothing. */
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

/** Hands one MCP request to the running server. It is looked up anew each time, so that a restart on another port breaks nothing. */
export class McpRelay {
  readonly #env: Environment;
  #wasThere = false;
  /** The program we speak for, as it named itself to us. */
  #clientName: string | undefined;

  constructor(env: Environment) {
    this.#env = env;
  }

  /**
   * Resolves with the server's instructions when it answers. One that is there and says nothing is not waited for any longer than
   * one that is not.
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

  /** Also asked again after the line broke, which is why every call carries a key by which it acts once. */
  async ask(
    method: string,
    params: object,
    signal: AbortSignal,
    onProgress: (message: string | undefined) => void = () => undefined,
  ): Promise<z.infer<typeof Result>> {
    let missedSince: number | null = null;
    let toldAt = performance.now();
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
      if (performance.now() - toldAt > PROGRESS_EVERY_MS) {
        toldAt = performance.now();
        onProgress("Liminal Builder is restarting");
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  /** From now on calls are made in the name of this program. */
  speakFor(clientName: string | undefined): void {
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
    const server = new RunningServer(this.#env, this.#env["LIMINAL_MCP_TOKEN"]);
    const request = { jsonrpc: "2.0", id: 1, method, params };
    const headers = {
      Accept: "application/json, text/event-stream",
      ...(this.#clientName && { "Liminal-Client": encodeURIComponent(this.#clientName.toWellFormed()) }),
    };
    const response = await server.post("/mcp", request, headers, signal);
    if (response.status === HTTP_UNAUTHORIZED)
      throw new Error(`${NOT_READY}: invalid token. Its session may have ended.`);
    const { result, error } = Reply.parse(await lastMessage(response, onProgress));
    if (result) return result;
    throw new Error(error?.message ?? `${NOT_READY}: the server returned ${response.status}.`);
  }
}

/** A JSON body as it stands, or the last message of an event stream; progress is told as it comes. */
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

/** No server, one that is just starting or stopping, or a line that broke. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof NoServerError || error instanceof SyntaxError) return true;
  return error instanceof Error && "code" in error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
