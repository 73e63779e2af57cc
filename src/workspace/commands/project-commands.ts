import { TaskQueue } from "../../lib/task-queue.ts";
import type { CommandMachine, ProjectCommands } from "../../ports/project-commands.ts";
import type { ProjectTerminals } from "../../ports/terminals.ts";
import type { WorktreePlace } from "../../ports/worktrees.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import type { Project } from "../../protocol/server-messages.ts";
import type { TerminalInfo } from "../../protocol/terminals.ts";
import { placeOfWorktree, type WorktreeId } from "../../protocol/worktree-ref.ts";
import type { WorktreeSetup } from "../../protocol/worktrees.ts";
import { type CommandRecords, commandHash } from "./command-records.ts";
import { type LiminalFile, readLiminalJson, showLiminalJson } from "./liminal-json.ts";
import { commandPlace, type Services, shellCommand } from "./services.ts";

const TEARDOWN_MS_MAX = 120_000;

interface ProjectCommandsDeps {
  readonly records: CommandRecords;
  readonly services: Services;
  readonly terminals: Pick<ProjectTerminals, "list" | "open" | "close" | "onChanged">;
  readonly machine: CommandMachine;
  /** Resolves when the terminals of a place are known, which may take long; null: they are. */
  readonly terminalsKnown: (place: string | null) => Promise<void> | null;
  readonly onError: (error: unknown) => void;
  readonly teardownMsMax?: number;
}

/** Setup and teardown of worktrees. One question covers both: the user is shown and agrees to both commands at once. */
export class LocalProjectCommands implements ProjectCommands, Disposable {
  readonly #deps: ProjectCommandsDeps;
  readonly #listeners = new Set<(projectId: ProjectId) => void>();
  /** Setups that run, by terminal. */
  readonly #running = new Map<string, { readonly project: Project; readonly place: WorktreePlace }>();
  /** Worktrees whose teardown failed: the next removal leaves it out. */
  readonly #withoutTeardown = new Set<WorktreeId>();
  /** One start at a time: of two for the same worktree, the second finds the first. */
  readonly #starts = new TaskQueue();
  readonly #watching: readonly Disposable[];

  /** Follows setups that an earlier server left running. */
  constructor(deps: ProjectCommandsDeps) {
    this.#deps = deps;
    for (const { projectId, worktreeId, setup } of deps.records.setups()) {
      if (setup.state !== "running") continue;
      const look = () => {
        if (deps.records.setup(worktreeId).state !== "running") return;
        const terminal = deps.terminals.list().find(({ terminalId }) => terminalId === setup.terminalId);
        if (!terminal || terminal.end) this.#finish(projectId, worktreeId, terminal?.end?.exitCode ?? null);
      };
      const known = deps.terminalsKnown(placeOfWorktree(worktreeId));
      if (known === null) look();
      else known.then(look).catch(deps.onError);
    }
    this.#watching = [
      deps.terminals.onChanged((terminal) => this.#terminalChanged(terminal)),
      deps.services.onChanged((projectId) => this.#changed(projectId)),
    ];
  }

  [Symbol.dispose](): void {
    for (const watching of this.#watching) watching[Symbol.dispose]();
  }

  onChanged(listener: (projectId: ProjectId) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async setupFor(project: Project): Promise<{ readonly setup: WorktreeSetup; readonly problem: string | null }> {
    const file = await showLiminalJson(this.#deps.machine, project.path);
    const question = questionOf(project.id, file);
    const setup: WorktreeSetup = {
      state: question === null ? "none" : this.#isAgreed(project.id, file) ? "done" : "asks",
      ...question,
    };
    return { setup, problem: file.problems.length > 0 ? file.problems.join("\n") : null };
  }

  setupOf(worktreeId: WorktreeId): WorktreeSetup {
    const { terminalId, ...setup } = this.#deps.records.setup(worktreeId);
    const isOpen = this.#deps.terminals.list().some((open) => open.terminalId === terminalId);
    return isOpen ? { ...setup, terminalId } : setup;
  }

  runSetup(project: Project, place: WorktreePlace, hash: string | null): Promise<WorktreeSetup> {
    return this.#starts.run(() => this.#runSetup(project, place, hash));
  }

  async #runSetup(project: Project, place: WorktreePlace, hash: string | null): Promise<WorktreeSetup> {
    const { records, services, terminals } = this.#deps;
    const before = records.setup(place.worktreeId);
    if (before.state === "running") return before;
    // Read once, so that what was agreed to is what runs.
    const file = await readLiminalJson(this.#deps.machine, place.cwd);
    const question = questionOf(project.id, file);
    if (question === null) {
      await this.#startServices(project, place);
      return this.#keep(project.id, place.worktreeId, { state: "none" });
    }
    if (hash !== null && hash !== question.hash) {
      await this.#keep(project.id, place.worktreeId, { state: "asks", ...question });
      throw new RefusalError(
        REFUSE.consentRequired(
          "The setup changed since it was shown. Nothing ran. Look at it again, then agree to it.",
          question.command,
        ),
      );
    }
    if (hash !== null) {
      if (file.setup !== null) await records.agree(project.id, "setup", file.setup);
      if (file.teardown !== null) await records.agree(project.id, "teardown", file.teardown);
    }
    if (!this.#isAgreed(project.id, file))
      return this.#keep(project.id, place.worktreeId, { state: "asks", ...question });
    if (file.setup === null) {
      await this.#startServices(project, place);
      return this.#keep(project.id, place.worktreeId, { state: "done", ...question });
    }
    const inPlace = commandPlace(project, place);
    const env = await services.variables(inPlace, file);
    for (const { terminalId } of this.#terminalsOf(place.worktreeId, "setup")) await terminals.close(terminalId);
    const { projectId, worktreeId, cwd } = inPlace;
    const command = shellCommand(file.setup);
    const { terminalId } = await terminals.open({
      ...{ projectId, worktreeId, kind: "setup", title: "Setup", cwd, command, env },
    });
    this.#running.set(terminalId, { project, place });
    const started = await this.#keep(project.id, place.worktreeId, { state: "running", ...question, terminalId });
    // It may have ended before its terminal was known here.
    const terminal = terminals.list().find((open) => open.terminalId === terminalId);
    if (!terminal || terminal.end) this.#setupEnded(terminalId, terminal?.end?.exitCode ?? null);
    return started;
  }

  async leave(project: Project, place: WorktreePlace): Promise<void> {
    const { services, terminals, records } = this.#deps;
    await services.leave(commandPlace(project, place));
    for (const { terminalId } of this.#terminalsOf(place.worktreeId)) {
      this.#running.delete(terminalId);
      await terminals.close(terminalId);
    }
    const setup = records.setup(place.worktreeId);
    if (setup.state === "running") await this.#keep(project.id, place.worktreeId, { ...setup, state: "failed" });
    if (this.#withoutTeardown.delete(place.worktreeId)) return;
    const file = await readLiminalJson(this.#deps.machine, place.cwd);
    if (file.teardown === null) return;
    const isAgreed = records.hasAgreed(commandHash(project.id, "teardown", file.teardown));
    const problem = isAgreed
      ? await this.#tearDown(project, place, file, file.teardown)
      : setup.state === "done" || setup.state === "failed"
        ? "The teardown of liminal.json is not the one that you agreed to, so it did not run."
        : null;
    if (problem === null) return;
    this.#withoutTeardown.add(place.worktreeId);
    throw new RefusalError(
      REFUSE.commandFailed(`${problem} The worktree is still there. Remove it again to leave the teardown out.`),
    );
  }

  /** Why it failed, or null. The terminal of one that failed stays, to be read. */
  async #tearDown(project: Project, place: WorktreePlace, file: LiminalFile, command: string): Promise<string | null> {
    const { terminals, services, teardownMsMax = TEARDOWN_MS_MAX } = this.#deps;
    const inPlace = commandPlace(project, place);
    const { projectId, worktreeId, cwd } = inPlace;
    const env = await services.variables(inPlace, file);
    const { promise: ended, resolve } = Promise.withResolvers<TerminalInfo["end"] | "closed">();
    let terminalId: string | null = null;
    const look = () => {
      if (terminalId === null) return;
      const terminal = terminals.list().find((open) => open.terminalId === terminalId);
      if (!terminal) resolve("closed");
      else if (terminal.end) resolve(terminal.end);
    };
    using _watching = terminals.onChanged(look);
    const opened = await terminals.open({
      ...{ projectId, worktreeId, kind: "teardown", title: "Teardown", cwd, command: shellCommand(command), env },
    });
    terminalId = opened.terminalId;
    look();
    const limit = setTimeout(() => resolve(null), teardownMsMax);
    const end = await ended;
    clearTimeout(limit);
    if (end === "closed") return "The teardown was ended by hand.";
    if (end === null) {
      await terminals.close(terminalId);
      return `The teardown took longer than ${teardownMsMax / 1_000} s and was ended.`;
    }
    if (end.exitCode !== 0)
      return `The teardown failed (${end.exitCode === null ? "ended by a signal" : `exit code ${end.exitCode}`}). Read its terminal.`;
    await terminals.close(terminalId);
    return null;
  }

  #isAgreed(projectId: ProjectId, { setup, teardown }: LiminalFile): boolean {
    const { records } = this.#deps;
    return (
      (setup === null || records.hasAgreed(commandHash(projectId, "setup", setup))) &&
      (teardown === null || records.hasAgreed(commandHash(projectId, "teardown", teardown)))
    );
  }

  #terminalsOf(worktreeId: WorktreeId, kind?: TerminalInfo["kind"]): readonly TerminalInfo[] {
    const all = this.#deps.terminals.list();
    return all.filter((one) => one.worktreeId === worktreeId && (kind === undefined || one.kind === kind));
  }

  #terminalChanged({ terminalId, kind, end, worktreeId, projectId }: TerminalInfo): void {
    if (kind !== "setup" || worktreeId === null) return;
    const isListed = this.#deps.terminals.list().some((open) => open.terminalId === terminalId);
    if (this.#running.has(terminalId)) {
      if (end || !isListed) this.#setupEnded(terminalId, end?.exitCode ?? null);
      return;
    }
    // One of an earlier server.
    const record = this.#deps.records.setups().find(({ setup }) => setup.terminalId === terminalId);
    if (record?.setup.state === "running" && (end || !isListed))
      this.#finish(projectId, record.worktreeId, end?.exitCode ?? null);
  }

  #setupEnded(terminalId: string, exitCode: number | null): void {
    const running = this.#running.get(terminalId);
    if (!running) return;
    this.#running.delete(terminalId);
    const { project, place } = running;
    this.#finish(project.id, place.worktreeId, exitCode);
    if (exitCode === 0) this.#startServices(project, place).catch(this.#deps.onError);
  }

  #finish(projectId: ProjectId, worktreeId: WorktreeId, exitCode: number | null): void {
    const setup = this.#deps.records.setup(worktreeId);
    const state = exitCode === 0 ? "done" : "failed";
    this.#keep(projectId, worktreeId, { ...setup, state, exitCode }).catch(this.#deps.onError);
  }

  #startServices(project: Project, place: WorktreePlace): Promise<void> {
    return this.#deps.services.startAutomatic(commandPlace(project, place));
  }

  async #keep(projectId: ProjectId, worktreeId: WorktreeId, setup: WorktreeSetup): Promise<WorktreeSetup> {
    await this.#deps.records.keepSetup(projectId, worktreeId, setup);
    this.#changed(projectId);
    return setup;
  }

  #changed(projectId: ProjectId): void {
    for (const listener of this.#listeners) listener(projectId);
  }
}

/** What the user is shown before a setup runs, and its hash. */
function questionOf(
  projectId: ProjectId,
  { setup, teardown }: LiminalFile,
): { readonly command: string; readonly hash: string } | null {
  if (setup === null && teardown === null) return null;
  const later = teardown === null ? [] : [`# Before the worktree is removed:\n${teardown}`];
  return {
    command: [...(setup === null ? [] : [setup]), ...later].join("\n\n"),
    hash: commandHash(projectId, "worktree", setup, teardown),
  };
}
