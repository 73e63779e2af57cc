import { askPermission } from "../turn/ask-permission.ts";
import type { CommandEnd, TerminalExit } from "../turn/client.ts";
import { type RunningCommands, signalGroup } from "../turn/running-commands.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";

/** A shell command, after a question: in the client's terminal where there is one, else in a process of our own. */
export async function runAsked(turn: Turn, command: string): Promise<CommandEnd | "rejected" | "read-only"> {
  const rawInput = { command, cwd: turn.cwd };
  const tool = new ToolCall(turn, { title: command, name: "run", kind: "execute", rawInput });
  const permission = await askPermission(turn, tool, "execute");
  if (permission !== "allowed") {
    tool.fail(permission === "rejected" ? "Rejected." : "Commands are off in read-only mode.");
    return permission === "rejected" ? "rejected" : "read-only";
  }
  const start = turn.context.client.capabilities.terminal ? runInTerminal : runWithOutput;
  return start(turn, tool, command);
}

const TERMINAL_OUTPUT_BYTES_MAX = 256 * 1024;

/** A terminal of the client's, shown inside the tool call; killed at a cancel and released in any case. */
export async function runInTerminal(turn: Turn, tool: ToolCall, command: string): Promise<CommandEnd> {
  const { client, session, commands } = turn.context;
  const terminalId = await client.createTerminal({
    sessionId: session.id,
    command: "/bin/sh",
    args: ["-c", command],
    cwd: turn.cwd,
    // A client may hand on the environment it gave to us.
    ...(commands.secret !== undefined && { env: [{ name: commands.secret, value: "" }] }),
    outputByteLimit: TERMINAL_OUTPUT_BYTES_MAX,
  });
  const content = [{ type: "terminal" as const, terminalId }];
  try {
    tool.run({ content });
    const exit = await client.waitForExit(session.id, terminalId, turn.signal);
    const { output, truncated } = await client.terminalOutput(session.id, terminalId, turn.signal);
    const patch = { content, rawOutput: { output, truncated, ...exit } };
    if (exit.exitCode === 0) tool.complete(patch);
    else tool.failWith(patch);
    return { ...exit, output };
  } finally {
    if (turn.signal.aborted) await client.killTerminal(session.id, terminalId);
    await client.releaseTerminal(session.id, terminalId);
  }
}

const OUTPUT_CHARACTERS_MAX = 64 * 1024;
/** Each update carries the whole output, so they come at most this often. */
const OUTPUT_UPDATE_MS = 100;

/** The agent's own process; its output grows inside the tool call. */
async function runWithOutput(turn: Turn, tool: ToolCall, command: string): Promise<CommandEnd> {
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
      signal: turn.signal,
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
/** A process that left the group may hold the pipe; its output is not waited for longer than this. */
const OUTPUT_DRAIN_MS = 250;
/**
 * The outer shell joins stderr to stdout, so that lines keep their order, and leaves a watcher in the group: stdin is a
 * pipe of ours, and when a killed agent lets go of it, the watcher takes the whole group along.
 */
const WATCHED = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -9 0) >/dev/null 2>&1 & exec /bin/sh -c "$1" 2>&1 3<&-';

/** One command line in its own process group: output as it comes, nothing left behind at its end or at an abort. */
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
  const output = readAll(child.stdout, onOutput);
  try {
    await child.exited;
    return { exitCode: child.exitCode, signal: child.signalCode === null ? null : String(child.signalCode) };
  } finally {
    signal.removeEventListener("abort", stop);
    signalGroup(group, "SIGKILL");
    commands.remove(group);
    await output.finish();
  }
}

function readAll(stream: ReadableStream<Uint8Array>, onOutput: (bytes: Uint8Array) => void) {
  const reader = stream.getReader();
  const done = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) onOutput(next.value);
  })();
  return {
    async finish(): Promise<void> {
      const timer = setTimeout(() => reader.cancel().catch(reportLate), OUTPUT_DRAIN_MS);
      await done.finally(() => clearTimeout(timer));
    },
  };
}

function reportLate(error: unknown): void {
  process.stderr.write(`liminal-guide: closing a command's output failed: ${String(error)}\n`);
}

/** The end of an output is what matters, so the beginning goes first; UTF-8 is never cut in two. */
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
