import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ExactVersion } from "../../protocol/exact-version.ts";
import { CliType } from "../../protocol/ids.ts";
import { replaceFile } from "./replace-file.ts";

const CURRENT_FILE = "current.json";
/** Marks a folder that is not, or no longer, part of an install; such folders may be removed. */
const ASIDE = ".staging-";

/** The installs in this data directory: `<agent>/<version>/`, and `<agent>/current.json` that names the current one. */
export class InstalledAgents {
  readonly #folder: string;
  readonly #runtimes: Runtimes;
  readonly #warn: (text: string) => void;
  /** One server owns the data directory, so the cache stays valid. */
  readonly #known = new Map<CliType, CurrentVersion | null>();

  constructor(options: { folder: string; runtimes: Runtimes; warn: (text: string) => void }) {
    this.#folder = options.folder;
    this.#runtimes = options.runtimes;
    this.#warn = options.warn;
  }

  get folder(): string {
    return this.#folder;
  }

  current(id: CliType): CurrentVersion | null {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const current = this.#read(id);
    this.#known.set(id, current);
    return current;
  }

  /** The command to start, or null if it is not installed or its files are missing. */
  command(id: CliType): readonly string[] | null {
    const current = this.current(id);
    return current && this.isWhole(id, current)
      ? this.commandOf(this.versionFolder(id, current.version), current)
      : null;
  }

  /** The catalog's view. */
  view(id: CliType): InstalledAgent | null {
    const current = this.current(id);
    if (!current) return null;
    const { version, env, previous } = current;
    return { version, env, previousVersion: previous?.version ?? null, command: this.command(id) };
  }

  commandOf(folder: string, installed: Pick<InstalledVersion, "command">): readonly string[] | null {
    return launchCommand(folder, installed.command, this.#runtimes);
  }

  isWhole(id: CliType, installed: InstalledVersion): boolean {
    return existsSync(join(this.versionFolder(id, installed.version), installed.command.file));
  }

  versionFolder(id: CliType, version: string): string {
    return join(this.#folder, id, version);
  }

  /** A folder beside the versions that readers ignore. */
  asideFolder(id: CliType, version: string, mark: string): string {
    return join(this.#folder, id, `${version}${ASIDE}${mark}`);
  }

  /** Moves a finished folder into place and makes it current; the previous version stays for a rollback. */
  async activate(id: CliType, staged: string, installed: InstalledVersion, mark: string): Promise<void> {
    const place = this.versionFolder(id, installed.version);
    if (existsSync(place)) await rename(place, this.asideFolder(id, installed.version, `old-${mark}`));
    await rename(staged, place);
    const before = this.current(id);
    this.#write(id, { ...installed, previous: previousOf(before, installed.version) });
  }

  /** Swaps the current and the previous version. Null if there is no previous one. */
  rollBack(id: CliType): CurrentVersion | null {
    const before = this.current(id);
    const previous = before?.previous;
    if (!before || !previous || !this.isWhole(id, previous)) return null;
    const { previous: _previous, ...left } = before;
    const current = { ...previous, previous: left };
    this.#write(id, current);
    return current;
  }

  /** Removes the agent completely. The rename takes effect at once, so that the next install starts clean. */
  async remove(id: CliType, mark: string): Promise<void> {
    const folder = join(this.#folder, id);
    this.#known.set(id, null);
    if (!existsSync(folder)) return;
    const aside = join(this.#folder, `${id}${ASIDE}${mark}`);
    renameSync(folder, aside);
    await rm(aside, { recursive: true, force: true });
  }

  /** Removes remains of killed installs and removals, except the folders in use now. */
  async sweep(inUse: ReadonlySet<string>): Promise<void> {
    const folders = namesIn(this.#folder).flatMap((name) => {
      const inside = CliType.safeParse(name).success ? namesIn(join(this.#folder, name)) : [];
      return [name, ...inside.map((version) => join(name, version))];
    });
    const left = folders.filter((path) => path.includes(ASIDE)).map((path) => join(this.#folder, path));
    for (const path of left) if (!inUse.has(path)) await rm(path, { recursive: true, force: true });
  }

  /** Removes versions that are neither current nor previous. */
  async prune(id: CliType): Promise<void> {
    const current = this.current(id);
    const kept = new Set([CURRENT_FILE, current?.version, current?.previous?.version]);
    const others = namesIn(join(this.#folder, id)).filter((name) => !kept.has(name) && !name.includes(ASIDE));
    for (const name of others) await rm(join(this.#folder, id, name), { recursive: true, force: true });
    if (!current) await rm(join(this.#folder, id), { recursive: true, force: true });
  }

  #write(id: CliType, current: CurrentVersion): void {
    mkdirSync(join(this.#folder, id), { recursive: true, mode: 0o700 });
    replaceFile(join(this.#folder, id, CURRENT_FILE), `${JSON.stringify(current, null, 2)}\n`);
    this.#known.set(id, current);
  }

  #read(id: CliType): CurrentVersion | null {
    const path = join(this.#folder, id, CURRENT_FILE);
    if (!existsSync(path)) return null;
    try {
      return CurrentVersion.parse(JSON.parse(readFileSync(path, "utf8")));
    } catch (error) {
      this.#warn(`Cannot read ${path}, so ${id} is treated as not installed: ${error}`);
      return null;
    }
  }
}

function previousOf(before: CurrentVersion | null, version: string): InstalledVersion | null {
  if (!before) return null;
  const { previous, ...current } = before;
  return current.version === version ? previous : current;
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** How a version is started. The path is relative to the version's folder, so that the data directory can be moved. */
export const Launch = z.object({
  runtime: z.enum(["bun", "node", "native"]),
  file: z.string().min(1),
  args: z.array(z.string()),
});
export type Launch = z.infer<typeof Launch>;

/** A version that was installed and tested. */
export const InstalledVersion = z.object({
  version: ExactVersion,
  package: z.string(),
  installedAt: z.string(),
  command: Launch,
  env: z.record(z.string(), z.string()),
});
export type InstalledVersion = z.infer<typeof InstalledVersion>;

/** `current.json`: the current version and the previous one. */
const CurrentVersion = InstalledVersion.extend({ previous: InstalledVersion.nullable() });
type CurrentVersion = z.infer<typeof CurrentVersion>;

/** An agent that we installed. */
export interface InstalledAgent {
  readonly version: string;
  readonly previousVersion: string | null;
  /** Null if its files are missing. */
  readonly command: readonly string[] | null;
  readonly env: Readonly<Record<string, string>>;
}

/** An empty one is put into each version's folder, so that the agent's working directory cannot preload code into it. */
export const BUN_CONFIG_FILE = "bunfig.toml";

interface Runtimes {
  readonly bun: readonly string[];
  readonly node: () => string | null;
}

/** The command line of a version in `folder`; null if its runtime is missing. */
function launchCommand(folder: string, launch: Launch, runtimes: Runtimes): readonly string[] | null {
  const file = join(folder, launch.file);
  switch (launch.runtime) {
    case "native":
      return [file, ...launch.args];
    case "bun": {
      const config = `--config=${join(folder, BUN_CONFIG_FILE)}`;
      return [...runtimes.bun, "--no-env-file", "--no-install", config, file, ...launch.args];
    }
    case "node": {
      const node = runtimes.node();
      return node === null ? null : [node, file, ...launch.args];
    }
    default:
      return launch.runtime satisfies never;
  }
}
