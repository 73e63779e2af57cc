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
  /** An empty folder for the session it is asked to open. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clientVersion: string;
  /** For each of the two answers. */
  readonly answerTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether it answers at all: no session is opened, so nothing of the user's is read or written. */
  readonly greetOnly?: boolean;
}

/** Why an agent does not work here, and the last of what it complained about. */
export interface ProbeFailure {
  readonly reason: string;
  readonly stderr: string;
}

/** Starts an agent, shakes hands and opens one session. Null when it works; one that wants a sign-in first does, too. */
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

async function converse(trial: Trial, { cwd, clientVersion, greetOnly }: ProbeOptions): Promise<string | null> {
  const greeting = await trial.ask("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "liminal-builder", title: "Liminal Builder", version: clientVersion },
    clientCapabilities: {},
  });
  if (typeof greeting === "string") return greeting;
  if (greeting.error) return `it refused the connection: ${errorText(greeting.error)}`;
  const { data } = z.object({ protocolVersion: z.number() }).safeParse(greeting.result);
  if (data?.protocolVersion !== PROTOCOL_VERSION) return "it uses another protocol version";
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

/** One process on trial; a question is answered by a message or by why there will be none. */
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

  /** Whatever it asks of us meanwhile is more than a trial offers. */
  #receive(line: string): void {
    const message = parse(line);
    if (!message) return;
    const { id, method } = message;
    if (method === undefined) this.#answers.get(Number(id))?.(message);
    else if (id !== undefined)
      this.#write({ jsonrpc: "2.0", id, error: { code: METHOD_NOT_FOUND, message: `${method} is not supported` } });
  }

  /** A process can be gone before anyone knows: then the pipe breaks, and its end is the answer. */
  #write(message: object): void {
    try {
      this.#process.write(JSON.stringify(message));
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, "code") !== "EPIPE") throw error;
    }
  }
}

/** Null for a line that is no message: agents do print other things. */
function parse(line: string): Incoming | null {
  return line.startsWith("{") ? (Incoming.safeParse(parseJson(line)).data ?? null) : null;
}
