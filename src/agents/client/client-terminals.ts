import { killGroup } from "../process/agent-process.ts";

const LOST_OUTPUT = "[The command ended when Liminal Builder restarted. Its output was lost.]\n";
const LOST_EXIT: TerminalExit = { exitCode: null, signal: "SIGKILL" };
/** Of one session; a terminal counts until the agent releases it. */
const SESSION_TERMINALS_MAX = 64;
/** Of all sessions. */
const TERMINALS_MAX = 256;
const OUTPUT_BYTES_DEFAULT = 1024 * 1024;
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;
/** Kept for a tool call that shows the terminal later. The limit an agent sets is for what it reads itself. */
const SHOWN_LATER_BYTES_MAX = 1024 * 1024;
/** Of all terminals together. Once it is used up, outputs keep less. */
const OUTPUT_MEMORY_BYTES_MAX = 64 * 1024 * 1024;
/** From all terminals together. A command that prints more waits, as it would in a slow terminal. */
const READ_BYTES_PER_SECOND_MAX = 8 * 1024 * 1024;
const READ_WINDOW_MS = 50;
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
  /** So much of it is the agent's to read. */
  readonly bytesMax: number;
  readonly exited: Promise<TerminalExit>;
  exit: TerminalExit | null;
}

/** The agent asks for a terminal that is not there, or for one too many. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** Lets readers read so much in each window, in the order in which they came. */
class ReadPace {
  readonly #windowBytes: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  #left: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(bytesPerSecond: number) {
    this.#windowBytes = (bytesPerSecond * READ_WINDOW_MS) / 1_000;
    this.#left = this.#windowBytes;
  }

  /** Null when so much may be read at once, else when it may. */
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

/** What the terminals of all sessions share. */
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
  /** What a command printed, as it comes. */
  readonly onOutput: (terminalId: string, text: string) => void;
  readonly limits?: TerminalLimits;
}

/** Commands an agent runs through us: each in a group of its own, its output bounded from the front. */
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

  /** Terminals of an earlier server have ended with it, and are reported so. */
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

  /** What it has printed so far, for a tool call that shows it from now on. */
  printed(terminalId: string): string {
    const { text, isTruncated } = this.#find(terminalId).output.last(SHOWN_LATER_BYTES_MAX);
    return isTruncated ? CUT_OUTPUT + text : text;
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
    const terminal = this.#find(terminalId);
    end(terminal);
    terminal.output[Symbol.dispose]();
    this.#terminals.delete(terminalId);
    this.#limits.count -= 1;
  }

  /** The session has ended: nothing it ran goes on. */
  releaseAll(): void {
    for (const terminalId of [...this.#terminals.keys()]) this.release(terminalId);
  }

  #find(terminalId: string): Terminal {
    const terminal = this.#terminals.get(terminalId);
    if (!terminal) throw new TerminalError("Terminal not found.");
    return terminal;
  }

  async #watch(terminalId: string, child: Terminal["child"], output: OutputTail): Promise<TerminalExit> {
    const take = async (stream: ReadableStream<Uint8Array>) => {
      const decoder = new TextDecoder();
      for await (const chunk of stream) {
        // What is not read stays in the pipe, and the command waits.
        const room = this.#limits.pace.room(chunk.byteLength);
        if (room) await room;
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

function tooMany(terminalsMax: number, of: string): TerminalError {
  return new TerminalError(`Over the limit of ${terminalsMax} terminals for ${of}. Release unused terminals.`);
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

/** Every command may keep this much, however many there are. */
const FIRST_BYTES = 16 * 1024;

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

  /** False when so much more is not there. */
  reserve(bytes: number): boolean {
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The last of a command's output, in a ring that grows up to its limit while there is memory, cut between characters. */
export class OutputTail {
  readonly #bytesMax: number;
  readonly #memory: OutputMemory;
  #ring: Buffer;
  /** Bytes ever pushed; the ring has the last of them. */
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

  /** The last `bytesMax` bytes of what is kept. */
  last(bytesMax: number): { readonly text: string; readonly isTruncated: boolean } {
    const bytes = this.#unrolled();
    let start = Math.max(0, bytes.byteLength - bytesMax);
    const isTruncated = this.#total > bytes.byteLength - start;
    while (isTruncated && start < bytes.byteLength && isContinuation(bytes[start])) start++;
    return { text: bytes.subarray(start).toString(), isTruncated };
  }

  /** Nobody will read it any more. */
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
    // The place of a byte follows from how many came before it.
    this.#ring = Buffer.alloc(next);
    const at = (this.#total - kept.byteLength) % next;
    const head = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, head);
  }

  /** What is kept, oldest first. */
  #unrolled(): Buffer {
    const size = this.#ring.byteLength;
    if (this.#total <= size) return this.#ring.subarray(0, this.#total);
    const at = this.#total % size;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }
}

/** In UTF-8 only the first byte of a character does not start with the bits 10. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
