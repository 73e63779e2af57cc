import { constants, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { chmod, copyFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { replaceFile } from "../../agents/install/replace-file.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { DATABASE, writeBackup } from "../backup/write-backup.ts";
import { SECRET_VARIABLES } from "../config.ts";
import { BUN_COMMAND, OWN_ENVIRONMENT } from "../own-program.ts";
import { VERSION } from "../version.ts";
import { ownProgram, readUpdates, stateFile, type Updates, versionsFolder } from "./installation.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Unpacked and started beside others; a package with its Bun takes 200 MB. */
const TRY_MS_MAX = 120_000;
const FETCH_MS_MAX = 15 * 60_000;
const SHOWN_CHARS_MAX = 2_000;
const PACKAGE = "liminal-builder";
const STAGE = ".staging-";

/** Nothing was changed; the message has the reason and advice. */
export class UpdateError extends Error {
  override name = "UpdateError";
}

interface UpdateRequest {
  /** A packed package, an executable, or what the package manager understands: a version, a tag. */
  readonly source: string;
  readonly commands: readonly string[];
  readonly dataDir: string;
  readonly env: Environment;
  readonly onStep: (text: string) => void;
}

/** Fetches a version aside, tries it, and switches the commands to it. Until the last step nothing changes. */
export async function update(request: UpdateRequest): Promise<{ readonly version: string; readonly program: string }> {
  const { env, onStep } = request;
  const versions = versionsFolder(env);
  mkdirSync(versions, { recursive: true, mode: 0o700 });
  const stage = await mkdtemp(join(versions, STAGE));
  try {
    onStep(`Fetching ${request.source}…`);
    const staged = await fetchVersion(request, stage);
    onStep("Trying it…");
    const version = await tryVersion(request, join(stage, staged));
    const place = freePlace(versions, version);
    await rename(stage, place);
    const program = join(place, staged);
    await switchTo(request, program);
    return { version, program };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Back to what the commands started before the last update; once more, and they are forward again. */
export function goBack(env: Environment): string {
  const updates = readUpdates(env);
  if (!updates?.previous) throw new UpdateError("There is no earlier version to go back to.");
  const { previous, program } = updates;
  if (!existsSync(previous)) throw new UpdateError(`The earlier version is gone: ${previous} is missing.`);
  for (const command of updates.commands) link(command, previous);
  keep(env, { ...updates, program: previous, previous: program });
  return previous;
}

async function fetchVersion({ source, env }: UpdateRequest, stage: string): Promise<string> {
  const isFile = existsSync(source) && lstatSync(source).isFile();
  if (isFile && !/\.(?:tgz|tar\.gz)$/.test(source)) {
    await copyFile(source, join(stage, "liminal"));
    await chmod(join(stage, "liminal"), 0o755);
    return "liminal";
  }
  await writeFile(join(stage, "package.json"), JSON.stringify({ private: true }));
  const npm = Bun.which("npm", { PATH: env["PATH"] ?? "" });
  // Absolute: it is fetched in another directory.
  const spec = isFile ? resolve(source) : `${PACKAGE}@${source}`;
  const command = npm
    ? [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--logs-max=0", spec]
    : [...BUN_COMMAND, "add", "--ignore-scripts", "--no-progress", "--no-summary", spec];
  const { code, output } = await run(command, { cwd: stage, env, limitMs: FETCH_MS_MAX });
  const program = join("node_modules", PACKAGE, "bin/liminal");
  if (code !== 0 || !existsSync(join(stage, program)))
    throw new UpdateError(`Could not fetch ${spec}. Nothing was changed.\n${output.trim().slice(-SHOWN_CHARS_MAX)}`);
  return program;
}

const Started = z.object({ url: z.string() });

/**
 * Starts it on an empty data directory, and lets it check a copy of the user's data. The user's own data is not
 * touched.
 */
async function tryVersion({ dataDir, env }: UpdateRequest, program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lu-"));
  const own = Object.entries(env).filter(([name]) => !SECRET_VARIABLES.some((secret) => secret === name));
  const quiet = { LIMINAL_PORT: "0", LIMINAL_HOST: "127.0.0.1", LIMINAL_NO_OPEN: "1", LIMINAL_REGISTRY_URL: "off" };
  const surroundings = (data: string) => ({
    cwd: folder,
    env: { ...Object.fromEntries(own), ...OWN_ENVIRONMENT, ...quiet, LIMINAL_DATA_DIR: join(folder, data) },
    limitMs: TRY_MS_MAX,
  });
  try {
    const said = await run([program, "--version"], surroundings("empty"));
    const version = said.stdout.trim();
    if (said.code !== 0 || !/^\d+\.\d+\.\d+[\w.+-]*$/.test(version))
      throw new UpdateError(
        `This is no program that runs here. Nothing was changed.\n${said.output.slice(-SHOWN_CHARS_MAX)}`,
      );
    await tryServer(program, surroundings("empty"));
    if (existsSync(join(dataDir, DATABASE))) {
      const target = join(folder, "backup");
      await writeBackup({ dataDir, target, version: VERSION, now: new Date().toISOString(), withCheckpoints: false });
      const checked = await run([program, "restore", target], surroundings("copy"));
      if (checked.code !== 0)
        throw new UpdateError(
          `Version ${version} cannot use your data. Nothing was changed.\n${checked.output.trim().slice(-SHOWN_CHARS_MAX)}`,
        );
    }
    return version;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryServer(program: string, { cwd, env, limitMs }: Surroundings): Promise<void> {
  const child = Bun.spawn([program, "serve", "--json"], {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  const errors = new Response(child.stderr).text();
  const { value } = await child.stdout.getReader().read();
  const started = Started.safeParse(parseJson(new TextDecoder().decode(value ?? new Uint8Array())));
  const status = started.success ? (await fetch(started.data.url, { redirect: "manual" })).status : 0;
  child.kill("SIGTERM");
  const code = await child.exited;
  if (status === 0 || status >= 400 || code !== 0)
    throw new UpdateError(
      `The new version does not start. Nothing was changed.\n${(await errors).slice(-SHOWN_CHARS_MAX)}`,
    );
}

async function switchTo({ commands, env }: UpdateRequest, program: string): Promise<void> {
  const before = readUpdates(env);
  const old = await keepOld(ownProgram(), commands, env);
  const first = before === null ? (old === ownProgram() ? old : null) : before.first;
  for (const command of commands) link(command, program);
  keep(env, { commands: [...new Set([...(before?.commands ?? []), ...commands])], program, previous: old, first });
  removeOthers(env, [program, old]);
}

/** An executable that is itself the command would be replaced: it moves among the versions first. */
async function keepOld(program: string, commands: readonly string[], env: Environment): Promise<string> {
  if (!commands.some((command) => command === program && lstatSync(command).isFile())) return program;
  const place = freePlace(versionsFolder(env), VERSION);
  mkdirSync(place);
  await copyFile(program, join(place, "liminal"), constants.COPYFILE_FICLONE);
  return join(place, "liminal");
}

function freePlace(versions: string, version: string): string {
  for (let number = 1; ; number++) {
    const place = join(versions, number === 1 ? version : `${version}-${number}`);
    if (!existsSync(place)) return place;
  }
}

/** In one step: whoever starts the command meanwhile gets the old version or the new one. */
function link(command: string, program: string): void {
  const aside = join(dirname(command), `.${basename(command)}-${process.pid}`);
  rmSync(aside, { force: true });
  symlinkSync(program, aside);
  renameSync(aside, command);
}

function keep(env: Environment, updates: Updates): void {
  replaceFile(stateFile(env), JSON.stringify(updates, null, 2));
}

function removeOthers(env: Environment, kept: readonly string[]): void {
  const versions = versionsFolder(env);
  for (const { name } of readdirSync(versions, { withFileTypes: true }).filter((one) => one.isDirectory())) {
    const folder = join(versions, name);
    if (!name.startsWith(STAGE) && !kept.some((program) => program.startsWith(`${folder}/`)))
      rmSync(folder, { recursive: true, force: true });
  }
}

interface Surroundings {
  readonly cwd: string;
  readonly env: Environment;
  readonly limitMs: number;
}

async function run(command: readonly string[], { cwd, env, limitMs }: Surroundings) {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, output: `${stdout}${stderr}` };
}
