import type { ServerMessage } from "../protocol/server-messages.ts";
import type { TerminalOutputFrame } from "../protocol/terminal-frames.ts";
import { TERMINAL_CELLS_MAX, TERMINAL_INPUT_CHARS_MAX, type TerminalInfo } from "../protocol/terminals.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findOrAddProject } from "./find-project.ts";
import { findSession } from "./find-session.ts";
import { print, printNote } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, table, untilInterrupted } from "./terminal.ts";
import { worktreeHere } from "./worktrees.ts";

/** Ctrl-], as telnet has it: no shell and hardly a program uses it. */
const LEAVE = "\x1d";
const SIZE_MIN = 2;
const RESET = Buffer.from("\x1bc");
/** Makes room as a reset does, but keeps what the user's own terminal has scrolled away. */
const FRESH_SCREEN = "\x1b[!p\x1b[H\x1b[2J";
/** Puts the user's own terminal back, whatever the program in ours had set. */
const BACK =
  "\x1b[?1049l\x1b[!p\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b>\x1b[?25h\x1b[0m\r\n";

const COLUMNS: readonly Column[] = [
  { title: "ID" },
  { title: "TITLE", ...CUT, style: "cyan" },
  { title: "STATE" },
  { title: "DIRECTORY" },
];

/** A terminal of the server in this one: a new one, or one that is open. */
export async function term(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  if (line.has("list")) {
    list(line, await terminalsOf(link));
    return EXIT.done;
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY || line.json)
    throw wrongUsage(line, "A terminal can only be shown in a terminal. List them with: liminal term --list");
  const wanted = line.text("attach");
  const terminalId = wanted === undefined ? await open(line, link) : find(await terminalsOf(link), wanted).terminalId;
  const end = await new Shown(link, terminalId).run();
  if (end.kind === "left")
    printNote(`Left the terminal; it keeps running. Back to it with: liminal term --attach ${terminalId}`);
  else printNote(`The terminal has ended${end.exitCode === null ? "" : ` with exit code ${end.exitCode}`}.`);
  if (end.kind === "ended" && wanted === undefined) await link.act({ type: "terminal:close", terminalId });
  return EXIT.done;
}

function list(line: CommandLine, terminals: readonly TerminalInfo[]): void {
  const stateOf = ({ end }: TerminalInfo) =>
    end === null ? "running" : end.exitCode === null ? "ended" : `ended (${end.exitCode})`;
  const rows = terminals.map((terminal) => [terminal.terminalId, terminal.title, stateOf(terminal), terminal.cwd]);
  const none = "No terminals are open. Open one with: liminal term";
  print(line, { terminals }, rows.length === 0 ? none : table(COLUMNS, rows, line.screen));
}

async function terminalsOf(link: ServerLink): Promise<readonly TerminalInfo[]> {
  return (await link.ask("terminal:list", { type: "terminal:list" })).terminals;
}

function find(terminals: readonly TerminalInfo[], wanted: string): TerminalInfo {
  const found = terminals.filter(({ terminalId }) => terminalId.startsWith(wanted));
  const [only] = found;
  if (only && found.length === 1) return only;
  const problem = only ? `${found.length} terminals begin with "${wanted}".` : `No terminal "${wanted}" is open.`;
  throw new CliError(EXIT.failed, `${problem} List them with: liminal term --list`, "TERMINAL_NOT_FOUND");
}

async function open(line: CommandLine, link: ServerLink): Promise<string> {
  const session = line.text("session");
  const worktree = line.text("worktree");
  if (session !== undefined && (worktree !== undefined || line.args.length > 0))
    throw wrongUsage(line, "--session says where the session works: leave out the project and --worktree.");
  const place =
    session === undefined
      ? await projectOrWorktree(link, line.args[0], worktree)
      : { sessionId: await findSession(link, session) };
  return (await link.ask("terminal:opened", { type: "terminal:open", ...place, ...ownSize() })).terminalId;
}

async function projectOrWorktree(link: ServerLink, project: string | undefined, name: string | undefined) {
  const here = project === undefined ? await worktreeHere(link) : null;
  if (here !== null && name === undefined) return { worktreeId: here.worktree.worktreeId };
  const { id: projectId } = here?.project ?? (await findOrAddProject(link, project ?? "."));
  if (name === undefined) return { projectId };
  const { worktrees } = await link.ask("worktree:list", { type: "worktree:list", projectId });
  const found = worktrees.find((worktree) => worktree.name === name || worktree.worktreeId === name);
  if (found) return { worktreeId: found.worktreeId };
  const names = worktrees.map((worktree) => worktree.name).join(", ") || "none";
  throw new CliError(EXIT.failed, `No worktree "${name}" in this project. There are: ${names}`, "WORKTREE_NOT_FOUND");
}

function ownSize(): { columns: number; rows: number } {
  const within = (cells: number) => Math.min(TERMINAL_CELLS_MAX, Math.max(SIZE_MIN, cells));
  return { columns: within(process.stdout.columns), rows: within(process.stdout.rows) };
}

type End = { readonly kind: "left" } | { readonly kind: "ended"; readonly exitCode: number | null };

/** The terminal on this screen, until the user leaves it or its program ends. */
class Shown {
  readonly #link: ServerLink;
  readonly #terminalId: string;
  readonly #over = Promise.withResolvers<End>();
  #offset: number | undefined;

  constructor(link: ServerLink, terminalId: string) {
    this.#link = link;
    this.#terminalId = terminalId;
  }

  async run(): Promise<End> {
    using _messages = this.#link.listen((message) => this.#received(message));
    using _output = this.#link.listenToOutput((output) => this.#show(output));
    await this.#attach();
    const typed = (data: Buffer) => this.#typed(data.toString());
    const resized = () => this.#tell({ type: "terminal:resize", terminalId: this.#terminalId, ...ownSize() });
    process.stdin.setRawMode(true);
    process.stdin.on("data", typed);
    process.stdout.on("resize", resized);
    resized();
    const interrupted = untilInterrupted().then((): End => ({ kind: "left" }));
    try {
      return await Promise.race([this.#over.promise, interrupted, this.#link.lost]);
    } finally {
      process.stdin.off("data", typed);
      process.stdout.off("resize", resized);
      process.stdin.setRawMode(false);
      process.stdin.pause();
      process.stdout.write(BACK);
    }
  }

  /** Also after the server was started again: the output continues where it was. */
  async #attach(): Promise<void> {
    const terminalId = this.#terminalId;
    const attached = await this.#link.ask("terminal:attached", {
      type: "terminal:attach",
      terminalId,
      output: "binary",
      ...(this.#offset !== undefined && { after: this.#offset }),
    });
    if (attached.prelude !== "") process.stdout.write(keepScrolled(attached.prelude));
    this.#offset ??= attached.offset;
  }

  #received(message: ServerMessage): void {
    if (message.type === "hello") {
      this.#attach().catch((error) => this.#over.reject(error));
      return;
    }
    if (!("terminalId" in message) || message.terminalId !== this.#terminalId) return;
    if (message.type === "terminal:exited") this.#over.resolve({ kind: "ended", exitCode: message.exitCode });
    if (message.type !== "terminal:output") return;
    // Of a server that is older than binary frames.
    const { terminalId, data, offset = 0, skipped = 0 } = message;
    this.#show({ terminalId, bytes: Buffer.from(data), offset, skipped });
  }

  #show({ terminalId, bytes, offset, skipped }: Omit<TerminalOutputFrame, "size">): void {
    if (terminalId !== this.#terminalId) return;
    this.#offset = offset;
    process.stdout.write(skipped === 0 ? bytes : keepScrolled(bytes), () =>
      this.#tell({ type: "terminal:ack", terminalId, offset }),
    );
  }

  #typed(text: string): void {
    const leave = text.indexOf(LEAVE);
    const data = leave === -1 ? text : text.slice(0, leave);
    for (let at = 0; at < data.length; at += TERMINAL_INPUT_CHARS_MAX)
      this.#tell({
        type: "terminal:input",
        terminalId: this.#terminalId,
        data: data.slice(at, at + TERMINAL_INPUT_CHARS_MAX),
      });
    if (leave !== -1) this.#over.resolve({ kind: "left" });
  }

  #tell(message: Parameters<ServerLink["act"]>[0]): void {
    this.#link.act(message).catch((error) => this.#over.reject(error));
  }
}

function keepScrolled(output: string | Uint8Array): Buffer {
  const bytes = Buffer.from(output);
  return bytes.subarray(0, RESET.byteLength).equals(RESET)
    ? Buffer.concat([Buffer.from(FRESH_SCREEN), bytes.subarray(2)])
    : bytes;
}
