import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ClientFiles } from "../agents/client/client-files.ts";
import { type HolderLimits, holdersFit, prepareHolder, readLabel, runHolder } from "../agents/holder/holder-files.ts";
import { HolderSocket, journalBytes } from "../agents/holder/holder-socket.ts";
import { agentEnvironment, joinPaths, loginPath } from "../agents/process/agent-environment.ts";
import { OWNER_VARIABLE } from "../agents/process/sweep-leftovers.ts";
import { ignore } from "../lib/ignore.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { World } from "../ports/world.ts";
import { RefusalError } from "../protocol/errors.ts";
import { listDirectory } from "../workspace/directory-listing.ts";
import { FileSearch } from "../workspace/file-search.ts";
import { completeDirectory, findDirectory } from "../workspace/typed-directory.ts";
import { ClaimRefusedError, claim } from "./claim.ts";
import {
  type AnswerTo,
  type Ask,
  commonVersion,
  type FromRunner,
  FromServer,
  type RefusalCode,
  type Start,
  type ToolRelay,
  versionOfPart,
  WORKSPACE_VERSION,
  WORKTREES_VERSION,
  type Workspace,
  type WorkspaceEvent,
} from "./contract.ts";
import { checkDirectory, type Fence, type FencedProcess, fenced } from "./fence.ts";
import { BrokenFrameError, CONTROL, encodeFrame, FrameReader, OPENING, piecesOf } from "./frames.ts";
import { RunnerWorkspace } from "./runner-workspace.ts";
import { ToolSocket } from "./tool-socket.ts";

/** More unsent output than this, and nothing is read from holders: it stays in their journals. */
const UNSENT_BYTES_MAX = 1024 * 1024;
/** A holder that another runner was starting when it was ended listens by then. */
const LISTEN_TRIES_MAX = 30;
const LISTEN_TRY_MS = 100;

interface RunnerOptions {
  /** Contains one directory per server. */
  readonly dir: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly release: string;
  readonly versions: readonly number[];
  /** The command that starts a holder. */
  readonly holder: readonly string[];
  /** The command that starts the holder of a terminal. */
  readonly terminalHolder: readonly string[];
  /** The command of the built-in agent. */
  readonly builtin: readonly string[];
  /** Starts the program that leads agents to the tools of their server. */
  readonly toolRelay: ToolRelay;
  /** Around every agent; null for none. */
  readonly fence: {
    readonly rules: Fence /** What our own programs read. */;
    readonly programs: readonly string[];
  } | null;
  readonly world: World;
  /** `done` is called once the bytes have left this process. */
  readonly write: (bytes: Uint8Array, done: () => void) => void;
  /** Nothing more is served. */
  readonly exit: () => void;
}

/** Whom it serves. */
interface ServerOfRunner {
  readonly id: string;
  readonly held: string;
  readonly version: number;
}

interface OpenChannel {
  readonly process: string;
  /** Null until its holder is connected. */
  socket: HolderSocket | null;
  isClosed: boolean;
}

/**
 * Serves one server on one machine: starts agents under holders, passes on the bytes between holders and server, and
 * answers about files. Holders outlive it, so that a cut channel ends nothing.
 */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #frames: FrameReader;
  readonly #channels = new Map<number, OpenChannel>();
  readonly #files: FileSearch;
  #server: ServerOfRunner | null = null;
  #workspace: Promise<RunnerWorkspace> | null = null;
  #tools: ToolSocket | null = null;
  #isGreeted = false;
  #unsentBytes = 0;
  #isReading = true;
  #loginPath: Promise<string | null> | null = null;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#files = new FileSearch({ world: options.world, onError: ignore("the next search lists the files again") });
    this.#frames = new FrameReader(({ channel, bytes }) => this.#received(channel, bytes));
  }

  /** A login shell may have printed something before. */
  begin(): void {
    this.#write(new TextEncoder().encode(OPENING));
  }

  receive(bytes: Uint8Array): void {
    try {
      this.#frames.push(bytes);
    } catch (error) {
      if (!(error instanceof BrokenFrameError)) throw error;
      this.#refuse("INVALID", `The runner got unreadable data: ${error.message}. Connect again.`);
    }
  }

  #received(channel: number, bytes: Uint8Array): void {
    if (channel !== CONTROL) {
      this.#channels.get(channel)?.socket?.write(new Uint8Array(bytes));
      return;
    }
    const message = FromServer.safeParse(parseJson(new TextDecoder().decode(bytes)));
    if (!message.success)
      this.#refuse("INVALID", "The runner got a message that is not in its contract. Update both sides.");
    else this.#handle(message.data).catch((error: unknown) => this.#refuse("INVALID", errorText(error)));
  }

  async #handle(message: FromServer): Promise<void> {
    if (message.type === "hello") return this.#greet(message);
    if (this.#server === null) return this.#refuse("INVALID", "The first message must be hello.");
    if (this.#server.version < versionOf(message))
      return this.#refuse("INVALID", "The runner got a message of a later version than was agreed on.");
    switch (message.type) {
      case "open":
        return this.#open(message.channel, message.process, message.start, this.#server.held);
      case "close":
        return this.#close(message.channel);
      case "kill":
        for (const { process, socket } of this.#channels.values())
          if (process === message.process) socket?.killHolder();
        return;
      case "remove":
        if (![...this.#channels.values()].some(({ process }) => process === message.process))
          rmSync(join(this.#server.held, message.process), { recursive: true, force: true });
        return;
      case "ask":
        return this.#answer(message.id, message.ask);
      case "workspace":
        this.#workspace ??= this.#openWorkspace(message.workspace, this.#server);
        return;
      case "watched":
        (await this.#workspace)?.watch(message.places);
        return;
      case "tools:answer":
        this.#tools?.answered(message);
        return;
      default:
        return message satisfies never;
    }
  }

  async #greet({ versions, server, epoch, tools = false }: Extract<FromServer, { type: "hello" }>): Promise<void> {
    if (this.#isGreeted) return this.#refuse("INVALID", "hello was sent twice.");
    this.#isGreeted = true;
    const { dir, release, home } = this.#options;
    const version = commonVersion(this.#options.versions, versions);
    if (version === null)
      return this.#refuse(
        "VERSION",
        `The runner has release ${release}, which is too far from the server's. Install the server's release there.`,
      );
    // A short name: socket paths have a limit.
    const held = join(dir, server, "h");
    if (!holdersFit(held))
      return this.#refuse(
        "PATH_TOO_LONG",
        `The path ${dir} is too long for a socket. Set LIMINAL_RUNNER_DIR there to a shorter one.`,
      );
    try {
      await claim(join(dir, server), epoch);
      mkdirSync(held, { recursive: true, mode: 0o700 });
      const { toolRelay: relay } = this.#options;
      if (tools)
        this.#tools = new ToolSocket({ dir: join(dir, server), relay, send: (message) => this.#send(message) });
    } catch (error) {
      if (error instanceof ClaimRefusedError) return this.#refuse(error.code, error.message);
      if (!(error instanceof Error)) throw error;
      return this.#refuse(
        "DISK",
        `The runner cannot write to ${dir}: ${error.message}. Make room there, or correct its rights.`,
      );
    }
    this.#server = { id: server, held, version };
    const platform = `${process.platform}-${process.arch}`;
    this.#send({ type: "welcome", version, release, platform, home, ...(this.#tools && { tools: this.#tools.relay }) });
  }

  async #open(channel: number, process: string, start: Start | null, held: string): Promise<void> {
    if (this.#channels.has(channel)) return this.#refuse("INVALID", `Channel ${channel} is open.`);
    const open: OpenChannel = { process, socket: null, isClosed: false };
    this.#channels.set(channel, open);
    const isNew = !existsSync(join(held, process));
    try {
      if (isNew && start === null) return this.#gone(channel, "The agent is no longer there.");
      if (isNew && start !== null) await this.#start(process, start, held);
    } catch (error) {
      rmSync(join(held, process), { recursive: true, force: true });
      return this.#gone(channel, errorText(error));
    }
    await this.#connect(channel, open, held);
  }

  async #start(id: string, { label, command, cwd, env, ...limits }: Start, held: string): Promise<void> {
    const { env: own, builtin, holder } = this.#options;
    const found = await findDirectory(cwd, this.#options.home);
    if (!found.ok) throw new Error(`${cwd}: ${found.reason}`);
    if (this.#options.fence !== null) checkDirectory(cwd, found.path, this.#options.home);
    const whole = agentEnvironment(own, await this.#path(), env, { [OWNER_VARIABLE]: this.#server?.id ?? "" });
    const plain = { command: command ?? builtin, cwd: found.path, env: whole };
    const spec = { id, label, ...this.#fenced(plain, Object.keys(env)) };
    await runHolder(holder, prepareHolder(held, limits satisfies HolderLimits, spec));
  }

  /** `given`: variables that the server sets for the agent. */
  #fenced(plain: FencedProcess, given: readonly string[]): FencedProcess {
    const { fence, home, dir } = this.#options;
    if (fence === null) return plain;
    const variables = [...fence.rules.variables, ...given, OWNER_VARIABLE];
    const tools = this.#tools && ToolSocket.directory(join(dir, this.#server?.id ?? ""));
    return fenced(plain, { ...fence.rules, variables }, { home, dir, tools, programs: fence.programs });
  }

  async #path(): Promise<{ readonly PATH: string }> {
    const { env } = this.#options;
    this.#loginPath ??= loginPath(env);
    return { PATH: joinPaths(env["PATH"], await this.#loginPath) };
  }

  async #openWorkspace(workspace: Workspace, { id, version }: ServerOfRunner): Promise<RunnerWorkspace> {
    const { world, env, terminalHolder, home, dir } = this.#options;
    const isKnown = ({ kind }: WorkspaceEvent) =>
      version >= WORKTREES_VERSION || (kind !== "worktrees" && kind !== "radar");
    return RunnerWorkspace.open(workspace, {
      world,
      dir: join(dir, id),
      // The built-in agent keeps its conversations in the second one.
      own: [dir, join(home, ".liminal-builder")],
      worktreeRoot: join(home, ".liminal-worktrees"),
      env: agentEnvironment(env, await this.#path()),
      terminalHolder,
      tell: (event) => {
        if (isKnown(event)) this.#send({ type: "event", event });
      },
    });
  }

  async #connect(channel: number, open: OpenChannel, held: string): Promise<void> {
    for (let tried = 1; ; tried++) {
      if (open.isClosed) return;
      try {
        const socket = await HolderSocket.open(held, open.process, {
          onBytes: (bytes) => {
            for (const piece of piecesOf(channel, bytes)) this.#write(piece);
          },
          onClosed: () => this.#gone(channel, "The agent's holder process ended."),
        });
        open.socket = socket;
        if (open.isClosed) socket.end();
        else if (!this.#isReading) socket.setReading(false);
        return;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
      }
      const journal = journalBytes(held, open.process);
      if (journal === null || journal.byteLength > 0 || tried === LISTEN_TRIES_MAX) {
        for (const piece of piecesOf(channel, journal ?? new Uint8Array())) this.#write(piece);
        return this.#gone(channel, "The agent's holder process is gone.");
      }
      await Bun.sleep(LISTEN_TRY_MS);
    }
  }

  #close(channel: number): void {
    const open = this.#channels.get(channel);
    if (!open) return;
    open.isClosed = true;
    this.#channels.delete(channel);
    open.socket?.end();
  }

  #gone(channel: number, reason: string): void {
    const open = this.#channels.get(channel);
    if (!open || open.isClosed) return;
    open.isClosed = true;
    this.#channels.delete(channel);
    this.#send({ type: "gone", channel, reason });
  }

  async #answer(id: number, ask: Ask): Promise<void> {
    try {
      this.#send({ type: "answer", id, result: await this.#find(ask) });
    } catch (error) {
      const refusal = error instanceof RefusalError ? { refusal: error.refusal } : {};
      this.#send({ type: "failed", id, message: errorText(error), ...refusal });
    }
  }

  async #find(ask: Ask): Promise<AnswerTo<Ask["type"]>> {
    const { home } = this.#options;
    switch (ask.type) {
      case "directory:find": {
        const found = await findDirectory(ask.path, home);
        if (!found.ok) throw new Error(found.reason);
        return { path: found.path };
      }
      case "directory:complete":
        return completeDirectory(ask.path, home, async () => undefined);
      case "files:search":
        return this.#files.search(ask.root, ask.query, ask.limit);
      case "files:list": {
        const { entries, total } = await listDirectory(ask.root, ask.path, ask.entriesMax);
        return { entries: [...entries], total };
      }
      case "file:read":
        return { content: await this.#clientFiles(ask.root).read({ path: join(ask.root, ask.path) }) };
      case "file:write":
        await this.#clientFiles(ask.root).write(join(ask.root, ask.path), ask.content);
        return {};
      case "processes:list":
        return { processes: this.#processes() };
      case "workspace:call": {
        const workspace = await this.#workspace;
        if (!workspace) throw new Error("The workspace was not opened. Connect again.");
        return { result: await workspace.call(ask) };
      }
      default:
        return ask satisfies never;
    }
  }

  #clientFiles(root: string): ClientFiles {
    return new ClientFiles([root], [this.#options.dir]);
  }

  #processes(): { id: string; label: string }[] {
    const held = this.#server?.held ?? "";
    const ids = readdirSync(held, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return ids.map(({ name }) => ({ id: name, label: readLabel(join(held, name)) }));
  }

  #send(message: FromRunner): void {
    this.#write(encodeFrame({ channel: CONTROL, bytes: new TextEncoder().encode(JSON.stringify(message)) }));
  }

  /** The server reads this, then the end of the stream. */
  #refuse(code: RefusalCode, message: string): void {
    const bytes = new TextEncoder().encode(JSON.stringify({ type: "refused", code, message } satisfies FromRunner));
    this.#options.write(encodeFrame({ channel: CONTROL, bytes }), this.#options.exit);
  }

  #write(bytes: Uint8Array): void {
    this.#unsentBytes += bytes.byteLength;
    this.#options.write(bytes, () => {
      this.#unsentBytes -= bytes.byteLength;
      this.#setReading(this.#unsentBytes < UNSENT_BYTES_MAX);
    });
    this.#setReading(this.#unsentBytes < UNSENT_BYTES_MAX);
  }

  #setReading(isReading: boolean): void {
    if (this.#isReading === isReading) return;
    this.#isReading = isReading;
    for (const { socket } of this.#channels.values()) socket?.setReading(isReading);
  }
}

/** The first version of the contract that has this message. */
function versionOf(message: FromServer): number {
  if (message.type === "ask" && message.ask.type === "workspace:call") return versionOfPart(message.ask.part);
  return message.type === "workspace" || message.type === "watched" ? WORKSPACE_VERSION : 1;
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
