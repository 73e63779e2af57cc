import { ignore } from "../../lib/ignore.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { CliType } from "../../protocol/ids.ts";
import { asInstallError, InstallCancelledError, type InstallProgress, type InstallTarget } from "./install-target.ts";
import { type InstallSurroundings, installVersion } from "./install-version.ts";

const MARK_CHARS = 8;

interface AgentInstallerOptions extends InstallSurroundings {
  /** What an install would bring; null for what cannot be installed from here. */
  readonly target: (id: CliType) => InstallTarget | null;
  readonly nameOf: (id: CliType) => string | null;
  /** Ends idle processes of the agent; false when one is at work, and thus may still read its files. */
  readonly release: (id: CliType) => boolean;
  readonly onProgress: (progress: InstallProgress) => void;
  /** Another version, or none, is in use now. */
  readonly onChanged: (id: CliType) => void;
}

interface Running {
  readonly version: string;
  readonly staging: string;
  readonly cancel: AbortController;
  readonly done: Promise<void>;
}

/** Installs, updates, rolls back and removes agents; one change of an agent at a time. Failures are RefusalErrors. */
export class AgentInstaller {
  readonly #options: AgentInstallerOptions;
  readonly #running = new Map<CliType, Running>();

  constructor(options: AgentInstallerOptions) {
    this.#options = options;
  }

  /** The catalog's version unless another is named. Whoever asks while it runs gets the same outcome. */
  async install(id: CliType, version?: string): Promise<void> {
    const running = this.#running.get(id);
    if (running) {
      if (version !== undefined && version !== running.version)
        throw this.#refuse(id, `Version ${running.version} is being installed. Wait for it, or cancel it first.`);
      return running.done;
    }
    const known = this.#options.target(id);
    if (!known) throw this.#refuseInstall(id);
    const target = version === undefined ? known : { ...known, package: { ...known.package, version } };
    if (version === undefined && this.#isCurrent(target)) return;
    return this.#start(target);
  }

  /** Settles when nothing of the install is left; with none running there is nothing to do. */
  async cancel(id: CliType): Promise<void> {
    const running = this.#running.get(id);
    running?.cancel.abort(new InstallCancelledError("The installation was cancelled."));
    await running?.done.catch(ignore("whoever asked for the install hears of it"));
  }

  async uninstall(id: CliType): Promise<void> {
    const { installed, world, release, onChanged } = this.#options;
    this.#refuseDuringInstall(id);
    if (!installed.current(id))
      throw this.#refuse(id, "It was not installed from here, so there is nothing to remove.");
    if (!release(id)) throw this.#refuse(id, "It is at work. Wait for its turns to end, or cancel them.");
    await installed.remove(id, world.newId().slice(0, MARK_CHARS));
    onChanged(id);
  }

  rollBack(id: CliType): void {
    this.#refuseDuringInstall(id);
    if (!this.#options.installed.rollBack(id))
      throw this.#refuse(id, "There is no earlier version to go back to. Install one by its number.");
    this.#options.release(id);
    this.#options.onChanged(id);
  }

  /** No install goes on after this. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.cancel(id)));
  }

  #isCurrent({ id, package: { version } }: InstallTarget): boolean {
    const { installed } = this.#options;
    const current = installed.current(id);
    return current?.version === version && installed.isWhole(id, current);
  }

  #start(target: InstallTarget): Promise<void> {
    const { id } = target;
    const mark = this.#options.world.newId().slice(0, MARK_CHARS);
    const staging = this.#options.installed.asideFolder(id, target.package.version, mark);
    const cancel = new AbortController();
    const done = this.#run(target, staging, mark, cancel.signal).finally(() => this.#running.delete(id));
    this.#running.set(id, { version: target.package.version, staging, cancel, done });
    return done;
  }

  async #run(target: InstallTarget, staging: string, mark: string, signal: AbortSignal): Promise<void> {
    const { installed, release, onChanged } = this.#options;
    const { id, name } = target;
    const { version } = target.package;
    let progress = 0;
    const tell = (phase: InstallProgress["phase"], share: number, message: string) => {
      progress = share;
      this.#options.onProgress({ cliType: id, phase, progress, message });
    };
    try {
      // What a killed server left behind goes first: it may be what fills the disk.
      await this.#sweep();
      await installVersion({ ...this.#options, target, staging, mark, signal, onProgress: tell });
      if (release(id)) await installed.prune(id);
      await this.#sweep();
    } catch (error) {
      if (!installed.current(id)) await installed.prune(id).catch(ignore("the first failure is the one to tell"));
      const failure = asInstallError(signal.aborted ? signal.reason : error, installed.folder);
      const phase = failure instanceof InstallCancelledError ? "cancelled" : "failed";
      tell(phase, progress, failure?.message ?? "The installation failed unexpectedly.");
      throw failure ? this.#refuse(id, failure.message, failure.details) : error;
    }
    tell("done", 1, `${name} ${version} is installed`);
    onChanged(id);
  }

  #sweep(): Promise<void> {
    const inUse = [...this.#running.values()].map(({ staging }) => staging);
    return this.#options.installed.sweep(new Set(inUse));
  }

  #refuseDuringInstall(id: CliType): void {
    if (this.#running.has(id)) throw this.#refuse(id, "It is being installed. Wait for that, or cancel it first.");
  }

  #refuseInstall(id: CliType): RefusalError {
    if (this.#options.nameOf(id) === null) return new RefusalError(REFUSE.agentUnknown(id));
    return this.#refuse(id, "It cannot be installed from here.");
  }

  #refuse(id: CliType, message: string, details?: string): RefusalError {
    return new RefusalError(REFUSE.agentInstall(this.#options.nameOf(id) ?? id, message, details));
  }
}
