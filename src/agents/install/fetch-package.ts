import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessHost } from "../process/process-host.ts";
import type { PackageTool } from "./choose-package-tool.ts";
import { countPackages } from "./count-packages.ts";
import { explainFetchFailure } from "./explain-fetch-failure.ts";
import type { PackageSpec } from "./package-spec.ts";
import { runTool } from "./run-tool.ts";

const LOOK_EVERY_MS = 250;
/** By itself npm waits for more than a minute before it says that something cannot be had. */
const NPM_RETRY_MS = 500;
/** Downloads are kept here until they are in place, so that a damaged one never comes from somewhere else. */
const CACHE_FOLDER = ".downloads";

interface FetchOptions {
  readonly spec: PackageSpec;
  /** Empty and ours; the package and all it needs are put into its `node_modules`. */
  readonly folder: string;
  readonly tool: PackageTool;
  readonly host: ProcessHost;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** How many of how many packages have arrived. */
  readonly onArrived: (arrived: number, total: number) => void;
}

/** Fetches one exact version with everything it needs. No package gets to run a script of its own. */
export async function fetchPackage(options: FetchOptions): Promise<void> {
  const { spec, folder, tool } = options;
  await mkdir(join(folder, CACHE_FOLDER), { recursive: true });
  const wanted = { private: true, dependencies: { [spec.name]: spec.version } };
  await writeFile(join(folder, "package.json"), JSON.stringify(wanted));
  if (tool.kind === "bun") await fetchWithBun(options);
  else await run(options, npmArguments(folder));
  await rm(join(folder, CACHE_FOLDER), { recursive: true, force: true });
}

/** First the exact list of all packages, then the packages: so the share that has arrived is known. */
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
  const { code, output } = await runTool({ host, command: [tool.program, ...args], cwd: folder, env, signal });
  if (code !== 0) throw explainFetchFailure(spec, output);
}

/** A package appears under its name and version once it is unpacked; those with a scope one folder deeper. */
function arrivedIn(cache: string): number {
  const inside = (folder: string) => readdirSync(folder).filter((name) => name.includes("@@@")).length;
  const scopes = readdirSync(cache).filter((name) => name.startsWith("@"));
  return inside(cache) + scopes.reduce((sum, scope) => sum + inside(join(cache, scope)), 0);
}
