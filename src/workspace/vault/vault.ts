import { createHash } from "node:crypto";
import { chmod, mkdir, realpath, rm, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { GitError, type GitResult, runVaultGit } from "../git/run-git.ts";
import { linkObjects } from "./link-objects.ts";
import { type Repository, readRepository } from "./repository.ts";
import { exists, untilClosed } from "./vault-files.ts";

const TIMEOUT_MS = 60_000;
/** Longer than Git is given for one call. */
const LOCK_WAIT_MS = 2 * TIMEOUT_MS;
const KEY_CHARACTERS = 24;
/** Bytes are stored as they are on disk: no line ending, keyword, filter or encoding of the user's is applied. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n";
/** Generated directories that a plain directory, which has no ignore file, would otherwise fill a checkpoint with. */
const PLAIN_EXCLUDES = ["node_modules", ".venv", "target", "dist", "build", ".cache"];

export interface VaultGitOptions {
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly timeoutMs?: number;
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

  private constructor(path: string, directory: string, repository: Repository | null) {
    this.path = path;
    this.directory = directory;
    this.repository = repository;
  }

  /** Opens the vault of a directory below `root`, and creates it the first time. */
  static async open(root: string, place: string): Promise<Vault> {
    const repository = await readRepository(place);
    const directory = repository?.topLevel ?? place;
    if (repository === null && (await isTooWide(directory)))
      throw new GitError(
        `No checkpoints are made of ${directory}: it is a home directory or the root of a file system. Add a directory inside it as the project.`,
      );
    const vault = new Vault(join(root, `${vaultKey(directory)}.git`), directory, repository);
    if (!(await exists(join(vault.path, "complete")))) await vault.#create();
    await vault.#writeExcludes();
    await vault.#removeStaleLocks();
    return vault;
  }

  async #create(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const format = this.repository?.objectFormat ?? "sha1";
    await this.git(["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, this.path]);
    await Promise.all(["info", "indexes"].map((name) => mkdir(join(this.path, name), { recursive: true })));
    await writeFile(join(this.path, "info/attributes"), ATTRIBUTES);
    for (const [name, value] of await this.#settings()) await this.git(["config", name, value]);
    if (this.repository) await linkObjects(this.repository.objectsDir, join(this.path, "objects"));
    await writeFile(join(this.path, "complete"), "");
  }

  async #settings(): Promise<readonly (readonly [string, string])[]> {
    const able = await probeFileSystem(this.path, this.directory);
    return [
      ["core.bare", "false"],
      ["core.fileMode", String(able.fileMode)],
      ["core.symlinks", String(able.symlinks)],
      ["core.ignoreCase", String(able.ignoreCase)],
      ["core.logAllRefUpdates", "false"],
      ["core.autocrlf", "false"],
      ["gc.auto", "0"],
    ];
  }

  /** Git reads the ignore files in the directory by itself; these are the user's other lists. */
  async #writeExcludes(): Promise<void> {
    const lists = this.repository ? this.repository.excludes : PLAIN_EXCLUDES;
    await writeFile(join(this.path, "info/exclude"), lists.map((line) => `${line}\n`).join(""));
  }

  /** One server writes a vault: a lock that is there when it opens is from one that was killed, whose Git may still run. */
  async #removeStaleLocks(): Promise<void> {
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

  tryGit(args: readonly string[], options: VaultGitOptions = {}): Promise<GitResult> {
    return runVaultGit({ timeoutMs: TIMEOUT_MS, ...options, args, gitDir: this.path });
  }

  /** The index of one part, which survives between scans: unchanged files are not read again. */
  indexFileOf(part: string): string {
    return join(this.path, "indexes", part === "" ? "root" : vaultKey(part));
  }
}

/** All of a user's files, or of a disk. */
async function isTooWide(directory: string): Promise<boolean> {
  if (directory === "/" || directory === (await realpath(homedir()))) return true;
  const [own, parent] = await Promise.all([stat(directory), stat(dirname(directory))]);
  return own.dev !== parent.dev;
}

export function vaultKey(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, KEY_CHARACTERS);
}

/** What the file system of the user's directory can do; tried in the vault when that is on the same one. */
async function probeFileSystem(vault: string, directory: string) {
  const [ours, theirs] = await Promise.all([stat(vault), stat(directory)]);
  if (ours.dev !== theirs.dev) return { fileMode: true, symlinks: true, ignoreCase: process.platform === "darwin" };
  const probe = join(vault, "probe");
  await writeFile(probe, "");
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
