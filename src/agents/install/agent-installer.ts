import { existsSync } from "node:fs";
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ignore } from "../../lib/ignore.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { CliType } from "../../protocol/ids.ts";
import type { Environment } from "../process/agent-environment.ts";
import type { ProcessHost } from "../process/process-host.ts";
import { fetchPackage, type PackageTool } from "./fetch-package.ts";
import {
  asInstallError,
  InstallCancelledError,
  InstallError,
  type InstallProgress,
  type InstallTarget,
} from "./install-target.ts";
import { BUN_CONFIG_FILE, type InstalledAgents, type InstalledVersion } from "./installed-agents.ts";
import { smokeTest } from "./smoke-test.ts";

const MARK_CHARS = 8;

interface AgentInstallerOptions extends InstallSurroundings {
  /** What would be installed; null if it cannot be installed from here. */
  readonly target: (id: CliType) => InstallTarget | null;
  readonly nameOf: (id: CliType) => string | null;
  /** Ends idle processes of the agent; false if one is busy and may still read its files. */
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

/** Installs, updates, rolls back and removes agents; one change per agent at a time. Failures are RefusalErrors. */
export class AgentInstaller {
  readonly #options: AgentInstallerOptions;
  readonly #running = new Map<CliType, Running>();

  constructor(options: AgentInstallerOptions) {
    this.#options = options;
  }

  /** Installs the catalog's version unless another is named. Concurrent callers share one outcome. */
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

  /** Settles when nothing of the install is left; does nothing if none is running. */
  async cancel(id: CliType): Promise<void> {
    const running = this.#running.get(id);
    running?.cancel.abort(new InstallCancelledError("The installation was cancelled."));
    await running?.done.catch(ignore("the caller of install gets the error"));
  }

  async uninstall(id: CliType): Promise<void> {
    const { installed, world, release, onChanged } = this.#options;
    this.#refuseDuringInstall(id);
    if (!installed.current(id))
      throw this.#refuse(id, "Liminal Builder did not install it, so there is nothing to remove.");
    if (!release(id)) throw this.#refuse(id, "It is running. Wait for its turns to finish, or cancel them.");
    await installed.remove(id, world.newId().slice(0, MARK_CHARS));
    onChanged(id);
  }

  rollBack(id: CliType): void {
    this.#refuseDuringInstall(id);
    if (!this.#options.installed.rollBack(id))
      throw this.#refuse(id, "No previous version to roll back to. Install a specific version instead.");
    this.#options.release(id);
    this.#options.onChanged(id);
  }

  /** Aborts all installs. */
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
      // Remains of a killed server are removed first: they may be what fills the disk.
      await this.#sweep();
      await installVersion({ ...this.#options, target, staging, mark, signal, onProgress: tell });
      if (release(id)) await installed.prune(id);
      await this.#sweep();
    } catch (error) {
      if (!installed.current(id)) await installed.prune(id).catch(ignore("the first failure is the one reported"));
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
    if (this.#running.has(id))
      throw this.#refuse(id, "An installation is in progress. Wait for it, or cancel it first.");
  }

  #refuseInstall(id: CliType): RefusalError {
    if (this.#options.nameOf(id) === null) return new RefusalError(REFUSE.agentUnknown(id));
    return this.#refuse(id, "It cannot be installed by Liminal Builder.");
  }

  #refuse(id: CliType, message: string, details?: string): RefusalError {
    return new RefusalError(REFUSE.agentInstall(this.#options.nameOf(id) ?? id, message, details));
  }
}

const MEBIBYTE = 1024 * 1024;
/** Progress at the end of each phase. */
const PROGRESS = { prepared: 0.05, listed: 0.1, downloaded: 0.8, tested: 0.95 } as const;

/** What every install needs. */
export interface InstallSurroundings {
  readonly installed: InstalledAgents;
  readonly world: World;
  readonly host: ProcessHost;
  /** Called on demand: the machine's settings may have changed. */
  readonly packageTool: () => PackageTool;
  /** For the package tool, which needs the user's settings; and for agents, which must not see ours. */
  readonly toolEnv: () => Environment;
  readonly agentEnv: () => Promise<Environment>;
  readonly clientVersion: string;
  readonly answerTimeoutMs: number;
  /** Agents with a native program need up to half a gigabyte. */
  readonly freeBytesMin: number;
}

interface InstallRun extends InstallSurroundings {
  readonly target: InstallTarget;
  /** Where it is assembled; not visible to readers before it works. */
  readonly staging: string;
  readonly mark: string;
  readonly signal: AbortSignal;
  readonly onProgress: (phase: InstallProgress["phase"], progress: number, message: string) => void;
}

/** Fetches a version into a staging directory, tests it, and only then activates it. A failure leaves nothing behind. */
export async function installVersion(run: InstallRun): Promise<void> {
  const { target, staging, signal, installed, world, onProgress } = run;
  const { name, version } = target.package;
  try {
    onProgress("preparing", 0, `Preparing to install ${target.name} ${version}`);
    await mkdir(staging, { recursive: true, mode: 0o700 });
    await checkDisk(run);
    await download(run);
    onProgress("testing", PROGRESS.downloaded, `Testing ${target.name} ${version}`);
    const command = await smokeTest({
      ...run,
      folder: staging,
      env: { ...(await run.agentEnv()), ...target.env },
      commandOf: (launch) => installed.commandOf(staging, { command: launch }),
    });
    signal.throwIfAborted();
    onProgress("switching", PROGRESS.tested, `Switching to ${target.name} ${version}`);
    const env = { ...target.env };
    const done: InstalledVersion = { version, package: name, installedAt: isoTime(world), command, env };
    await installed.activate(target.id, staging, done, run.mark);
  } finally {
    if (existsSync(staging)) await rm(staging, { recursive: true, force: true });
  }
}

async function download(run: InstallRun): Promise<void> {
  const { target, staging, host, signal, onProgress } = run;
  const what = `Downloading ${target.name} ${target.package.version}`;
  onProgress("downloading", PROGRESS.prepared, what);
  let shown = -1;
  await fetchPackage({
    spec: target.package,
    folder: staging,
    tool: run.packageTool(),
    host,
    env: run.toolEnv(),
    signal,
    onArrived: (arrived, total) => {
      if (arrived === shown || total === 0) return;
      shown = arrived;
      const share = (arrived / total) * (PROGRESS.downloaded - PROGRESS.listed);
      onProgress("downloading", PROGRESS.listed + share, `${what} (${arrived} of ${total} packages)`);
    },
  });
  await writeFile(join(staging, BUN_CONFIG_FILE), "");
}

async function checkDisk({ staging, freeBytesMin, target }: InstallRun): Promise<void> {
  const { bavail, bsize } = await statfs(staging);
  const free = bavail * bsize;
  if (free >= freeBytesMin) return;
  throw new InstallError(
    `Installing ${target.name} needs up to ${inMebibytes(freeBytesMin)} in ${dirname(dirname(staging))}, but ` +
      `only ${inMebibytes(free)} are free. Free some space and try again.`,
  );
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / MEBIBYTE)} MiB`;
}
