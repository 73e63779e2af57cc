import { join } from "node:path";
import type { z } from "zod/mini";
import { launchHolder } from "../agents/holder/launch-holder.ts";
import type { NewTerminal, TerminalReader } from "../ports/terminals.ts";
import type { SessionPlace } from "../ports/workdirs.ts";
import type { World } from "../ports/world.ts";
import type { TerminalId } from "../protocol/terminals.ts";
import { HeldTerminals } from "../terminals/held-terminals.ts";
import { LOCAL_COMMAND_MACHINE } from "../workspace/commands/local-command-machine.ts";
import { LocalMerging } from "../workspace/merging/merging.ts";
import { LocalConflictRadar } from "../workspace/merging/radar.ts";
import { LocalWorkdirs } from "../workspace/workdirs.ts";
import { LocalWorktrees } from "../workspace/worktrees/local-worktrees.ts";
import { COMMAND_CALLS } from "./command-calls.ts";
import type { Ask, Workspace, WorkspaceEvent } from "./contract.ts";
import { TERMINAL_CALLS } from "./terminal-calls.ts";
import { WORKDIR_CALLS } from "./workdir-calls.ts";
import { MERGING_CALLS, RADAR_CALLS, WORKTREE_CALLS } from "./worktree-calls.ts";

interface RunnerWorkspaceParts {
  readonly world: World;
  /** Of this server on this machine. */
  readonly dir: string;
  /** Directories of ours on this machine. */
  readonly own: readonly string[];
  /** Where worktrees are made, in a directory for each project. */
  readonly worktreeRoot: string;
  /** The user's own, for commits: hooks and signing need it. */
  readonly env: Readonly<Record<string, string>>;
  /** The command that starts the holder of a terminal. */
  readonly terminalHolder: readonly string[];
  readonly tell: (event: WorkspaceEvent) => void;
}

/**
 * The workspace of this machine, for a server elsewhere: the same code as on a server's own machine, with vaults of its
 * own. The server sends the state that is only in memory (running turns, viewers) to each new runner.
 */
export class RunnerWorkspace {
  readonly #workdirs: LocalWorkdirs;
  readonly #terminals: RunnerTerminals;
  readonly #worktrees: LocalWorktrees;
  readonly #merging: LocalMerging;
  readonly #radar: LocalConflictRadar;
  readonly #watches = new Map<string, Disposable>();

  /** Finds the terminals again that an earlier runner has opened, and settles what was cut off with it. */
  static async open(workspace: Workspace, parts: RunnerWorkspaceParts): Promise<RunnerWorkspace> {
    const opened = new RunnerWorkspace(workspace, parts);
    await opened.#terminals.resume();
    // What stays stuck is told with each preview.
    await opened.#merging.settleCutOff();
    opened.#worktrees.start();
    return opened;
  }

  private constructor(workspace: Workspace, parts: RunnerWorkspaceParts) {
    const { world, dir, own, worktreeRoot, env, terminalHolder, tell } = parts;
    const { checkpoints, vaultBytesMax, holdMs, running } = workspace;
    const onError = (error: unknown) =>
      tell({ kind: "fault", message: error instanceof Error ? error.message : String(error) });
    // A short name: socket paths have a limit.
    const held = { dir: join(dir, "t"), holdMs, holder: terminalHolder, env, launch: launchHolder };
    this.#terminals = new RunnerTerminals(new HeldTerminals({ world, ...held, onError }), tell);
    this.#workdirs = new LocalWorkdirs({
      world,
      root: join(dir, "vaults"),
      own,
      isOn: checkpoints,
      // There is no user at this machine: an editor is opened on the user's machine.
      editor: { command: null, env },
      vaultBytesMax,
      env,
      onError,
    });
    this.#workdirs.onChanged((sessionId) => tell({ kind: "changed", sessionId }));
    this.#workdirs.onDiscarded(({ sessionId, paths, problem }) =>
      tell({ kind: "discarded", sessionId, paths: [...paths], problem }),
    );
    for (const { place, turnId } of running) this.#workdirs.turnContinues(place, turnId);
    const worktrees = new LocalWorktrees({
      world,
      records: join(dir, "worktrees"),
      root: worktreeRoot,
      dataDirectory: dir,
      workdirs: this.#workdirs,
      env,
      onError,
    });
    worktrees.onChanged((projectId) => tell({ kind: "worktrees", projectId }));
    this.#worktrees = worktrees;
    this.#merging = new LocalMerging({ root: join(dir, "merges"), env });
    this.#radar = new LocalConflictRadar({
      world,
      root: join(dir, "radar"),
      listWorktrees: async (project) => (await worktrees.list(project)).filter(({ isOurs }) => isOurs),
      onError,
    });
    this.#radar.onChanged((projectId) => tell({ kind: "radar", projectId }));
  }

  /** Null for a call that gives nothing. */
  async call({ part, call, args }: Extract<Ask, { type: "workspace:call" }>): Promise<unknown> {
    const { table, target } = this.#part(part);
    const known: { readonly args: z.ZodMiniType<readonly unknown[]> } | undefined = Object.hasOwn(table, call)
      ? Reflect.get(table, call)
      : undefined;
    if (!known) throw new Error(`The runner does not know the call ${call}. Update Liminal Builder there.`);
    const given = known.args.safeParse(args);
    if (!given.success) throw new Error(`The call ${call} is not as the contract says. Update Liminal Builder there.`);
    return (await Reflect.apply(Reflect.get(target, call), target, given.data)) ?? null;
  }

  #part(part: Extract<Ask, { type: "workspace:call" }>["part"]): { readonly table: object; readonly target: object } {
    switch (part) {
      case "workdirs":
        return { table: WORKDIR_CALLS, target: this.#workdirs };
      case "terminals":
        return { table: TERMINAL_CALLS, target: this.#terminals };
      case "worktrees":
        return { table: WORKTREE_CALLS, target: this.#worktrees };
      case "merging":
        return { table: MERGING_CALLS, target: this.#merging };
      case "radar":
        return { table: RADAR_CALLS, target: this.#radar };
      case "commands":
        return { table: COMMAND_CALLS, target: LOCAL_COMMAND_MACHINE };
      default:
        return part satisfies never;
    }
  }

  /** The sessions whose changes are viewed; all others are no longer watched. */
  watch(places: readonly SessionPlace[]): void {
    const wanted = new Map(places.map((place) => [JSON.stringify([place.sessionId, place.cwd]), place]));
    for (const [key, watch] of this.#watches) {
      if (wanted.has(key)) continue;
      watch[Symbol.dispose]();
      this.#watches.delete(key);
    }
    for (const [key, place] of wanted) if (!this.#watches.has(key)) this.#watches.set(key, this.#workdirs.watch(place));
  }
}

/** The terminals of this machine, with readers that have numbers. */
class RunnerTerminals implements Readonly<Record<keyof typeof TERMINAL_CALLS, (...args: never[]) => unknown>> {
  readonly #held: HeldTerminals;
  readonly #tell: (event: WorkspaceEvent) => void;
  readonly #readers = new Map<number, TerminalReader>();

  constructor(held: HeldTerminals, tell: (event: WorkspaceEvent) => void) {
    this.#held = held;
    this.#tell = tell;
    held.onChanged((terminal) => tell({ kind: "terminal", terminal, terminals: [...held.list()] }));
  }

  resume(): Promise<void> {
    return this.#held.resume();
  }

  list() {
    return this.#held.list();
  }

  open(terminal: NewTerminal) {
    return this.#held.open(terminal);
  }

  input(terminalId: TerminalId, data: string): boolean {
    return this.#held.input(terminalId, data);
  }

  resize(terminalId: TerminalId, columns: number, rows: number): boolean {
    return this.#held.resize(terminalId, columns, rows);
  }

  close(terminalId: TerminalId): Promise<boolean> {
    return this.#held.close(terminalId);
  }

  async attach(terminalId: TerminalId, after: number | null, number: number) {
    const decoder = new TextDecoder();
    const { reader, ...attached } = await this.#held.attach(terminalId, after, {
      // Pieces are whole characters.
      onOutput: ({ bytes, ...output }) =>
        this.#tell({ kind: "output", reader: number, ...output, data: decoder.decode(bytes) }),
      onEnd: (exitCode) => this.#tell({ kind: "output-ended", reader: number, exitCode }),
    });
    this.#readers.set(number, reader);
    return attached;
  }

  acknowledged(number: number, offset: number): void {
    this.#readers.get(number)?.acknowledged(offset);
  }

  detach(number: number): void {
    this.#readers.get(number)?.[Symbol.dispose]();
    this.#readers.delete(number);
  }
}
