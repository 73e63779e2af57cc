import type { AgentSink, ToolPatch } from "../../ports/agents.ts";
import { ClientFileError, ClientFiles } from "../client/client-files.ts";
import { ClientTerminals, TerminalError, type TerminalExit } from "../client/client-terminals.ts";
import { OutsideRootsError, resolveInside } from "../client/resolve-inside.ts";
import { asArray, asNumber, asObject, asString, type JsonObject } from "./read-json.ts";

const INVALID_PARAMS = -32602;
const METHOD_NOT_FOUND = -32601;
const RESOURCE_NOT_FOUND = -32002;

/** An error answer to the agent, caused by its request. */
export class ClientRequestError extends Error {
  override readonly name = "ClientRequestError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface ClientRequestsOptions {
  readonly roots: readonly string[];
  /** Refused even inside a root. */
  readonly guarded: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly newId: () => string;
  readonly sink: AgentSink;
  /** The capabilities offered to the agent; other requests are refused. */
  readonly serves: { readonly fs: boolean; readonly terminal: boolean };
  /** Some agents treat an error for a missing file as a failure of the whole read. */
  readonly emptyForMissing: boolean;
}

/** Serves an agent's requests within a session: files below the session's roots, and terminals. */
export class ClientRequests {
  readonly #options: ClientRequestsOptions;
  readonly #files: ClientFiles;
  readonly #terminals: ClientTerminals;
  /** Maps terminals to the tool calls that show them. */
  readonly #shownIn = new Map<string, string>();

  constructor(options: ClientRequestsOptions) {
    this.#options = options;
    this.#files = new ClientFiles(options.roots, options.guarded);
    this.#terminals = new ClientTerminals({
      newId: options.newId,
      onOutput: (terminalId, text) => this.#onOutput(terminalId, text),
    });
  }

  async answer(method: string, params: JsonObject): Promise<object> {
    try {
      return await this.#answer(method, params);
    } catch (error) {
      if (error instanceof ClientFileError && error.isMissing)
        throw new ClientRequestError(RESOURCE_NOT_FOUND, error.message);
      if (error instanceof ClientFileError || error instanceof OutsideRootsError || error instanceof TerminalError)
        throw new ClientRequestError(INVALID_PARAMS, error.message);
      throw error;
    }
  }

  /** A tool call that embeds a terminal shows its output from the start. */
  onToolPatch(patch: ToolPatch): void {
    for (const part of patch.parts ?? []) {
      if (part.type !== "terminal" || this.#shownIn.has(part.terminalId) || !this.#terminals.has(part.terminalId))
        continue;
      this.#shownIn.set(part.terminalId, patch.toolCallId);
      const text = this.#terminals.printed(part.terminalId);
      if (text !== "") this.#options.sink({ type: "tool-output", toolCallId: patch.toolCallId, text });
    }
  }

  get files(): Pick<ClientRequestsOptions, "roots" | "guarded"> {
    return this.#options;
  }

  get terminalIds(): readonly string[] {
    return this.#terminals.ids;
  }

  /** Terminals of an earlier server. */
  loseTerminals(terminalIds: readonly string[]): void {
    this.#terminals.lose(terminalIds);
  }

  stop(): void {
    this.#terminals.releaseAll();
  }

  async #answer(method: string, params: JsonObject): Promise<object> {
    const { fs, terminal } = this.#options.serves;
    const isOffered = method.startsWith("fs/") ? fs : method.startsWith("terminal/") && terminal;
    if (!isOffered) throw new ClientRequestError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    switch (method) {
      case "fs/read_text_file":
        return { content: await this.#read(params) };
      case "fs/write_text_file":
        await this.#files.write(text(params, "path"), text(params, "content"));
        return {};
      case "terminal/create":
        return { terminalId: await this.#create(params) };
      case "terminal/output": {
        const { output, truncated, exit } = this.#terminals.output(text(params, "terminalId"));
        return { output, truncated, ...(exit && { exitStatus: exitStatus(exit) }) };
      }
      case "terminal/wait_for_exit":
        return exitStatus(await this.#terminals.waitForExit(text(params, "terminalId")));
      case "terminal/kill":
        this.#terminals.kill(text(params, "terminalId"));
        return {};
      case "terminal/release":
        this.#terminals.release(text(params, "terminalId"));
        return {};
      default:
        throw new ClientRequestError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    }
  }

  async #read(params: JsonObject): Promise<string> {
    const line = asNumber(params["line"]);
    const limit = asNumber(params["limit"]);
    const window = { ...(line !== undefined && { line }), ...(limit !== undefined && { limit }) };
    try {
      return await this.#files.read({ path: text(params, "path"), ...window });
    } catch (error) {
      if (this.#options.emptyForMissing && error instanceof ClientFileError && error.isMissing) return "";
      throw error;
    }
  }

  /** The command may do anything the agent may; the user has approved it. We only restrict its start directory. */
  async #create(params: JsonObject): Promise<string> {
    const { roots, guarded, env } = this.#options;
    const cwd = asString(params["cwd"]) ?? roots[0] ?? "/";
    const limit = asNumber(params["outputByteLimit"]);
    return this.#terminals.create({
      command: text(params, "command"),
      args: (asArray(params["args"]) ?? []).flatMap((arg) => asString(arg) ?? []),
      env: { ...env, ...variables(params["env"]) },
      cwd: await resolveInside(cwd, roots, guarded),
      ...(limit !== undefined && { outputByteLimit: limit }),
    });
  }

  #onOutput(terminalId: string, output: string): void {
    const toolCallId = this.#shownIn.get(terminalId);
    if (toolCallId !== undefined) this.#options.sink({ type: "tool-output", toolCallId, text: output });
  }
}

function text(params: JsonObject, name: string): string {
  const value = asString(params[name]);
  if (value === undefined) throw new ClientRequestError(INVALID_PARAMS, `${name} must be a string.`);
  return value;
}

function variables(list: JsonObject[string]): Readonly<Record<string, string>> {
  const pairs = (asArray(list) ?? []).flatMap((item) => {
    const variable = asObject(item);
    const name = asString(variable?.["name"]);
    const value = asString(variable?.["value"]);
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}

function exitStatus({ exitCode, signal }: TerminalExit): object {
  return { exitCode, signal };
}
