import { TaskQueue } from "../../lib/task-queue.ts";
import type { CommandMachine } from "../../ports/project-commands.ts";
import type { ProjectTerminals } from "../../ports/terminals.ts";
import type { WorktreePlace } from "../../ports/worktrees.ts";
import type { World } from "../../ports/world.ts";
import type { ClientMessage } from "../../protocol/client-messages.ts";
import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import { pathThere, splitPlace } from "../../protocol/place-path.ts";
import type { PlainServerMessage, Project } from "../../protocol/server-messages.ts";
import type { ServiceInfo, TerminalInfo } from "../../protocol/terminals.ts";
import { WorktreeId } from "../../protocol/worktree-ref.ts";
import { type CommandRecords, commandHash } from "./command-records.ts";
import {
  type LiminalFile,
  PORT_SIGN,
  portVariable,
  readLiminalJson,
  type ServiceSettings,
  showLiminalJson,
} from "./liminal-json.ts";
import { portFor } from "./service-ports.ts";
import type { ServiceRecord } from "./stored-records.ts";

/** How long a service that failed waits before it is started again, by the number of failures in a row. */
const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000];
/** One that ran for this long begins with the shortest delay again. */
const STEADY_MS = 60_000;
const LOOK_FIRST_MS = 50;
const LOOK_LAST_MS = 2_000;
/** What a shell reports after Ctrl-C: the user ended it in its terminal. */
const INTERRUPTED = 130;

/** Where the commands of a `liminal.json` run: in the project's directory, or in a worktree. */
export interface CommandPlace {
  readonly projectId: ProjectId;
  readonly worktreeId: WorktreeId | null;
  readonly cwd: string;
  /** Set for every command. */
  readonly variables: Readonly<Record<string, string>>;
}

export function commandPlace(project: Project, worktree: WorktreePlace | null): CommandPlace {
  const cwd = worktree?.cwd ?? project.path;
  return {
    projectId: project.id,
    worktreeId: worktree?.worktreeId ?? null,
    cwd,
    variables: {
      LIMINAL_PROJECT: pathThere(project.path),
      LIMINAL_WORKTREE: pathThere(cwd),
      ...(worktree && { LIMINAL_BRANCH: worktree.branch }),
    },
  };
}

/** As `sh` runs it. */
export function shellCommand(command: string): readonly string[] {
  return ["sh", "-c", command];
}

type AfterEnd =
  | { readonly state: "stopped" }
  | { readonly state: "failed"; readonly problem: string }
  | { readonly state: "waiting"; readonly delayMs: number; readonly failures: number };

/** What happens to a service whose program has ended by itself. `failures` counts those in a row before this one. */
export function afterEnd(
  run: {
    readonly restart: ServiceSettings["restart"];
    readonly exitCode: number | null;
    readonly ranMs: number;
    readonly failures: number;
  },
  delaysMs: readonly number[] = RESTART_DELAYS_MS,
): AfterEnd {
  const { restart, exitCode, ranMs } = run;
  if (exitCode === 0 || exitCode === INTERRUPTED) return { state: "stopped" };
  const ended = exitCode === null ? "It was ended by a signal" : `It ended with exit code ${exitCode}`;
  if (restart === "never") return { state: "failed", problem: `${ended}. Read its terminal, then start it again.` };
  const failures = ranMs >= STEADY_MS ? 0 : run.failures;
  const delayMs = delaysMs[failures];
  if (delayMs !== undefined) return { state: "waiting", delayMs, failures: failures + 1 };
  return {
    state: "failed",
    problem: `${ended}, as did ${failures} restarts before. Read its terminal, then start it again.`,
  };
}

/** A service that was started since the server began or was taken over from the last one. */
interface Run {
  readonly key: string;
  readonly place: Pick<CommandPlace, "projectId" | "worktreeId" | "cwd">;
  readonly name: string;
  settings: ServiceSettings;
  hash: string;
  env: Readonly<Record<string, string>>;
  state: "running" | "waiting" | "failed" | "stopped";
  port: number | null;
  /** Its port accepts connections. */
  answers: boolean;
  terminalId: string | null;
  startedAt: string;
  restarts: number;
  /** In a row. */
  failures: number;
  lastEnd: ServiceInfo["lastEnd"];
  problem: string | null;
  timer: ReturnType<typeof setTimeout> | null;
}

interface ServicesDeps {
  readonly world: World;
  readonly records: CommandRecords;
  readonly terminals: Pick<ProjectTerminals, "list" | "open" | "close" | "onChanged">;
  readonly machine: CommandMachine;
  /** Resolves when the terminals of a place are known, which may take long; null: they are. */
  readonly terminalsKnown: (place: string | null) => Promise<void> | null;
  readonly projects: { list(): readonly Project[] };
  readonly findWorktree: (worktreeId: WorktreeId) => Promise<WorktreePlace | null>;
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
  readonly restartDelaysMs?: readonly number[];
}

type ServiceMessage = Extract<ClientMessage, { type: `service:${string}` }>;
type ServiceList = Extract<PlainServerMessage, { type: "service:list" }>;
type ConsentMessage = Extract<ServiceMessage, { type: "service:consents" | "service:revoke" }>;
type ConsentList = Extract<PlainServerMessage, { type: "service:consents" }>;
type AnswerOf<Message> =
  | { readonly kind: "message"; readonly message: Message; readonly published: false }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/**
 * The services of `liminal.json`: long-running commands, each in a terminal of its own. A command runs only after the user
 * has agreed to exactly this text, and an automatic restart runs the text that was started, whatever the file says by then.
 */
export class Services implements Disposable {
  readonly #deps: ServicesDeps;
  readonly #runs = new Map<string, Run>();
  /** One for each service: its start, stop and restart happen one after another. */
  readonly #queues = new Map<string, TaskQueue>();
  readonly #ports = new TaskQueue();
  readonly #publishing = new TaskQueue();
  readonly #unpublished = new Set<string>();
  readonly #listeners = new Set<(projectId: ProjectId) => void>();
  readonly #watching: Disposable;
  #isEnded = false;

  /** Takes over services that an earlier server left running. */
  constructor(deps: ServicesDeps) {
    this.#deps = deps;
    for (const record of deps.records.running()) {
      const known = deps.terminalsKnown(splitPlace(record.cwd)?.place ?? null);
      if (known === null) this.#adopt(record);
      else this.#expect(record, known);
    }
    this.#watching = deps.terminals.onChanged((terminal) => this.#terminalChanged(terminal));
    this.#keepSoon();
  }

  /** Its services are left to the closing of its terminals, or to the next server. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#watching[Symbol.dispose]();
    for (const run of this.#runs.values()) this.#clearTimer(run);
  }

  onChanged(listener: (projectId: ProjectId) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async answer(message: Exclude<ServiceMessage, ConsentMessage>): Promise<AnswerOf<ServiceList>> {
    try {
      const place = await this.#place(message.projectId, message.worktreeId);
      if (message.type === "service:start") await this.start(place, message.name, message.hash ?? null);
      else if (message.type === "service:stop") await this.stop(place, message.name);
      else if (message.type === "service:restart") await this.#restart(place, message.name);
      return { kind: "message", message: await this.#list(place), published: false };
    } catch (error) {
      if (error instanceof RefusalError) return { kind: "refused", refusal: error.refusal };
      throw error;
    }
  }

  /** The commands that the user agreed to, and the end of such a consent. */
  async consents(message: ConsentMessage): Promise<AnswerOf<ConsentList>> {
    const { projectId } = message;
    const { records } = this.#deps;
    if (!this.#deps.projects.list().some(({ id }) => id === projectId))
      return { kind: "refused", refusal: REFUSE.projectNotFound() };
    if (message.type === "service:revoke") {
      await records.revoke(projectId, message.hash);
      for (const run of this.#runs.values()) if (run.place.projectId === projectId) this.#changed(run);
    }
    const list = { type: "service:consents", projectId, consents: records.consents(projectId) } as const;
    return { kind: "message", message: list, published: false };
  }

  /** With a hash the user agrees to the command with it. */
  start(place: CommandPlace, name: string, shownHash: string | null): Promise<void> {
    return this.#inTurn(place, name, async () => {
      if (this.#runs.get(keyOf(place, name))?.state === "running") return;
      await this.#launch(place, name, await this.#agreed(place, name, shownHash));
    });
  }

  /** Those with `autoStart` that the user has agreed to; the others keep asking. */
  async startAutomatic(place: CommandPlace): Promise<void> {
    const { services } = await readLiminalJson(this.#deps.machine, place.cwd);
    for (const [name, settings] of services) {
      const run = newRun(place, name, settings);
      if (!settings.autoStart || !this.#deps.records.hasAgreed(run.hash)) continue;
      await this.start(place, name, null).catch((error: unknown) => {
        if (!(error instanceof RefusalError)) throw error;
        this.#runs.set(run.key, { ...run, state: "failed", problem: error.refusal.message });
        this.#changed(run);
      });
    }
  }

  /** Ends everything that it started. */
  stop(place: Pick<CommandPlace, "projectId" | "worktreeId">, name: string): Promise<void> {
    return this.#inTurn(place, name, () => this.#end(keyOf(place, name)));
  }

  /** Ends all services of a place. */
  async leave(place: Pick<CommandPlace, "projectId" | "worktreeId">): Promise<void> {
    const runs = [...this.#runs.values()].filter((run) => isSamePlace(run.place, place));
    await Promise.all(runs.map((run) => this.stop(place, run.name)));
    for (const run of runs) this.#runs.delete(run.key);
  }

  /** Ends all services of a project, in its own directory and in its worktrees. */
  async forget(projectId: ProjectId): Promise<void> {
    const runs = [...this.#runs.values()].filter(({ place }) => place.projectId === projectId);
    await Promise.all(runs.map(({ place }) => this.leave(place)));
  }

  /** The environment of every command of a place: its directory, and the ports of its services. */
  async variables(place: CommandPlace, { services }: LiminalFile): Promise<Record<string, string>> {
    const variables: Record<string, string> = { ...place.variables };
    for (const [name, { port }] of services)
      if (port) variables[portVariable(name)] = String(await this.#portOf(place, name));
    return variables;
  }

  async #restart(place: CommandPlace, name: string): Promise<void> {
    await this.#inTurn(place, name, async () => {
      // Before it is stopped: a command that needs a new consent leaves the one that runs alone.
      const file = await this.#agreed(place, name, null);
      await this.#end(keyOf(place, name));
      await this.#launch(place, name, file);
    });
  }

  #inTurn(
    place: Pick<CommandPlace, "projectId" | "worktreeId">,
    name: string,
    task: () => Promise<void>,
  ): Promise<void> {
    const key = keyOf(place, name);
    const queue = this.#queues.get(key) ?? new TaskQueue();
    this.#queues.set(key, queue);
    return queue.run(task);
  }

  /** The file that this service may be started from: read once, so that what was agreed to is what runs. */
  async #agreed(place: CommandPlace, name: string, shownHash: string | null): Promise<LiminalFile> {
    const file = await readLiminalJson(this.#deps.machine, place.cwd);
    const service = file.services.get(name);
    if (!service) throw new RefusalError(REFUSE.serviceNotFound(name, file.problems[0]));
    await this.#deps.records.require(place.projectId, `service:${name}`, service.command, shownHash);
    return file;
  }

  async #launch(place: CommandPlace, name: string, file: LiminalFile): Promise<void> {
    const settings = file.services.get(name);
    if (!settings) throw new RefusalError(REFUSE.serviceNotFound(name));
    const key = keyOf(place, name);
    const before = this.#runs.get(key);
    // One that waits to be started again is replaced.
    if (before) {
      this.#clearTimer(before);
      before.state = "stopped";
    }
    const port = settings.port ? await this.#freePort(place, key) : null;
    const env = { ...(await this.variables(place, file)), ...(port !== null && { PORT: String(port) }) };
    const run = { ...newRun(place, name, settings), env, port, lastEnd: before?.lastEnd ?? null };
    await this.#open(run, 0);
    this.#runs.set(key, run);
    this.#observe(run);
  }

  /** Runs the command in a new terminal. Of earlier terminals of this service the newest `kept` stay, to be read. */
  async #open(run: Run, kept: number): Promise<void> {
    const { terminals } = this.#deps;
    const { projectId, worktreeId, cwd } = run.place;
    // On disk before it runs: if the server is killed in between, the next one knows of everything that runs.
    await this.#keep(run);
    const earlier = terminals.list().filter((terminal) => isServiceTerminal(terminal, run));
    const ended = earlier.filter(({ end }) => end !== null).sort(byStart);
    const closing = [...earlier.filter(({ end }) => end === null), ...ended.slice(0, Math.max(0, ended.length - kept))];
    for (const { terminalId } of closing) await terminals.close(terminalId);
    const { terminalId, startedAt } = await terminals.open({
      projectId,
      worktreeId,
      kind: "service",
      title: run.name,
      cwd,
      command: shellCommand(run.settings.command),
      env: run.env,
    });
    run.terminalId = terminalId;
    run.state = "running";
    run.answers = false;
    run.problem = null;
    run.startedAt = startedAt;
  }

  /** Its terminal is open: follows it from here on. */
  #observe(run: Run): void {
    this.#keepSoon();
    this.#changed(run);
    const terminal = this.#deps.terminals.list().find(({ terminalId }) => terminalId === run.terminalId);
    // It may have ended before its terminal was known here.
    if (!terminal || terminal.end) this.#ended(run, terminal?.end ?? null);
    else this.#lookFor(run, LOOK_FIRST_MS);
  }

  async #end(key: string): Promise<void> {
    const run = this.#runs.get(key);
    if (!run) return;
    this.#clearTimer(run);
    const wasRunning = run.state === "running";
    run.state = "stopped";
    run.answers = false;
    run.problem = null;
    // The terminal of one that has ended stays, to be read.
    if (wasRunning && run.terminalId !== null) {
      const { terminalId } = run;
      run.terminalId = null;
      await this.#deps.terminals.close(terminalId);
    }
    this.#keepSoon();
    this.#changed(run);
  }

  #adopt(record: ServiceRecord): void {
    const run = runOf(record);
    const terminal = this.#terminalOf(run);
    if (!terminal) return;
    run.terminalId = terminal.terminalId;
    run.startedAt = terminal.startedAt;
    this.#runs.set(run.key, run);
    queueMicrotask(() => this.#observe(run));
  }

  /** It counts as running until its place is reached and says otherwise. */
  #expect(record: ServiceRecord, known: Promise<void>): void {
    const run = runOf(record);
    this.#runs.set(run.key, run);
    const look = () => {
      if (this.#runs.get(run.key) !== run || run.state !== "running") return;
      const terminal = this.#terminalOf(run);
      if (!terminal) return this.#closed(run);
      run.terminalId = terminal.terminalId;
      run.startedAt = terminal.startedAt;
      this.#observe(run);
    };
    known.then(look).catch(this.#deps.onError);
  }

  #terminalOf(run: Run): TerminalInfo | undefined {
    const terminals = this.#deps.terminals.list();
    return (
      terminals.findLast((one) => isServiceTerminal(one, run) && one.end === null) ??
      terminals.find(({ terminalId }) => terminalId === run.terminalId)
    );
  }

  #terminalChanged(terminal: TerminalInfo): void {
    for (const run of this.#runs.values()) {
      if (run.terminalId !== terminal.terminalId) continue;
      const isListed = this.#deps.terminals.list().some(({ terminalId }) => terminalId === run.terminalId);
      if (!isListed) this.#closed(run);
      else if (terminal.end) this.#ended(run, terminal.end);
    }
  }

  /** The user closed its terminal. */
  #closed(run: Run): void {
    this.#clearTimer(run);
    run.terminalId = null;
    run.answers = false;
    if (run.state !== "failed") run.state = "stopped";
    this.#keepSoon();
    this.#changed(run);
  }

  #ended(run: Run, end: TerminalInfo["end"]): void {
    if (run.state !== "running" || this.#isEnded) return;
    this.#clearTimer(run);
    const { now } = this.#deps.world;
    const at = end?.at ?? new Date(now()).toISOString();
    const exitCode = end?.exitCode ?? null;
    run.lastEnd = { exitCode, at };
    run.answers = false;
    const ranMs = Date.parse(at) - Date.parse(run.startedAt);
    const { restart } = run.settings;
    const next = afterEnd({ restart, exitCode, ranMs, failures: run.failures }, this.#deps.restartDelaysMs);
    run.state = next.state;
    if (next.state === "failed") run.problem = next.problem;
    if (next.state === "waiting") {
      run.failures = next.failures;
      run.timer = setTimeout(() => this.#startAgain(run), next.delayMs);
    }
    this.#keepSoon();
    this.#changed(run);
  }

  #startAgain(run: Run): void {
    const again = this.#inTurn(run.place, run.name, async () => {
      if (run.state !== "waiting" || this.#isEnded) return;
      try {
        if (!this.#deps.records.hasAgreed(run.hash))
          throw new RefusalError(
            REFUSE.consentRequired("You revoked your consent, so it was not started again.", run.settings.command),
          );
        // The terminal of the failure stays, to be read.
        await this.#open(run, 1);
        run.restarts += 1;
        this.#observe(run);
      } catch (error) {
        if (!(error instanceof RefusalError)) throw error;
        run.state = "failed";
        run.problem = error.refusal.message;
        this.#changed(run);
      }
    });
    again.catch(this.#deps.onError);
  }

  /** Polls until its port answers. */
  #lookFor(run: Run, delayMs: number): void {
    const port = run.port ?? portOfUrl(run.settings.url);
    if (port === null || this.#isEnded) return;
    const { terminalId } = run;
    run.timer = setTimeout(async () => {
      const answers = await this.#deps.machine.answersOn(run.place.cwd, port);
      if (run.terminalId !== terminalId || run.state !== "running" || this.#isEnded) return;
      if (!answers) return this.#lookFor(run, Math.min(delayMs * 2, LOOK_LAST_MS));
      run.answers = true;
      this.#changed(run);
    }, delayMs);
  }

  #clearTimer(run: Run): void {
    if (run.timer !== null) clearTimeout(run.timer);
    run.timer = null;
  }

  #freePort({ cwd }: CommandPlace, key: string): Promise<number> {
    const { records, machine } = this.#deps;
    return this.#ports.run(() => portFor(records, key, (port) => machine.isFree(cwd, port)));
  }

  /** Of a service that runs, the port that it was given; else the one that it will get. */
  async #portOf(place: CommandPlace, name: string): Promise<number> {
    const key = keyOf(place, name);
    const run = this.#runs.get(key);
    if (run?.port != null && (run.state === "running" || run.state === "waiting")) return run.port;
    return this.#deps.records.port(key).own ?? (await this.#freePort(place, key));
  }

  async #place(projectId: ProjectId, worktreeId: string | null): Promise<CommandPlace> {
    const project = this.#deps.projects.list().find(({ id }) => id === projectId);
    if (!project) throw new RefusalError(REFUSE.projectNotFound());
    if (worktreeId === null) return commandPlace(project, null);
    const id = WorktreeId.safeParse(worktreeId).data;
    const worktree = id === undefined ? null : await this.#deps.findWorktree(id);
    if (worktree?.projectId !== projectId) throw new RefusalError(REFUSE.worktreeNotFound());
    return commandPlace(project, worktree);
  }

  async #list(place: Run["place"]): Promise<ServiceList> {
    const { projectId, worktreeId } = place;
    const file = await showLiminalJson(this.#deps.machine, place.cwd);
    const live = [...this.#runs.values()].filter((run) => isSamePlace(run.place, place) && isLive(run));
    const names = new Set([...file.services.keys(), ...live.map(({ name }) => name)]);
    const services = [...names].flatMap((name) => this.#info(place, name, file.services.get(name)) ?? []);
    const problem = file.problems.length > 0 && { problem: file.problems.join("\n") };
    return { type: "service:list", projectId, worktreeId, services, ...problem };
  }

  #info(place: Run["place"], name: string, settings: ServiceSettings | undefined): ServiceInfo | null {
    const { projectId, worktreeId } = place;
    const key = keyOf(place, name);
    const run = this.#runs.get(key);
    const base = {
      ...{ projectId, worktreeId, name },
      terminalId: run?.terminalId ?? null,
      restarts: run?.restarts ?? 0,
      lastEnd: run?.lastEnd ?? null,
    };
    if (run && isLive(run)) {
      const isChanged = settings?.command !== run.settings.command;
      return {
        ...base,
        command: run.settings.command,
        hash: run.hash,
        state: run.state,
        port: run.port,
        url: run.answers ? urlOf(run) : null,
        startedAt: run.startedAt,
        ...(isChanged && {
          problem: "liminal.json no longer has this command. Stop the service, then start it to use the new one.",
        }),
      };
    }
    if (!settings) return null;
    const hash = commandHash(projectId, `service:${name}`, settings.command);
    const isAgreed = this.#deps.records.hasAgreed(hash);
    const hasFailed = run?.state === "failed" && run.hash === hash;
    return {
      ...base,
      command: settings.command,
      hash,
      state: !isAgreed ? "asks" : hasFailed ? "failed" : "stopped",
      port: settings.port ? this.#deps.records.port(key).own : null,
      url: null,
      startedAt: null,
      ...(isAgreed && hasFailed && run.problem !== null && { problem: run.problem }),
    };
  }

  /** Stores which services run, with one that is about to. */
  #keep(starting?: Run): Promise<void> {
    const others = [...this.#runs.values()].filter((run) => run.key !== starting?.key && isLive(run));
    const running = [...others, ...(starting ? [starting] : [])].map((run): ServiceRecord => {
      const { place, name, hash, settings, env, port, terminalId, startedAt, restarts } = run;
      return { ...place, name, hash, settings, env: { ...env }, port, terminalId, startedAt, restarts };
    });
    return this.#deps.records.keepRunning(running);
  }

  #keepSoon(): void {
    this.#keep().catch(this.#deps.onError);
  }

  /** Publishes the list of its place; changes that come before that are in it, too. */
  #changed({ place }: Run): void {
    for (const listener of this.#listeners) listener(place.projectId);
    const key = keyOf(place, "");
    if (this.#unpublished.has(key)) return;
    this.#unpublished.add(key);
    const publishing = this.#publishing.run(async () => {
      this.#unpublished.delete(key);
      if (!this.#isEnded) this.#deps.publish(await this.#list(place));
    });
    publishing.catch(this.#deps.onError);
  }
}

function newRun({ projectId, worktreeId, cwd }: Run["place"], name: string, settings: ServiceSettings): Run {
  return {
    key: keyOf({ projectId, worktreeId }, name),
    place: { projectId, worktreeId, cwd },
    name,
    settings,
    hash: commandHash(projectId, `service:${name}`, settings.command),
    env: {},
    state: "stopped",
    port: null,
    answers: false,
    terminalId: null,
    startedAt: "",
    restarts: 0,
    failures: 0,
    lastEnd: null,
    problem: null,
    timer: null,
  };
}

/** As it ran under an earlier server. */
function runOf({ projectId, worktreeId, cwd, name, settings, ...record }: ServiceRecord): Run {
  return { ...newRun({ projectId, worktreeId, cwd }, name, settings), ...record, state: "running" };
}

function isLive(run: Run): run is Run & { state: "running" | "waiting" } {
  return run.state === "running" || run.state === "waiting";
}

function keyOf({ projectId, worktreeId }: Pick<CommandPlace, "projectId" | "worktreeId">, name: string): string {
  return `${projectId}/${worktreeId ?? ""}/${name}`;
}

function isSamePlace(
  one: Pick<CommandPlace, "projectId" | "worktreeId">,
  other: Pick<CommandPlace, "projectId" | "worktreeId">,
): boolean {
  return one.projectId === other.projectId && one.worktreeId === other.worktreeId;
}

function isServiceTerminal({ kind, title, projectId, worktreeId }: TerminalInfo, { place, name }: Run): boolean {
  return kind === "service" && title === name && projectId === place.projectId && worktreeId === place.worktreeId;
}

function byStart(one: TerminalInfo, other: TerminalInfo): number {
  return one.startedAt < other.startedAt ? -1 : 1;
}

/** None at a place: an address of its loopback leads nowhere from the user's browser, or elsewhere. */
function urlOf({ settings: { url }, port, place }: Run): string | null {
  if (splitPlace(place.cwd) !== null) return null;
  if (url !== null) return url.replaceAll(PORT_SIGN, String(port));
  return port === null ? null : `http://localhost:${port}`;
}

function portOfUrl(url: string | null): number | null {
  if (url === null) return null;
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
