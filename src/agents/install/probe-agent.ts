import { z } from "zod";
import { parseJson } from "../../lib/parse-json.ts";
import { failureMessage, withAdvice } from "../acp/connection/wire-message.ts";
import { killGroup, StderrTail } from "../process/agent-process.ts";
import { type HostedProcess, NotStartableError, type ProcessHost } from "../process/process-host.ts";

const PROTOCOL_VERSION = 1;
const AUTH_REQUIRED = -32000;
const METHOD_NOT_FOUND = -32601;

const Incoming = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});
type Incoming = z.infer<typeof Incoming>;

interface ProbeOptions {
  readonly host: ProcessHost;
  readonly command: readonly string[];
  /** An empty folder for the test session. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clientVersion: string;
  /** For each of the two answers. */
  readonly answerTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Only checks that it answers: no session is opened, so no user data is read or written. */
  readonly greetOnly?: boolean;
  /** Its answer to the greeting. */
  readonly onGreeted?: (result: unknown) => void;
}

/** Why an agent does not work here, and the end of its stderr. */
export interface ProbeFailure {
  readonly reason: string;
  readonly stderr: string;
}

/** Starts an agent, initializes it and opens one session. Null if it works; an agent that requires sign-in works, too. */
export async function probeAgent(options: ProbeOptions): Promise<ProbeFailure | null> {
  const { signal } = options;
  signal.throwIfAborted();
  const stderr = new StderrTail();
  let trial: Trial;
  try {
    trial = new Trial(options, (text) => stderr.push(text));
  } catch (error) {
    if (error instanceof NotStartableError) return { reason: error.message, stderr: "" };
    throw error;
  }
  const end = () => trial.end();
  signal.addEventListener("abort", end);
  try {
    const reason = await converse(trial, options);
    return reason === null ? null : { reason, stderr: withAdvice(stderr.lastLines()) };
  } finally {
    await trial.end();
    signal.removeEventListener("abort", end);
  }
}

async function converse(
  trial: Trial,
  { cwd, clientVersion, greetOnly, onGreeted }: ProbeOptions,
): Promise<string | null> {
  const greeting = await trial.ask("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "liminal-builder", title: "Liminal Builder", version: clientVersion },
    clientCapabilities: {},
  });
  if (typeof greeting === "string") return greeting;
  if (greeting.error) return `it refused the connection: ${errorText(greeting.error)}`;
  const { data } = z.object({ protocolVersion: z.number() }).safeParse(greeting.result);
  if (data?.protocolVersion !== PROTOCOL_VERSION) return "it uses another protocol version";
  onGreeted?.(greeting.result);
  if (greetOnly) return null;
  const opened = await trial.ask("session/new", { cwd, mcpServers: [] });
  if (typeof opened === "string") return opened;
  if (opened.error && opened.error.code !== AUTH_REQUIRED)
    return `it could not create a session: ${errorText(opened.error)}`;
  return null;
}

/** Many agents put the reason into `data`, and only "Internal error" into the message. */
function errorText({ message, data }: NonNullable<Incoming["error"]>): string {
  return failureMessage(message, data);
}

/** One process under test; a request resolves with a message or with the reason why there is none. */
class Trial {
  readonly #process: HostedProcess;
  readonly #answerTimeoutMs: number;
  readonly #answers = new Map<number, (answer: Incoming) => void>();
  #asked = 0;

  constructor({ host, command, cwd, env, answerTimeoutMs }: ProbeOptions, onStderr: (text: string) => void) {
    this.#answerTimeoutMs = answerTimeoutMs;
    const onLine = (line: string) => this.#receive(line);
    this.#process = host.start({ command, cwd, env, onLine, onStderr, onTooLong: () => undefined });
  }

  async ask(method: string, params: object): Promise<Incoming | string> {
    const id = ++this.#asked;
    const answer = new Promise<Incoming>((resolve) => this.#answers.set(id, resolve));
    this.#write({ jsonrpc: "2.0", id, method, params });
    const late = Promise.withResolvers<string>();
    const seconds = this.#answerTimeoutMs / 1_000;
    const timer = setTimeout(() => late.resolve(`no answer to ${method} within ${seconds} s`), this.#answerTimeoutMs);
    const gone = this.#process.exited.then(({ code, signal }) => `it ended with ${signal ?? `exit code ${code}`}`);
    try {
      return await Promise.race([answer, gone, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    killGroup(this.#process.pid, "SIGKILL");
    await this.#process.exited;
  }

  /** Requests of the agent are ignored during the test. */
  #receive(line: string): void {
    const message = parse(line);
    if (!message) return;
    const { id, method } = message;
    if (method === undefined) this.#answers.get(Number(id))?.(message);
    else if (id !== undefined)
      this.#write({ jsonrpc: "2.0", id, error: { code: METHOD_NOT_FOUND, message: `${method} is not supported` } });
  }

  /** If the process has just ended, the pipe is broken; its exit is the answer. */
  #write(message: object): void {
    try {
      this.#process.write(JSON.stringify(message));
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, "code") !== "EPIPE") throw error;
    }
  }
}

/** Null for a line that is not a message: agents print other things, too. */
function parse(line: string): Incoming | null {
  return line.startsWith("{") ? (Incoming.safeParse(parseJson(line)).data ?? null) : null;
}
