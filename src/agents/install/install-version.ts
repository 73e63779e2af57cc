import { existsSync } from "node:fs";
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isoTime, type World } from "../../ports/world.ts";
import type { Environment } from "../process/agent-environment.ts";
import type { ProcessHost } from "../process/process-host.ts";
import { fetchPackage, type PackageTool } from "./fetch-package.ts";
import { InstallError, type InstallProgress, type InstallTarget } from "./install-target.ts";
import { BUN_CONFIG_FILE, type InstalledAgents, type InstalledVersion } from "./installed-agents.ts";
import { smokeTest } from "./smoke-test.ts";

const MEBIBYTE = 1024 * 1024;
/** The share of the whole that each phase ends with. */
const PROGRESS = { prepared: 0.05, listed: 0.1, downloaded: 0.8, tested: 0.95 } as const;

/** What every install needs of its surroundings. */
export interface InstallSurroundings {
  readonly installed: InstalledAgents;
  readonly world: World;
  readonly host: ProcessHost;
  /** Asked for when it is needed: the machine's settings may have changed. */
  readonly packageTool: () => PackageTool;
  /** For the package tool, which needs the user's settings; and for agents, which must not see ours. */
  readonly toolEnv: () => Environment;
  readonly agentEnv: () => Promise<Environment>;
  readonly clientVersion: string;
  readonly answerTimeoutMs: number;
  /** Agents with a program of their own take up to half a gigabyte. */
  readonly freeBytesMin: number;
}

interface InstallRun extends InstallSurroundings {
  readonly target: InstallTarget;
  /** Where it is put together; nobody looks there before it works. */
  readonly staging: string;
  readonly mark: string;
  readonly signal: AbortSignal;
  readonly onProgress: (phase: InstallProgress["phase"], progress: number, message: string) => void;
}

/** Fetches a version aside, tries it, and only then switches to it. Whatever fails leaves nothing behind. */
export async function installVersion(run: InstallRun): Promise<void> {
  const { target, staging, signal, installed, world, onProgress } = run;
  const { name, version } = target.package;
  try {
    onProgress("preparing", 0, `Preparing to install ${target.name} ${version}`);
    await mkdir(staging, { recursive: true, mode: 0o700 });
    await checkDisk(run);
    await download(run);
    onProgress("testing", PROGRESS.downloaded, `Trying ${target.name} ${version}`);
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
    await installed.adopt(target.id, staging, done, run.mark);
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
    `Installing ${target.name} takes up to ${inMebibytes(freeBytesMin)} in ${dirname(dirname(staging))}, and ` +
      `${inMebibytes(free)} are free. Free some space and try again.`,
  );
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / MEBIBYTE)} MiB`;
}
