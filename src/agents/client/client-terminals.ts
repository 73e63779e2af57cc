import { StreamDrain } from "../../lib/stream-drain.ts";
import { killGroup } from "../process/agent-process.ts";

const LOST_OUTPUT = "[The command ended when Liminal Builder restarted. Its output was lost.]\n";
const LOST_EXIT: TerminalExit = { exitCode: null, signal: "SIGKILL" };
/** Per session; a terminal counts until the agent releases it. */
const SESSION_TERMINALS_MAX = 64;
/** Across all sessions. */
const TERMINALS_MAX = 256;
const OUTPUT_BYTES_DEFAULT = 1024 * 1024;
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;
/** Kept for a tool call that shows the terminal later. The agent's own limit applies to what it reads. */
const SHOWN_LATER_BYTES_MAX = 1024 * 1024;
/** Shared by all terminals. Once it is used up, outputs keep less. */
const OUTPUT_MEMORY_BYTES_MAX = 64 * 1024 * 1024;
/** Shared by all terminals. A command that prints faster has to wait, as in a slow terminal. */
const READ_BYTES_PER_SECOND_MAX = 8 * 1024 * 1024;
const READ_WINDOW_MS = 50;
/** A daemon that the command started holds the pipe open. */
const PIPE_GRACE_MS = 500;
const CUT_OUTPUT = "[Earlier output was discarded.]\n";

interface TerminalRequest {
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
  /** How much of it the agent can read. */
  readonly bytesMax: number;
  readonly exited: Promise<TerminalExit>;
  exit: TerminalExit | null;
}

/** The agent requests an unknown terminal, or one too many. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** Limits the bytes read per time window; readers are served in order. */
class ReadPace {
  readonly #windowBytes: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  #left: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(bytesPerSecond: number) {
    this.#windowBytes = (bytesPerSecond * READ_WINDOW_MS) / 1_000;
    this.#left = this.#windowBytes;
  }

  /** Null if the bytes may be read at once; otherwise resolves when they may. */
  room(bytes: number): Promise<void> | null {
    this.#timer ??= setTimeout(() => this.#refill(), READ_WINDOW_MS);
    if (this.#left > 0 && this.#waiting.length === 0) {
      this.#left -= bytes;
      return null;
    }
    return new Promise((go) => this.#waiting.push({ bytes, go }));
  }

  #refill(): void {
    this.#timer = undefined;
    this.#left = Math.min(this.#windowBytes, this.#left + this.#windowBytes);
    while (this.#left > 0) {
      const next = this.#waiting.shift();
      if (!next) break;
      this.#left -= next.bytes;
      next.go();
    }
    if (this.#left < this.#windowBytes) this.#timer = setTimeout(() => this.#refill(), READ_WINDOW_MS);
  }
}

/** Memory that many outputs share. */
export class OutputMemory {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False if that much is not available. */
  reserve(bytes: number): boolean {
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** Limits shared by the terminals of all sessions. */
export class TerminalLimits {
  readonly memory: OutputMemory;
  readonly pace: ReadPace;
  count = 0;

  constructor(memoryBytesMax = OUTPUT_MEMORY_BYTES_MAX, readBytesPerSecondMax = READ_BYTES_PER_SECOND_MAX) {
    this.memory = new OutputMemory(memoryBytesMax);
    this.pace = new ReadPace(readBytesPerSecondMax);
  }
}

const OF_THIS_SERVER = new TerminalLimits();

interface ClientTerminalsOptions {
  readonly newId: () => string;
  /** Output of a command, as it arrives. */
  readonly onOutput: (terminalId: string, text: string) => void;
  readonly limits?: TerminalLimits;
}

/** Commands that an agent runs through us: each in its own process group, keeping the end of its output. */
export class ClientTerminals {
  readonly #options: ClientTerminalsOptions;
  readonly #limits: TerminalLimits;
  readonly #terminals = new Map<string, Terminal>();
  readonly #lost = new Set<string>();

  constructor(options: ClientTerminalsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? OF_THIS_SERVER;
  }

  create(request: TerminalRequest): string {
    if (this.#terminals.size >= SESSION_TERMINALS_MAX) throw tooMany(SESSION_TERMINALS_MAX, "one session");
    if (this.#limits.count >= TERMINALS_MAX) throw tooMany(TERMINALS_MAX, "all sessions");
    const child = spawn(request);
    const terminalId = this.#options.newId();
    const bytesMax = Math.min(request.outputByteLimit ?? OUTPUT_BYTES_DEFAULT, OUTPUT_BYTES_MAX);
    const output = new OutputTail(Math.max(bytesMax, SHOWN_LATER_BYTES_MAX), this.#limits.memory);
    const terminal: Terminal = { child, output, bytesMax, exit: null, exited: this.#watch(terminalId, child, output) };
    this.#terminals.set(terminalId, terminal);
    this.#limits.count += 1;
    return terminalId;
  }

  get ids(): readonly string[] {
    return [...this.#terminals.keys(), ...this.#lost];
  }

  /** Terminals of an earlier server ended with it, and are reported as such. */
  lose(terminalIds: readonly string[]): void {
    for (const terminalId of terminalIds) this.#lost.add(terminalId);
  }

  has(terminalId: string): boolean {
    return this.#terminals.has(terminalId);
  }

  output(terminalId: string): { output: string; truncated: boolean; exit: TerminalExit | null } {
    if (this.#lost.has(terminalId)) return { output: LOST_OUTPUT, truncated: true, exit: LOST_EXIT };
    const { output, bytesMax, exit } = this.#find(terminalId);
    const { text, isTruncated } = output.last(bytesMax);
    return { output: text, truncated: isTruncated, exit };
  }

  /** The output so far, for a tool call that shows it from now on. */
  printed(terminalId: string): string {
    const { text, isTruncated } = this.#find(terminalId).output.last(SHOWN_LATER_BYTES_MAX);
    return isTruncated ? CUT_OUTPUT + text : text;
  }

  waitForExit(terminalId: string): Promise<TerminalExit> {
    return this.#lost.has(terminalId) ? Promise.resolve(LOST_EXIT) : this.#find(terminalId).exited;
  }

  /** Ends the command and everything it started; its output stays readable. */
  kill(terminalId: string): void {
    if (!this.#lost.has(terminalId)) end(this.#find(terminalId));
  }

  release(terminalId: string): void {
    if (this.#lost.delete(terminalId)) return;
    const terminal = this.#find(terminalId);
    end(terminal);
    terminal.output[Symbol.dispose]();
    this.#terminals.delete(terminalId);
    this.#limits.count -= 1;
  }

  /** The session has ended: ends everything it ran. */
  releaseAll(): void {
    for (const terminalId of [...this.#terminals.keys()]) this.release(terminalId);
  }

  #find(terminalId: string): Terminal {
    const terminal = this.#terminals.get(terminalId);
    if (!terminal) throw new TerminalError("Terminal not found.");
    return terminal;
  }

  async #watch(terminalId: string, child: Terminal["child"], output: OutputTail): Promise<TerminalExit> {
    const drain = (stream: ReadableStream<Uint8Array>) => {
      const decoder = new TextDecoder();
      const take = (chunk: Uint8Array) => {
        const text = decoder.decode(chunk, { stream: true });
        output.push(text);
        this.#options.onOutput(terminalId, text);
      };
      return new StreamDrain(stream, (chunk) => {
        // Unread output stays in the pipe, and the command waits.
        const room = this.#limits.pace.room(chunk.byteLength);
        return room === null ? take(chunk) : room.then(() => take(chunk));
      });
    };
    const [stdout, stderr] = [drain(child.stdout), drain(child.stderr)];
    await child.exited;
    // A background process of the command must not keep the output open forever.
    killGroup(child.pid, "SIGKILL");
    await Promise.all([stdout.endWithin(PIPE_GRACE_MS), stderr.endWithin(PIPE_GRACE_MS)]);
    const signal = child.signalCode === null ? null : String(child.signalCode);
    const exit: TerminalExit = { exitCode: child.exitCode, signal };
    const terminal = this.#terminals.get(terminalId);
    if (terminal) terminal.exit = exit;
    return exit;
  }
}

function tooMany(terminalsMax: number, of: string): TerminalError {
  return new TerminalError(`Over the limit of ${terminalsMax} terminals for ${of}. Release unused terminals.`);
}

/** An ended command took its group along; its pid may belong to another process by now. */
function end({ child, exit }: Terminal): void {
  if (exit === null && child.exitCode === null && child.signalCode === null) killGroup(child.pid, "SIGKILL");
}

/** A command with arguments is run directly; a whole command line, as agents like to send, is run by the shell. */
function spawn({ command, args, env, cwd }: TerminalRequest): Terminal["child"] {
  const line = args.length === 0 && /\s/.test(command) ? ["/bin/sh", "-c", command] : [command, ...args];
  try {
    return Bun.spawn(line, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe", detached: true });
  } catch (error) {
    throw new TerminalError(error instanceof Error ? error.message : String(error));
  }
}

/** Every command may keep this much, however many there are. */
const FIRST_BYTES = 16 * 1024;

/** The end of a command's output, in a ring that grows to its limit while memory is available; cut between characters. */
export class OutputTail {
  readonly #bytesMax: number;
  readonly #memory: OutputMemory;
  #ring: Buffer;
  /** Total bytes pushed; the ring has the last of them. */
  #total = 0;

  constructor(bytesMax: number, memory: OutputMemory) {
    this.#bytesMax = bytesMax;
    this.#memory = memory;
    this.#ring = Buffer.alloc(Math.min(bytesMax, FIRST_BYTES));
  }

  push(text: string): void {
    const bytes = Buffer.from(text);
    this.#grow(Math.min(this.#total + bytes.byteLength, this.#bytesMax));
    const size = this.#ring.byteLength;
    const kept = bytes.subarray(Math.max(0, bytes.byteLength - size));
    const at = size === 0 ? 0 : (this.#total + bytes.byteLength - kept.byteLength) % size;
    const head = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, head);
    this.#total += bytes.byteLength;
  }

  /** The last `bytesMax` of the kept bytes. */
  last(bytesMax: number): { readonly text: string; readonly isTruncated: boolean } {
    const bytes = this.#unrolled();
    let start = Math.max(0, bytes.byteLength - bytesMax);
    const isTruncated = this.#total > bytes.byteLength - start;
    while (isTruncated && start < bytes.byteLength && isContinuation(bytes[start])) start++;
    return { text: bytes.subarray(start).toString(), isTruncated };
  }

  /** The output is no longer needed. */
  [Symbol.dispose](): void {
    this.#memory.release(Math.max(0, this.#ring.byteLength - FIRST_BYTES));
    this.#ring = Buffer.alloc(0);
    this.#total = 0;
  }

  #grow(needed: number): void {
    const size = this.#ring.byteLength;
    if (size === 0 || needed <= size || size === this.#bytesMax) return;
    const next = Math.min(this.#bytesMax, Math.max(2 * size, needed));
    if (!this.#memory.reserve(next - size)) return;
    const kept = this.#unrolled();
    // A byte's position follows from the number of bytes before it.
    this.#ring = Buffer.alloc(next);
    const at = (this.#total - kept.byteLength) % next;
    const head = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, head);
  }

  /** The kept bytes, oldest first. */
  #unrolled(): Buffer {
    const size = this.#ring.byteLength;
    if (this.#total <= size) return this.#ring.subarray(0, this.#total);
    const at = this.#total % size;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }
}

/** In UTF-8 every byte of a character except the first starts with the bits 10. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
