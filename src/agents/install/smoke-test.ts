import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { z } from "zod";
import type { Environment } from "../process/agent-environment.ts";
import type { ProcessHost } from "../process/process-host.ts";
import { OWNER_VARIABLE, sweepLeftovers } from "../process/sweep-leftovers.ts";
import { unsupportedPlatform } from "./fetch-package.ts";
import { InstallError, type InstallTarget } from "./install-target.ts";
import type { Launch } from "./installed-agents.ts";
import { type ProbeFailure, probeAgent } from "./probe-agent.ts";

/** A home directory inside the staged version, so that the test reads and writes nothing in the user's home. */
const TRIAL_FOLDER = ".trial";

interface SmokeTestOptions {
  readonly target: InstallTarget;
  /** The folder of the fetched version. */
  readonly folder: string;
  readonly mark: string;
  readonly commandOf: (launch: Launch) => readonly string[] | null;
  readonly host: ProcessHost;
  readonly env: Environment;
  readonly clientVersion: string;
  readonly answerTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Finds a working start command for a fetched agent by testing: start, initialize, open one session. */
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
  const reason = failures[0]?.reason.replace(/\.$/, "") ?? "it has no executable";
  throw new InstallError(
    `Version ${version} was downloaded but does not work: ${reason}. Nothing was changed.`,
    details,
  );
}

async function tryLaunch(options: SmokeTestOptions, launch: Launch): Promise<ProbeFailure | null> {
  const { folder, host, signal, clientVersion, answerTimeoutMs } = options;
  const command = options.commandOf(launch);
  if (!command) return { reason: `${launch.runtime} was not found`, stderr: "" };
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
    // Some agents start helper processes that outlive them.
    sweepLeftovers(owner);
    await rm(trial, { recursive: true, force: true });
  }
}

/** The test never signs in and never opens a browser. */
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

const PackageJson = z.object({
  version: z.string(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
type PackageJson = z.infer<typeof PackageJson>;

/** Magic bytes of native programs: ELF, Mach-O (both byte orders, and universal), PE. */
const NATIVE_STARTS = ["7f454c46", "cffaedfe", "cefaedfe", "feedfacf", "cafebabe", "4d5a"];
const START_BYTES = 4;

const PTY_ADDON = /(?:^|\/)node-pty$/;

/** Names that packages use for the systems they are built for. */
const OS_NAMES: Readonly<Record<string, readonly string[]>> = { win32: ["win32", "windows"] };
const SYSTEM_IN_NAME = /-(?:darwin|linux|win32|windows)-(?:x64|arm64)\b/;

interface LaunchCandidates {
  /** Most promising first; the test decides. */
  readonly launches: readonly Launch[];
  /** It has native programs for some systems, and none for this one. */
  readonly lacksBuild: boolean;
}

/** Possible ways to start a fetched package here. */
export function launchCandidates(folder: string, target: InstallTarget): LaunchCandidates {
  const { version } = target.package;
  const home = join("node_modules", target.package.name);
  if (!existsSync(join(folder, home, "package.json"))) throw unsupportedPlatform(version);
  const manifest = PackageJson.parse(JSON.parse(readFileSync(join(folder, home, "package.json"), "utf8")));
  if (manifest.version !== version)
    throw new InstallError(`Received version ${manifest.version} instead of ${version}.`);
  const { program, file } = programOf(manifest, target);
  const own = join(home, file);
  if (!isInside(folder, own))
    throw new InstallError(`Version ${version} refers to a program outside its package: ${file}.`);
  if (!existsSync(join(folder, own)))
    throw new InstallError(`Version ${version} refers to a missing program: ${file}.`);
  const launch = (runtime: Launch["runtime"], at: string): Launch => ({ runtime, file: at, args: [...target.args] });
  const here = packagesForThisSystem(folder, manifest);
  const natives = here.flatMap((name) => programsIn(folder, name, program)).map((at) => launch("native", at));
  const isItself = isNative(join(folder, own));
  const perSystem = Object.keys(manifest.optionalDependencies ?? {}).some((name) => SYSTEM_IN_NAME.test(name));
  const scripts = [launch("bun", own), launch("node", own)];
  return {
    launches: [
      ...natives,
      ...(isItself ? [launch("native", own)] : usesPty(manifest) ? scripts.toReversed() : scripts),
    ],
    lacksBuild: perSystem && here.length === 0,
  };
}

/**
 * Bun cannot run the native add-on that gives an agent its own terminal: commands would seem to succeed and never run,
 * which the test cannot detect. Node is preferred then, if available.
 */
function usesPty({ dependencies, optionalDependencies }: PackageJson): boolean {
  return Object.keys({ ...dependencies, ...optionalDependencies }).some((name) => PTY_ADDON.test(name));
}

/** The requested program, else the one named like the package, else the first. */
function programOf({ bin }: PackageJson, target: InstallTarget): { program: string; file: string } {
  const named = basename(target.package.name);
  const programs = typeof bin === "string" ? { [named]: bin } : (bin ?? {});
  const program = target.program ?? (Object.hasOwn(programs, named) ? named : Object.keys(programs)[0]);
  const file = program !== undefined && Object.hasOwn(programs, program) ? programs[program] : undefined;
  if (program === undefined || file === undefined)
    throw new InstallError(`Version ${target.package.version} contains no executable.`);
  return { program, file };
}

/**
 * Many agents are a wrapper with a native program per system, linked by an install script. Scripts do not run here, so
 * the program is looked up in the packages for this system: the plain one first, then variants for older machines.
 */
function packagesForThisSystem(folder: string, { optionalDependencies = {} }: PackageJson): readonly string[] {
  const systems = (OS_NAMES[process.platform] ?? [process.platform]).map((os) => `-${os}-${process.arch}`);
  const variant = (name: string) => (systems.some((system) => name.endsWith(system)) ? 0 : 1);
  return Object.keys(optionalDependencies)
    .filter((name) => systems.some((system) => name.includes(system)))
    .filter((name) => existsSync(join(folder, "node_modules", name)))
    .sort((one, other) => variant(one) - variant(other));
}

function programsIn(folder: string, name: string, program: string): readonly string[] {
  return ["bin", ""]
    .map((part) => join("node_modules", name, part))
    .flatMap((place) => filesIn(join(folder, place)).map((file) => join(place, file)))
    .filter((file) => basename(file).replace(/\.exe$/, "") === program && isNative(join(folder, file)));
}

function filesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Neither its name nor a link leads out of the fetched folder. */
function isInside(folder: string, file: string): boolean {
  const leads = (from: string, to: string) => to.startsWith(`${from}${sep}`);
  const path = join(folder, file);
  return leads(folder, path) && (!existsSync(path) || leads(realpathSync(folder), realpathSync(path)));
}

function isNative(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  const start = Buffer.alloc(START_BYTES);
  const file = openSync(path, "r");
  try {
    readSync(file, start, 0, START_BYTES, 0);
  } finally {
    closeSync(file);
  }
  return NATIVE_STARTS.some((known) => start.toString("hex").startsWith(known));
}
