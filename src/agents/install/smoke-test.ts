import { chmodSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../process/agent-environment.ts";
import type { ProcessHost } from "../process/process-host.ts";
import { OWNER_VARIABLE, sweepLeftovers } from "../process/sweep-leftovers.ts";
import { unsupportedPlatform } from "./explain-fetch-failure.ts";
import { InstallError } from "./install-error.ts";
import type { InstallTarget } from "./install-target.ts";
import type { Launch } from "./installed-version.ts";
import { launchCandidates } from "./launch-candidates.ts";
import { type ProbeFailure, probeAgent } from "./probe-agent.ts";

/** Inside the staged version: its own home, so that a trial reads and leaves nothing in the user's. */
const TRIAL_FOLDER = ".trial";

interface SmokeTestOptions {
  readonly target: InstallTarget;
  /** Where the fetched version lies. */
  readonly folder: string;
  readonly mark: string;
  readonly commandOf: (launch: Launch) => readonly string[] | null;
  readonly host: ProcessHost;
  readonly env: Environment;
  readonly clientVersion: string;
  readonly answerTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Finds the way to start a fetched agent by trying: started, greeted, one session opened. */
export async function smokeTest(options: SmokeTestOptions): Promise<Launch> {
  const { target, folder } = options;
  const failures: ProbeFailure[] = [];
  const { launches, lacksBuild } = launchCandidates(folder, target);
  for (const launch of launches) {
    const failure = await tryLaunch(options, launch);
    if (failure === null) return launch;
    failures.push(failure);
  }
  const { version } = target.package;
  const complaints = failures.map(({ reason, stderr }) => [reason, stderr].filter(Boolean).join("\n"));
  const details = [...new Set(complaints)].join("\n");
  if (lacksBuild) throw unsupportedPlatform(version, details);
  const reason = failures[0]?.reason.replace(/\.$/, "") ?? "it has no program to start";
  throw new InstallError(
    `Version ${version} was fetched but does not work here: ${reason}. Nothing was changed.`,
    details,
  );
}

async function tryLaunch(options: SmokeTestOptions, launch: Launch): Promise<ProbeFailure | null> {
  const { folder, host, signal, clientVersion, answerTimeoutMs } = options;
  const command = options.commandOf(launch);
  if (!command) return { reason: `no ${launch.runtime} was found to run it`, stderr: "" };
  if (launch.runtime === "native") chmodSync(join(folder, launch.file), 0o755);
  const trial = join(folder, TRIAL_FOLDER);
  const work = join(trial, "work");
  await mkdir(work, { recursive: true });
  await mkdir(join(trial, "home"));
  const owner = `trial-${options.mark}`;
  const env = { ...options.env, ...homeOf(trial), [OWNER_VARIABLE]: owner };
  try {
    return await probeAgent({ host, command, cwd: work, env, clientVersion, answerTimeoutMs, signal });
  } finally {
    // Some agents start helpers of their own that outlive them.
    sweepLeftovers(owner);
    await rm(trial, { recursive: true, force: true });
  }
}

/** A trial never signs in and never opens a browser. */
function homeOf(trial: string): Environment {
  const home = join(trial, "home");
  return {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    NO_BROWSER: "1",
  };
}
