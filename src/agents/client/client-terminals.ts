import { killGroup } from "../process/agent-process.ts";
import { OutputTail } from "./output-tail.ts";

const TERMINALS_MAX = 64;
const LOST_OUTPUT = "[The command ended when Liminal Builder was restarted; what it had printed is gone.]\n";
const LOST_EXIT: TerminalExit = { exitCode: null, signal: "SIGKILL" };
const OUTPUT_BYTES_DEFAULT = 1024 * 1024;
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;

export interface TerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly outputByteLimit?: number;
}

export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface Terminal {
  readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly output: OutputTail;
  readonly exited: Promise<TerminalExit>;
  exit: TerminalExit | null;
}

/** The agent asks for a terminal that is not there, or for one too many. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

interface ClientTerminalsOptions {
  readonly newId: () => string;
  /** What a command printed, as it comes. */
  readonly onOutput: (terminalId: string, text: string) => void;
}

/** Commands an agent runs through us: each in a group of its own, its output bounded from the front. */
export class ClientTerminals {
  readonly #options: ClientTerminalsOptions;
  readonly #terminals = new Map<string, Terminal>();
  readonly #lost = new Set<string>();

  constructor(options: ClientTerminalsOptions) {
    this.#options = options;
  }

  create(request: TerminalRequest): string {
    if (this.#terminals.size >= TERMINALS_MAX) throw new TerminalError(`Over the limit of ${TERMINALS_MAX} terminals.`);
    const child = spawn(request);
    const terminalId = this.#options.newId();
    const limit = Math.min(request.outputByteLimit ?? OUTPUT_BYTES_DEFAULT, OUTPUT_BYTES_MAX);
    const output = new OutputTail(limit);
    const terminal: Terminal = { child, output, exit: null, exited: this.#watch(terminalId, child, output) };
    this.#terminals.set(terminalId, terminal);
    return terminalId;
  }

  get ids(): readonly string[] {
    return [...this.#terminals.keys(), ...this.#lost];
  }

  /** Terminals of an earlier server have ended with it, and are reported so. */
  lose(terminalIds: readonly string[]): void {
    for (const terminalId of terminalIds) this.#lost.add(terminalId);
  }

  has(terminalId: string): boolean {
    return this.#terminals.has(terminalId);
  }

  output(terminalId: string): { output: string; truncated: boolean; exit: TerminalExit | null } {
    if (this.#lost.has(terminalId)) return { output: LOST_OUTPUT, truncated: true, exit: LOST_EXIT };
    const { output, exit } = this.#find(terminalId);
    return { output: output.text, truncated: output.isTruncated, exit };
  }

  waitForExit(terminalId: string): Promise<TerminalExit> {
    return this.#lost.has(terminalId) ? Promise.resolve(LOST_EXIT) : this.#find(terminalId).exited;
  }

  /** The command and all it started are ended; what it printed stays readable. */
  kill(terminalId: string): void {
    if (!this.#lost.has(terminalId)) end(this.#find(terminalId));
  }

  release(terminalId: string): void {
    if (this.#lost.delete(terminalId)) return;
    end(this.#find(terminalId));
    this.#terminals.delete(terminalId);
  }

  /** The session has ended: nothing it ran goes on. */
  releaseAll(): void {
    for (const terminalId of [...this.#terminals.keys()]) this.release(terminalId);
  }

  #find(terminalId: string): Terminal {
    const terminal = this.#terminals.get(terminalId);
    if (!terminal) throw new TerminalError("There is no such terminal.");
    return terminal;
  }

  async #watch(terminalId: string, child: Terminal["child"], output: OutputTail): Promise<TerminalExit> {
    const take = async (stream: ReadableStream<Uint8Array>) => {
      const decoder = new TextDecoder();
      for await (const chunk of stream) {
        const text = decoder.decode(chunk, { stream: true });
        output.push(text);
        this.#options.onOutput(terminalId, text);
      }
    };
    const drained = Promise.all([take(child.stdout), take(child.stderr)]);
    await child.exited;
    // A background process of the command must not keep its output open for ever.
    killGroup(child.pid, "SIGKILL");
    await drained;
    const signal = child.signalCode === null ? null : String(child.signalCode);
    const exit: TerminalExit = { exitCode: child.exitCode, signal };
    const terminal = this.#terminals.get(terminalId);
    if (terminal) terminal.exit = exit;
    return exit;
  }
}

/** A command that is over took its group along, and its number may be someone else's by now. */
function end({ child, exit }: Terminal): void {
  if (exit === null && child.exitCode === null && child.signalCode === null) killGroup(child.pid, "SIGKILL");
}

/** A command with arguments is run as it is; a whole command line, as agents like to send, is the shell's to read. */
function spawn({ command, args, env, cwd }: TerminalRequest): Terminal["child"] {
  const line = args.length === 0 && /\s/.test(command) ? ["/bin/sh", "-c", command] : [command, ...args];
  try {
    return Bun.spawn(line, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe", detached: true });
  } catch (error) {
    throw new TerminalError(error instanceof Error ? error.message : String(error));
  }
}
