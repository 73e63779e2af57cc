import { StreamDrain } from "../../src/lib/stream-drain.ts";
import type { BackgroundCommand } from "../sessions/session.ts";
import { askPermission } from "../turn/ask-permission.ts";
import type { CommandEnd, TerminalExit } from "../turn/client.ts";
import { type RunningCommands, signalGroup } from "../turn/running-commands.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";

export const COMMAND_MS_DEFAULT = 10 * 60_000;
export const COMMAND_MS_MAX = 60 * 60_000;

/** How a command ended, and whether by its time limit. */
type LimitedEnd = CommandEnd & { readonly isLate: boolean };

/** Runs a shell command after asking: in the client's terminal if it has one, else in our own process. */
export async function runAsked(
  turn: Turn,
  command: string,
  limitMs = COMMAND_MS_DEFAULT,
): Promise<LimitedEnd | "rejected" | "read-only"> {
  const rawInput = { command, cwd: turn.cwd };
  const tool = new ToolCall(turn, { title: command, name: "run", kind: "execute", rawInput });
  const permission = await askPermission(turn, tool, "execute");
  if (permission !== "allowed") {
    tool.fail(permission === "rejected" ? "Rejected." : "Commands are off in read-only mode.");
    return permission === "rejected" ? "rejected" : "read-only";
  }
  const late = AbortSignal.timeout(Math.min(limitMs, COMMAND_MS_MAX));
  const start = turn.context.client.capabilities.terminal ? runInTerminal : runWithOutput;
  const end = await start(turn, tool, command, late);
  return { ...end, isLate: late.aborted && end.exitCode !== 0 };
}

/** Starts a command that outlives the turn; it ends with the session. */
export async function startAsked(turn: Turn, command: string): Promise<string | "rejected" | "read-only"> {
  const rawInput = { command, cwd: turn.cwd, background: true };
  const tool = new ToolCall(turn, { title: `${command} (in the background)`, name: "run", kind: "execute", rawInput });
  const permission = await askPermission(turn, tool, "execute");
  if (permission !== "allowed") {
    tool.fail(permission === "rejected" ? "Rejected." : "Commands are off in read-only mode.");
    return permission === "rejected" ? "rejected" : "read-only";
  }
  const { session, commands } = turn.context;
  const running = [...session.background.values()].filter(({ end }) => end === undefined).length;
  if (running >= BACKGROUND_COMMANDS_MAX) {
    tool.fail(`${BACKGROUND_COMMANDS_MAX} commands run in the background already.`);
    return "rejected";
  }
  const id = `bg${session.background.size + 1}`;
  const tail = new OutputTail(OUTPUT_CHARACTERS_MAX);
  const stop = new AbortController();
  const stopWithSession = () => stop.abort();
  session.closed.then(stopWithSession, stopWithSession);
  const ended = runCommand({
    command,
    cwd: turn.cwd,
    signal: stop.signal,
    commands,
    onOutput: (bytes) => tail.push(bytes),
  });
  const started: BackgroundCommand = {
    command,
    end: undefined,
    output: () => tail.text,
    stop: () => stop.abort(),
    ended: ended.then((end) => {
      started.end = end;
    }, reportLate),
  };
  session.background.set(id, started);
  tool.complete({ content: [textContent(`Started as ${id}.`)], rawOutput: { id } });
  return id;
}

const BACKGROUND_COMMANDS_MAX = 16;

const TERMINAL_OUTPUT_BYTES_MAX = 256 * 1024;

/** Runs in the client's terminal, embedded in the tool call; killed at a cancel and always released. */
export async function runInTerminal(
  turn: Turn,
  tool: ToolCall,
  command: string,
  late?: AbortSignal,
): Promise<CommandEnd> {
  const { client, session, commands } = turn.context;
  const terminalId = await client.createTerminal({
    sessionId: session.id,
    command: "/bin/sh",
    args: ["-c", command],
    cwd: turn.cwd,
    // A client may pass on the environment it gave to us.
    ...(commands.secret !== undefined && { env: [{ name: commands.secret, value: "" }] }),
    outputByteLimit: TERMINAL_OUTPUT_BYTES_MAX,
  });
  const content = [{ type: "terminal" as const, terminalId }];
  // The wait for its exit then ends.
  const kill = () => client.killTerminal(session.id, terminalId).catch(reportLate);
  late?.addEventListener("abort", kill, { once: true });
  try {
    tool.run({ content });
    const exit = await client.waitForExit(session.id, terminalId, turn.signal);
    const { output, truncated } = await client.terminalOutput(session.id, terminalId, turn.signal);
    const patch = { content, rawOutput: { output, truncated, ...exit } };
    if (exit.exitCode === 0) tool.complete(patch);
    else tool.failWith(patch);
    return { ...exit, output };
  } finally {
    late?.removeEventListener("abort", kill);
    if (turn.signal.aborted) await client.killTerminal(session.id, terminalId);
    await client.releaseTerminal(session.id, terminalId);
  }
}

const OUTPUT_CHARACTERS_MAX = 64 * 1024;
/** Each update carries the whole output, so they are sent at most this often. */
const OUTPUT_UPDATE_MS = 100;

/** Runs in a process of the agent; the output grows inside the tool call. */
async function runWithOutput(turn: Turn, tool: ToolCall, command: string, late: AbortSignal): Promise<CommandEnd> {
  const { commands } = turn.context;
  const tail = new OutputTail(OUTPUT_CHARACTERS_MAX);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = () => {
    timer = undefined;
    if (turn.signal.aborted) return;
    shownAt = turn.context.world.now();
    tool.progress({ content: [textContent(tail.text)] });
  };
  tool.run();
  try {
    const exit = await runCommand({
      command,
      cwd: turn.cwd,
      signal: AbortSignal.any([turn.signal, late]),
      commands,
      onOutput: (bytes) => {
        tail.push(bytes);
        timer ??= setTimeout(show, Math.max(0, shownAt + OUTPUT_UPDATE_MS - turn.context.world.now()));
      },
    });
    turn.signal.throwIfAborted();
    const patch = {
      content: [textContent(tail.text)],
      rawOutput: { output: tail.text, truncated: tail.truncated, ...exit },
    };
    if (exit.exitCode === 0) tool.complete(patch);
    else tool.failWith(patch);
    return { ...exit, output: tail.text };
  } finally {
    clearTimeout(timer);
  }
}

/** From SIGTERM to SIGKILL for a command that does not stop by itself. */
const STOP_GRACE_MS = 1_000;
/** A process that left the group may hold the pipe; its output is not awaited for longer than this. */
const OUTPUT_DRAIN_MS = 250;
/**
 * The outer shell redirects stderr to stdout, so that lines keep their order, and leaves a watcher in the group: stdin
 * is our pipe, and when a killed agent closes it, the watcher kills the whole group.
 */
const WATCHED = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -9 0) >/dev/null 2>&1 & exec /bin/sh -c "$1" 2>&1 3<&-';

/**
 * Runs one command line in its own process group, streams its output, and leaves nothing running at its end or at an
 * abort.
 */
async function runCommand(options: {
  command: string;
  cwd: string;
  signal: AbortSignal;
  commands: RunningCommands;
  onOutput: (bytes: Uint8Array) => void;
}): Promise<TerminalExit> {
  const { command, cwd, signal, commands, onOutput } = options;
  const child = Bun.spawn(["/bin/sh", "-c", WATCHED, "sh", command], {
    cwd,
    env: { ...commands.env },
    detached: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const group = child.pid;
  commands.add(group);
  const stop = () => {
    signalGroup(group, "SIGTERM");
    const timer = setTimeout(() => signalGroup(group, "SIGKILL"), STOP_GRACE_MS);
    child.exited.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    );
  };
  signal.addEventListener("abort", stop, { once: true });
  const output = new StreamDrain(child.stdout, onOutput);
  try {
    await child.exited;
    return { exitCode: child.exitCode, signal: child.signalCode === null ? null : String(child.signalCode) };
  } finally {
    signal.removeEventListener("abort", stop);
    signalGroup(group, "SIGKILL");
    commands.remove(group);
    await output.endWithin(OUTPUT_DRAIN_MS);
  }
}

function reportLate(error: unknown): void {
  process.stderr.write(`liminal-guide: closing a command's output failed: ${String(error)}\n`);
}

/** Keeps the end of an output, which matters most; never splits a UTF-8 character. */
class OutputTail {
  readonly #charactersMax: number;
  readonly #decoder = new TextDecoder();
  #text = "";
  #dropped = 0;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  push(bytes: Uint8Array): void {
    this.#text += this.#decoder.decode(bytes, { stream: true });
    const excess = this.#text.length - this.#charactersMax;
    if (excess <= 0) return;
    this.#dropped += excess;
    this.#text = this.#text.slice(excess);
  }

  get truncated(): boolean {
    return this.#dropped > 0;
  }

  get text(): string {
    return this.truncated ? `[${this.#dropped} characters left out]\n${this.#text}` : this.#text;
  }
}
