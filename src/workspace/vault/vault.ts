import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { chmod, mkdir, realpath, rm, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { GitError, type GitResult, runVaultGit } from "../git/run-git.ts";
import { linkObjects } from "./link-objects.ts";
import { type Repository, readRepository } from "./repository.ts";
import { exists, untilClosed, untilOrphansEnd } from "./vault-files.ts";

const TIMEOUT_MS = 60_000;
/** Longer than Git is given for one call. */
const LOCK_WAIT_MS = 2 * TIMEOUT_MS;
const LOCKED = /Unable to create '.*\/indexes\/[^/]+\.lock': File exists/;
const KEY_CHARACTERS = 24;
/** It holds the user's files, whatever the umask is. */
const PRIVATE_DIRECTORY = { recursive: true, mode: 0o700 } as const;
/** Bytes are stored as they are on disk: no line ending, keyword, filter or encoding of the user's is applied. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n";
/** Generated directories that a plain directory, which has no ignore file, would otherwise fill a checkpoint with. */
const PLAIN_EXCLUDES = ["node_modules", ".venv", "target", "dist", "build", ".cache"];

export interface VaultGitOptions {
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly alternateObjects?: string;
  readonly timeoutMs?: number;
  readonly isLowPriority?: boolean;
}

/**
 * A private bare repository that holds the checkpoints of one working directory. It shares objects with the user's
 * repository by hard links, so creating it is cheap and nothing the user does to their repository can damage it.
 * The user's repository is only read.
 */
export class Vault {
  readonly path: string;
  /** The directory whose files it holds, by its real path. */
  readonly directory: string;
  /** Null for a directory that is not in a Git repository. */
  readonly repository: Repository | null;

  /** The version of the user's index that was last looked at, by the path of its part. */
  readonly userIndexes = new Map<string, string>();
  readonly #indexFiles = new Map<string, string | null>();

  /** What is left out, as Git's ignore files have it: files of ours in a home that is a repository. */
  readonly #own: readonly string[];

  private constructor(
    path: string,
    directory: string,
    { repository, own }: { readonly repository: Repository | null; readonly own: readonly string[] },
  ) {
    this.path = path;
    this.directory = directory;
    this.repository = repository;
    this.#own = own;
  }

  /** Opens the vault of a directory below `root`, and creates it the first time. Nothing below `own` is held by it. */
  static async open(root: string, place: string, own: readonly string[] = []): Promise<Vault> {
    const repository = await readRepository(place);
    const directory = repository?.topLevel ?? place;
    if (repository === null && (await isTooWide(directory)))
      throw new GitError(
        `No checkpoints are made of ${directory}: it is a home directory or the root of a file system. Add a directory inside it as the project.`,
      );
    const vault = new Vault(join(root, `${vaultKey(directory)}.git`), directory, {
      repository,
      own: await patternsOf(directory, own),
    });
    if (!(await exists(join(vault.path, "complete")))) await vault.#create();
    await vault.#writeExcludes();
    await vault.#removeStaleLocks();
    return vault;
  }

  /** Whether a directory that is there has one. */
  static async isThere(root: string, place: string): Promise<boolean> {
    if (!(await exists(place))) return false;
    const directory = (await readRepository(place))?.topLevel ?? place;
    return exists(join(root, `${vaultKey(directory)}.git`, "complete"));
  }

  /** A vault that exists, for its checkpoints alone: which directory it is of is not known. */
  static ofUnknownDirectory(path: string): Vault {
    return new Vault(path, "", { repository: null, own: [] });
  }

  async #create(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    await mkdir(this.path, PRIVATE_DIRECTORY);
    const able = await probeFileSystem(this.path, this.directory);
    await emptyVault(this.path, this.repository?.objectFormat ?? "sha1", able);
    if (this.repository) await linkObjects(this.repository.objectsDir, join(this.path, "objects"));
    await writeFile(join(this.path, "complete"), "", { mode: 0o600 });
  }

  /** Git reads the ignore files in the directory by itself; these are the user's other lists, and ours. */
  async #writeExcludes(): Promise<void> {
    const lists = this.repository ? this.repository.excludes : PLAIN_EXCLUDES;
    const text = [...lists, ...this.#own].map((line) => `${line}\n`).join("");
    await writeFile(join(this.path, "info/exclude"), text, { mode: 0o600 });
  }

  /**
   * One server writes a vault. A killed one may have left Git running, which still takes locks and writes files: that
   * ends first. A lock that exists then is stale.
   */
  async #removeStaleLocks(): Promise<void> {
    await untilOrphansEnd(`GIT_DIR=${this.path}`, LOCK_WAIT_MS);
    const locks = await Array.fromAsync(new Bun.Glob("indexes/*.lock").scan({ cwd: this.path, onlyFiles: true }));
    for (const lock of locks.map((name) => join(this.path, name))) {
      await untilClosed(lock, LOCK_WAIT_MS);
      await rm(lock, { force: true });
    }
  }

  /** Runs Git in the vault; throws when it fails. */
  async git(args: readonly string[], options: VaultGitOptions = {}): Promise<Buffer> {
    const result = await this.tryGit(args, options);
    if (result.exitCode === 0) return result.stdout;
    throw new GitError(`git ${args[0]} failed: ${result.stderr.trim() || `exit code ${result.exitCode}`}`);
  }

  /**
   * A process that was starting when its server was killed is found by nothing until it runs. When it turns up later and
   * takes a lock, it is waited for here, too.
   */
  async tryGit(args: readonly string[], options: VaultGitOptions = {}): Promise<GitResult> {
    const run = () => runVaultGit({ timeoutMs: TIMEOUT_MS, ...options, args, gitDir: this.path });
    const result = await run();
    if (result.exitCode === 0 || !LOCKED.test(result.stderr)) return result;
    await this.#removeStaleLocks();
    return run();
  }

  /** Null for a directory that has no repository, and before anything was added to it. */
  async userIndexOf(part: string, directory: string): Promise<{ readonly version: string } | null> {
    if (part === "") this.#indexFiles.set(part, this.repository?.indexFile ?? null);
    if (!this.#indexFiles.has(part)) {
      const inside = await readRepository(directory);
      this.#indexFiles.set(part, inside?.topLevel === directory ? inside.indexFile : null);
    }
    const file = this.#indexFiles.get(part) ?? null;
    const stats = file === null ? null : await stat(file).catch(() => null);
    return stats && { version: indexVersion(stats) };
  }

  /** The index of one part, which survives between scans: unchanged files are not read again. */
  indexFileOf(part: string): string {
    return join(this.path, "indexes", part === "" ? "root" : vaultKey(part));
  }
}

interface FileSystemAbilities {
  readonly fileMode: boolean;
  readonly symlinks: boolean;
  readonly ignoreCase: boolean;
}
const USUAL: FileSystemAbilities = { fileMode: true, symlinks: true, ignoreCase: process.platform === "darwin" };

/** The files of a vault without objects. Written by hand: a Git process for each setting would cost more than the links. */
export async function emptyVault(path: string, format: "sha1" | "sha256", able = USUAL): Promise<void> {
  const directories = ["info", "indexes", "objects/pack", "objects/info", "refs/heads"];
  await Promise.all(directories.map((name) => mkdir(join(path, name), PRIVATE_DIRECTORY)));
  const write = (name: string, text: string) => writeFile(join(path, name), text, { mode: 0o600 });
  await write("HEAD", "ref: refs/heads/none\n");
  await write("info/attributes", ATTRIBUTES);
  const config = `[core]
	repositoryformatversion = ${format === "sha1" ? 0 : 1}
	bare = false
	sharedRepository = 0600
	fileMode = ${able.fileMode}
	symlinks = ${able.symlinks}
	ignoreCase = ${able.ignoreCase}
	logAllRefUpdates = false
	autocrlf = false
[gc]
	auto = 0
[index]
	version = 4
	threads = 1
${format === "sha1" ? "" : `[extensions]\n\tobjectFormat = ${format}\n`}`;
  await write("config", config);
}

/** Git replaces its index as a whole: another one has another inode or time. */
export function indexVersion({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`;
}

/** The directories that lie in this one, as patterns. */
async function patternsOf(directory: string, own: readonly string[]): Promise<string[]> {
  const real = await Promise.all(own.map((path) => realpath(path).catch(() => path)));
  return real.flatMap((path) => {
    const inside = relative(directory, path);
    return inside === "" || inside.startsWith("..") ? [] : [`/${inside.replace(/[\\*?[\]]/g, "\\$&")}/`];
  });
}

/** All of a user's files, or of a disk. */
async function isTooWide(directory: string): Promise<boolean> {
  if (directory === "/" || directory === (await realpath(homedir()))) return true;
  const [own, parent] = await Promise.all([stat(directory), stat(dirname(directory))]);
  return own.dev !== parent.dev;
}

/** For a directory that was removed before any session worked in it. */
export async function dropVault(root: string, directory: string): Promise<void> {
  const path = join(root, `${vaultKey(directory)}.git`);
  await untilOrphansEnd(`GIT_DIR=${path}`, LOCK_WAIT_MS);
  await rm(path, { recursive: true, force: true });
}

export function vaultKey(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, KEY_CHARACTERS);
}

/** What the file system of the user's directory can do; tried in the vault when that is on the same one. */
async function probeFileSystem(vault: string, directory: string): Promise<FileSystemAbilities> {
  const [ours, theirs] = await Promise.all([stat(vault), stat(directory)]);
  if (ours.dev !== theirs.dev) return USUAL;
  const probe = join(vault, "probe");
  await writeFile(probe, "", { mode: 0o600 });
  await chmod(probe, 0o755);
  const fileMode = ((await stat(probe)).mode & 0o100) !== 0;
  const ignoreCase = await exists(join(vault, "PROBE"));
  await unlink(probe);
  const symlinks = await symlink("nowhere", probe).then(
    () => true,
    () => false,
  );
  await rm(probe, { force: true });
  return { fileMode, symlinks, ignoreCase };
}
