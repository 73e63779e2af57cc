import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { killGroup } from "../process/agent-process.ts";
import type { ProcessHost } from "../process/process-host.ts";
import { InstallError, type PackageSpec } from "./install-target.ts";

const LOOK_EVERY_MS = 250;
/** By default npm takes more than a minute to report that something is unavailable. */
const NPM_RETRY_MS = 500;
/** Downloads stay here until they are in place, so that a damaged one never comes from a shared cache. */
const CACHE_FOLDER = ".downloads";

interface FetchOptions {
  readonly spec: PackageSpec;
  /** Empty and ours; the package and its dependencies go into its `node_modules`. */
  readonly folder: string;
  readonly tool: PackageTool;
  readonly host: ProcessHost;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** How many of how many packages have arrived. */
  readonly onArrived: (arrived: number, total: number) => void;
}

/** Fetches one exact version with its dependencies. No package scripts run. */
export async function fetchPackage(options: FetchOptions): Promise<void> {
  const { spec, folder, tool } = options;
  await mkdir(join(folder, CACHE_FOLDER), { recursive: true });
  const wanted = { private: true, dependencies: { [spec.name]: spec.version } };
  await writeFile(join(folder, "package.json"), JSON.stringify(wanted));
  if (tool.kind === "bun") await fetchWithBun(options);
  else await run(options, npmArguments(folder));
  await rm(join(folder, CACHE_FOLDER), { recursive: true, force: true });
}

/** Resolves the list of packages first, then fetches them, so that progress can be reported. */
async function fetchWithBun(options: FetchOptions): Promise<void> {
  const { folder } = options;
  const cache = join(folder, CACHE_FOLDER);
  const quietly = ["--ignore-scripts", "--no-progress", "--no-summary", `--cache-dir=${cache}`];
  await run(options, ["install", "--lockfile-only", ...quietly]);
  const lock = join(folder, "bun.lock");
  const total = existsSync(lock) ? countPackages(readFileSync(lock, "utf8"), process.platform, process.arch) : 0;
  const look = () => options.onArrived(Math.min(arrivedIn(cache), total), total);
  const looking = setInterval(look, LOOK_EVERY_MS);
  try {
    await run(options, ["install", "--frozen-lockfile", ...quietly]);
    look();
  } finally {
    clearInterval(looking);
  }
}

function npmArguments(folder: string): readonly string[] {
  const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
  const soon = [`--fetch-retry-mintimeout=${NPM_RETRY_MS}`, `--fetch-retry-maxtimeout=${NPM_RETRY_MS}`];
  return [
    "install",
    `--prefix=${folder}`,
    `--cache=${join(folder, CACHE_FOLDER)}`,
    "--logs-max=0",
    ...quietly,
    ...soon,
  ];
}

async function run({ tool, host, folder, env, signal, spec }: FetchOptions, args: readonly string[]): Promise<void> {
  const { code, output } = await runTool({ host, command: [...tool.command, ...args], cwd: folder, env, signal });
  if (code !== 0) throw explainFetchFailure(spec, output);
}

/** A package appears under its name and version once it is unpacked; scoped ones are one folder deeper. */
function arrivedIn(cache: string): number {
  const inside = (folder: string) => readdirSync(folder).filter((name) => name.includes("@@@")).length;
  const scopes = readdirSync(cache).filter((name) => name.startsWith("@"));
  return inside(cache) + scopes.reduce((sum, scope) => sum + inside(join(cache, scope)), 0);
}

export interface PackageTool {
  readonly kind: "bun" | "npm";
  readonly command: readonly string[];
}

interface ToolSurroundings {
  readonly bun: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly which: (program: string) => string | null;
}

/** Settings that define where packages come from and how they are reached. */
const SOURCE_SETTING =
  /^\s*(?:@[^:\s]+:registry|registry|(?:\/\/.*)?_(?:auth|authToken|password)|https?-proxy|proxy|ca|cafile)\s*=/m;

/**
 * Our own Bun, which reads the user's .npmrc, bunfig and environment. Only npm reads npm's machine-wide
 * settings; if those define the package source, npm is used.
 */
export function choosePackageTool({ bun, env, which }: ToolSurroundings): PackageTool {
  const npm = which("npm");
  const settings = npm && machineSettings(env, which);
  if (npm && settings && existsSync(settings) && SOURCE_SETTING.test(readFileSync(settings, "utf8")))
    return { kind: "npm", command: [npm] };
  return { kind: "bun", command: bun };
}

function machineSettings(env: ToolSurroundings["env"], which: ToolSurroundings["which"]): string | null {
  const named = env["npm_config_globalconfig"] ?? env["NPM_CONFIG_GLOBALCONFIG"];
  if (named) return named;
  const node = which("node");
  const prefix = env["npm_config_prefix"] ?? env["NPM_CONFIG_PREFIX"] ?? env["PREFIX"];
  if (prefix) return join(prefix, "etc/npmrc");
  return node && join(dirname(dirname(realpathSync(node))), "etc/npmrc");
}

/** Number of packages in a Bun lockfile for this machine; there is one package per line. */
export function countPackages(lock: string, platform: string, arch: string): number {
  const packages = lock.split("\n").filter((line) => /^ {4}"[^"]+": \[/.test(line));
  return packages.filter((line) => allows(line, "os", platform) && allows(line, "cpu", arch)).length;
}

/** Written as `"os": "linux"`, as a list, or not at all; `!win32` excludes one. */
function allows(line: string, field: "os" | "cpu", value: string): boolean {
  const written = new RegExp(`"${field}": (\\[[^\\]]*\\]|"[^"]*")`).exec(line)?.[1];
  if (written === undefined) return true;
  const names = [...written.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? "");
  if (names.includes(`!${value}`)) return false;
  return names.includes(value) || names.every((name) => name.startsWith("!"));
}

const OUTPUT_CHARS_MAX = 16 * 1024;

interface ToolRun {
  readonly host: ProcessHost;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Runs a program to its end and returns the end of its output; an abort kills its whole group at once. */
async function runTool({ host, signal, ...spec }: ToolRun): Promise<{ code: number | null; output: string }> {
  signal.throwIfAborted();
  let output = "";
  const note = (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARS_MAX);
  };
  const running = host.start({
    ...spec,
    onLine: (line) => note(`${line}\n`),
    onStderr: note,
    onTooLong: (bytes) => note(`(a line of ${bytes} bytes)\n`),
  });
  const end = () => killGroup(running.pid, "SIGKILL");
  signal.addEventListener("abort", end);
  try {
    const { code } = await running.exited;
    signal.throwIfAborted();
    return { code, output: output.trim() };
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Output of the package tools for each failure; most have no error code. */
const SIGNS = {
  disk: /ENOSPC|NoSpaceLeft|No space left/i,
  checksum: /IntegrityCheckFailed|Integrity check failed|EINTEGRITY/,
  platform: /EBADPLATFORM/,
  signIn: /- 40[13]\b|\bE40[13]\b|ENEEDAUTH/,
  missing: /- 404\b|\bE404\b|No version matching|ETARGET/,
  certificate: /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS/i,
  offline:
    /Connection(Refused|Closed|Reset)|DNSResolveFailed|FailedToOpenSocket|Timeout|ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i,
} as const;

/** Converts a failed download to an error that the user can act on. */
function explainFetchFailure(spec: PackageSpec, output: string): InstallError {
  const what = `${spec.name} ${spec.version}`;
  // Packages for other systems are missing from many registries, which only causes a warning.
  const errors = output.replace(/^warn:.*$/gm, "");
  const has = (sign: keyof typeof SIGNS) => SIGNS[sign].test(errors);
  if (has("disk")) return new InstallError("The disk is full. Free some space and try again.", output);
  if (has("checksum"))
    return new InstallError(
      `The download of ${what} does not match its published checksum and was discarded. ` +
        "Try again. If this continues, contact the operator of your package registry.",
      output,
    );
  if (has("platform")) return unsupportedPlatform(spec.version, output);
  if (has("signIn"))
    return new InstallError(
      `Your package registry requires authentication for ${what}. Check the token in your .npmrc.`,
      output,
    );
  if (has("missing"))
    return new InstallError(
      `Your package registry does not have ${what} or one of its dependencies. ` +
        "Choose another version, or check the registry in your .npmrc.",
      output,
    );
  if (has("offline"))
    return new InstallError(
      "The package registry cannot be reached. Check the network (and the proxy and registry in your .npmrc), then try again.",
      output,
    );
  if (has("certificate"))
    return new InstallError(
      "The package registry's certificate is not trusted. Check cafile in your .npmrc, or NODE_EXTRA_CA_CERTS.",
      output,
    );
  return new InstallError(`${what} could not be downloaded.`, output);
}

export function unsupportedPlatform(version: string, details?: string): InstallError {
  return new InstallError(`Version ${version} has no build for ${process.platform} on ${process.arch}.`, details);
}
