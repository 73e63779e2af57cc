import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import type { NewTerminal, ProjectTerminals } from "../ports/terminals.ts";
import { isoTime, type World } from "../ports/world.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import { PROJECT_TERMINALS_MAX, TERMINAL_CREDIT_BYTES, TERMINAL_KEPT_BYTES_MAX } from "../protocol/limits.ts";
import { type TerminalId, TerminalInfo } from "../protocol/terminals.ts";
import { endSession, type Leader } from "./holder/end-session.ts";
import type { TerminalOrders } from "./holder/terminal-holder.ts";
import { type Hello, TerminalLink } from "./terminal-link.ts";

const INFO_FILE = "terminal.json";
/** The system's limit for the path of a socket. */
const SOCKET_PATH_BYTES_MAX = 100;
const ID_CHARS = 13;
/** Terminals whose program has ended keep their last screen; of more, the oldest is closed. */
const ENDED_TERMINALS_MAX = 10;
/** A holder that has not ended by then is killed. */
const CLOSE_MS_MAX = 10_000;
/**
 * Its heap is small: more threads that collect garbage cost more than they save. Output is given back at once but counts
 * until the next collection, so a collection at less than this would find nothing.
 */
const ENGINE = {
  BUN_JSC_numberOfGCMarkers: "1",
  BUN_JSC_useConcurrentGC: "0",
  BUN_JSC_smallHeapSize: String(8 * 1024 * 1024),
  /** Memory that is given back goes to the system at once: 0.7 MB less after a flood. */
  MIMALLOC_PURGE_DELAY: "0",
};
const COLUMNS = 80;
const ROWS = 24;

interface HeldTerminalsDeps {
  readonly world: World;
  /** One directory for each terminal: its socket, and its description. */
  readonly dir: string;
  /** Without a server for this long, a terminal ends. */
  readonly holdMs: number;
  /** The command that starts a holder. */
  readonly holder: readonly string[];
  /** Of the user, without our own secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts a process that outlives the server. Returns what a failed one wrote, else null. */
  readonly launch: (holder: {
    readonly command: readonly string[];
    readonly dir: string;
    readonly env: Readonly<Record<string, string>>;
    readonly orders: TerminalOrders;
  }) => Promise<string | null>;
  readonly onError: (error: unknown) => void;
}

interface Held {
  info: TerminalInfo;
  readonly dir: string;
  readonly link: TerminalLink;
  readonly holderPid: number;
  readonly leader: Leader;
  readonly gone: PromiseWithResolvers<void>;
  isClosing: boolean;
}

/** The terminals of projects, each under a process of its own. */
export class HeldTerminals implements ProjectTerminals {
  readonly #deps: HeldTerminalsDeps;
  readonly #held = new Map<TerminalId, Held>();
  readonly #listeners = new Set<(terminal: TerminalInfo) => void>();
  /** Being started: they count, too. */
  #starting = 0;
  #isLeaving = false;

  constructor(deps: HeldTerminalsDeps) {
    this.#deps = deps;
  }

  /** Connects to the terminals of an earlier server, and ends what is left of those without a holder. */
  async resume(): Promise<void> {
    mkdirSync(this.#deps.dir, { recursive: true, mode: 0o700 });
    const names = readdirSync(this.#deps.dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    await Promise.all(names.map(({ name }) => this.#resume(name)));
  }

  get status(): { readonly open: number; readonly running: number } {
    const running = [...this.#held.values()].filter(({ info }) => info.end === null).length;
    return { open: this.#held.size, running };
  }

  list(): readonly TerminalInfo[] {
    return [...this.#held.values()]
      .map(({ info }) => info)
      .sort((one, other) => one.startedAt.localeCompare(other.startedAt));
  }

  async open(terminal: NewTerminal): Promise<TerminalInfo> {
    const { world, dir: root, holdMs, env } = this.#deps;
    if (this.status.running + this.#starting >= PROJECT_TERMINALS_MAX)
      throw new RefusalError(REFUSE.limitExceeded("open terminals", PROJECT_TERMINALS_MAX));
    requireDirectory(terminal.cwd);
    const terminalId = world.newId().slice(0, ID_CHARS);
    const dir = join(root, terminalId);
    if (Buffer.byteLength(join(dir, "socket")) > SOCKET_PATH_BYTES_MAX)
      throw new RefusalError(
        REFUSE.commandFailed(
          `The path ${root} is too long for a socket. Set LIMINAL_DATA_DIR to a shorter path to open terminals.`,
        ),
      );
    const command = terminal.command ?? shellOf(env);
    const { columns = COLUMNS, rows = ROWS } = terminal;
    const info: TerminalInfo = {
      terminalId,
      projectId: terminal.projectId,
      worktreeId: terminal.worktreeId,
      kind: terminal.kind,
      title: terminal.title === "" ? basename(command[0] ?? "") : terminal.title,
      cwd: terminal.cwd,
      startedAt: isoTime(world),
      end: null,
      columns,
      rows,
    };
    this.#starting++;
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      writeFileSync(join(dir, INFO_FILE), JSON.stringify(info), { mode: 0o600 });
      await this.#launch({
        dir,
        terminalId,
        command,
        cwd: terminal.cwd,
        env: { ...env, ...terminal.env, TERM: "xterm-256color", COLORTERM: "truecolor" },
        columns,
        rows,
        holdMs,
        keptBytesMax: TERMINAL_KEPT_BYTES_MAX,
        creditBytes: TERMINAL_CREDIT_BYTES,
        withDaemons: terminal.kind !== "shell",
      });
      await this.#connect(dir, info);
    } catch (error) {
      rmSync(dir, { recursive: true, force: true });
      throw error;
    } finally {
      this.#starting--;
    }
    this.#changed(info);
    return info;
  }

  input(terminalId: TerminalId, data: string): boolean {
    const held = this.#held.get(terminalId);
    held?.link.input(data);
    return held !== undefined;
  }

  resize(terminalId: TerminalId, columns: number, rows: number): boolean {
    const held = this.#held.get(terminalId);
    if (!held) return false;
    if (held.info.columns === columns && held.info.rows === rows) return true;
    held.link.resize({ columns, rows });
    held.info = { ...held.info, columns, rows };
    this.#changed(held.info);
    return true;
  }

  async close(terminalId: TerminalId): Promise<boolean> {
    const held = this.#held.get(terminalId);
    if (!held) return false;
    if (!held.isClosing) held.link.close();
    held.isClosing = true;
    const insist = setTimeout(() => kill(held.holderPid), CLOSE_MS_MAX);
    await held.gone.promise;
    clearTimeout(insist);
    return true;
  }

  async attach(
    terminalId: TerminalId,
    after: number | null,
    listener: Parameters<ProjectTerminals["attach"]>[2],
  ): ReturnType<ProjectTerminals["attach"]> {
    const held = this.#held.get(terminalId);
    if (!held) throw new RefusalError(REFUSE.terminalNotFound());
    try {
      const { link, attached } = await TerminalLink.read(held.dir, after, listener);
      return {
        terminal: held.info,
        ...attached,
        reader: {
          acknowledged: (offset) => link.acknowledge(offset),
          [Symbol.dispose]: () => link.end(),
        },
      };
    } catch (error) {
      if (this.#held.has(terminalId)) throw error;
      throw new RefusalError(REFUSE.terminalNotFound());
    }
  }

  onChanged(listener: (terminal: TerminalInfo) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Closes every terminal. */
  async stop(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((terminalId) => this.close(terminalId)));
  }

  /** Leaves them to the next server. */
  leave(): void {
    this.#isLeaving = true;
    for (const { link } of this.#held.values()) link.end();
  }

  async #launch(orders: TerminalOrders): Promise<void> {
    const { dir, command } = orders;
    const problem = await this.#deps.launch({
      command: this.#deps.holder,
      dir,
      env: { ...orders.env, ...ENGINE },
      orders,
    });
    if (problem === null) return;
    const reason = problem.trim().split("\n").at(-1);
    throw new RefusalError(REFUSE.commandFailed(`${command[0]} could not be started in a terminal. ${reason}`));
  }

  #changed(terminal: TerminalInfo): void {
    for (const listener of this.#listeners) listener(terminal);
  }

  async #resume(name: string): Promise<void> {
    const dir = join(this.#deps.dir, name);
    const info = readInfo(dir);
    if (info?.terminalId === name) {
      try {
        await this.#connect(dir, info);
        return;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
      }
      await endLeftovers(dir);
    }
    rmSync(dir, { recursive: true, force: true });
  }

  async #connect(dir: string, info: TerminalInfo): Promise<void> {
    const { terminalId } = info;
    const { link, hello } = await TerminalLink.control(dir, {
      onEnded: (end) => {
        const held = this.#held.get(terminalId);
        if (!held) return;
        held.info = { ...held.info, end: this.#endOf(end) };
        this.#changed(held.info);
        this.#dropEnded();
      },
      onClosed: () => void this.#lost(terminalId).catch(this.#deps.onError),
    });
    if (hello.terminalId !== terminalId) {
      link.end();
      throw new Error("the socket belongs to another terminal");
    }
    const { columns, rows, end, pid } = hello;
    const leader = leaderOf(hello, info);
    writeFileSync(join(dir, LEADER_FILE), JSON.stringify(leader), { mode: 0o600 });
    this.#held.set(terminalId, {
      info: { ...info, columns, rows, end: end && this.#endOf(end) },
      dir,
      link,
      holderPid: pid,
      leader,
      gone: Promise.withResolvers(),
      isClosing: false,
    });
  }

  /** Its holder has ended: as it was told to, or killed. Then what ran in it is ended here. */
  async #lost(terminalId: TerminalId): Promise<void> {
    const held = this.#held.get(terminalId);
    if (!held || this.#isLeaving) return;
    await endSession(held.leader);
    rmSync(held.dir, { recursive: true, force: true });
    this.#held.delete(terminalId);
    held.gone.resolve();
    this.#changed({ ...held.info, end: held.info.end ?? { exitCode: null, at: isoTime(this.#deps.world) } });
  }

  #endOf({ exitCode, agoMs }: NonNullable<Hello["end"]>): NonNullable<TerminalInfo["end"]> {
    return { exitCode, at: new Date(this.#deps.world.now() - agoMs).toISOString() };
  }

  #dropEnded(): void {
    const ended = this.list().filter(({ end }) => end !== null);
    const oldest = ended.sort((one, other) => (one.end?.at ?? "").localeCompare(other.end?.at ?? ""));
    for (const { terminalId } of oldest.slice(0, -ENDED_TERMINALS_MAX))
      this.close(terminalId).catch(this.#deps.onError);
  }
}

const LEADER_FILE = "program.json";

function leaderOf({ programPid, programStarted }: Hello, { terminalId, kind }: TerminalInfo): Leader {
  return { pid: programPid, started: programStarted, mark: terminalId, withDaemons: kind !== "shell" };
}

/** The holder was killed while there was no server. */
async function endLeftovers(dir: string): Promise<void> {
  const stored = readJson(join(dir, LEADER_FILE));
  const leader = typeof stored === "object" && stored !== null ? (stored as Partial<Leader>) : {};
  const { pid, started, mark, withDaemons } = leader;
  if (typeof pid !== "number" || pid < 2 || typeof mark !== "string") return;
  await endSession({
    pid,
    started: typeof started === "string" ? started : null,
    mark,
    withDaemons: withDaemons === true,
  });
}

function readInfo(dir: string): TerminalInfo | null {
  return TerminalInfo.safeParse(readJson(join(dir, INFO_FILE))).data ?? null;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return null;
    throw error;
  }
}

/** The user's own shell. On macOS a terminal starts it as a login shell. */
function shellOf({ SHELL: shell }: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (shell === undefined || !isAbsolute(shell) || !isExecutable(shell)) return ["/bin/sh"];
  return process.platform === "darwin" ? [shell, "-l"] : [shell];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

function requireDirectory(path: string): void {
  const words = `There is no directory ${path} any more. Restore it, or open the terminal somewhere else.`;
  try {
    if (statSync(path).isDirectory()) return;
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  throw new RefusalError(REFUSE.projectPathInvalid(words));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}
