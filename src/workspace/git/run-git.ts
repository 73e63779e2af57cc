import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { ignore } from "../../lib/ignore.ts";

const CONFIG_BYTES_MAX = 4 * 1024 * 1024;
const OVERRIDES_MAX = 2_000;
const VERSION_TIMEOUT_MS = 5_000;
const READ_TIMEOUT_MS = 10_000;

export interface GitProcess extends Disposable {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly exited: Promise<number>;
}

/**
 * The only place that starts Git. Nothing that a repository's settings name is run: no program, hook, filter or helper,
 * and nothing is fetched. A setting that would run a program makes Git fail instead.
 * Null without Git, for a repository whose settings cannot be read, and once the signal is aborted.
 */
export async function startGit(
  root: string,
  args: readonly string[],
  signal: AbortSignal,
  input?: Uint8Array,
): Promise<GitProcess | null> {
  return startHarmless(root, args, signal, { input, stderr: "ignore" });
}

async function startHarmless(
  root: string,
  args: readonly string[],
  signal: AbortSignal,
  { input, store, stderr }: Pick<InspectingGitCall, "input" | "store"> & { readonly stderr: "pipe" | "ignore" },
): Promise<(GitProcess & { readonly stderr: ReadableStream<Uint8Array> | undefined }) | null> {
  const git = Bun.which("git");
  if (git === null) return null;
  const start = (words: readonly string[], overrides: readonly Setting[], stdin?: Uint8Array) => {
    const child = Bun.spawn([git, "--no-pager", "--no-optional-locks", "--literal-pathspecs", "-C", root, ...words], {
      env: {
        ...environment(git, [...ALWAYS, ...overrides]),
        ...(store !== undefined && {
          GIT_OBJECT_DIRECTORY: store.objects,
          GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(store.reads),
        }),
      },
      stdin: stdin ?? "ignore",
      stdout: "pipe",
      stderr,
      signal,
      killSignal: "SIGKILL",
    });
    return {
      stdout: child.stdout,
      stderr: child.stderr,
      exited: child.exited,
      [Symbol.dispose]: () => child.kill("SIGKILL"),
    };
  };
  // Listing settings runs nothing. Those of the user and the system are trusted; those of the repository are not.
  using listing = start(["config", "--list", "--show-scope", "--name-only", "-z"], []);
  const names = await readNames(listing.stdout);
  if ((await listing.exited) !== 0 || names === null || signal.aborted) return null;
  const overrides = names.map(overrideOf).filter((setting) => setting !== null);
  return overrides.length > OVERRIDES_MAX ? null : start(args, overrides, input);
}

/** What Git says of the user's repository, with none of its settings able to run a program; null when it fails. */
export async function readGit(directory: string, args: readonly string[], input?: Uint8Array): Promise<string | null> {
  using git = await startGit(directory, args, AbortSignal.timeout(READ_TIMEOUT_MS), input);
  if (git === null) return null;
  const output = Buffer.from(await new Response(git.stdout).arrayBuffer());
  return (await git.exited) === 0 ? output.toString("latin1") : null;
}

export interface InspectingGitCall {
  readonly directory: string;
  readonly args: readonly string[];
  readonly input?: Uint8Array | undefined;
  readonly timeoutMs?: number;
  /** New objects go to a store of ours, and those of the user are read. */
  readonly store?: { readonly objects: string; readonly reads: string } | undefined;
}

const INSPECT_TIMEOUT_MS = 30_000;

/**
 * As `readGit`, with the exit code and Git's own words. Throws without Git, for a repository whose settings cannot be
 * read, and after the time limit.
 */
export async function inspectGit({
  directory,
  args,
  input,
  timeoutMs = INSPECT_TIMEOUT_MS,
  store,
}: InspectingGitCall): Promise<GitResult> {
  const timeout = AbortSignal.timeout(timeoutMs);
  using git = await startHarmless(directory, args, timeout, { input, store, stderr: "pipe" });
  if (git === null && !timeout.aborted) throw new GitError(`Git cannot read the repository of ${directory}.`);
  const [stdout, stderr, exitCode] =
    git === null
      ? [new ArrayBuffer(), new ArrayBuffer(), 1]
      : await Promise.all([new Response(git.stdout).arrayBuffer(), new Response(git.stderr).arrayBuffer(), git.exited]);
  if (timeout.aborted) throw new GitError(`Git took longer than ${timeoutMs / 1_000} s: git ${args[0]}.`);
  return {
    exitCode,
    stdout: Buffer.from(stdout),
    stderr: Buffer.from(stderr.slice(0, STDERR_BYTES_MAX)).toString("utf8"),
  };
}

/** The first one with all that checkpoints use. */
const OLDEST = { major: 2, minor: 38 } as const;

export type GitSupport =
  | { readonly ok: true; readonly version: string }
  /** The reason is for the user. */
  | { readonly ok: false; readonly reason: string };

/** Whether Git is here and new enough for checkpoints. Everything else works without it. */
export async function checkGit(path = Bun.which("git")): Promise<GitSupport> {
  if (path === null)
    return { ok: false, reason: "Git is not installed. Install Git 2.38 or newer to see and undo changes." };
  const child = Bun.spawn([path, "--version"], {
    env: environment(path, []),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    timeout: VERSION_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const [, version = "", major, minor] =
    /git version ((\d+)\.(\d+)\S*)/.exec(await new Response(child.stdout).text()) ?? [];
  const isNewer = Number(major) > OLDEST.major || (Number(major) === OLDEST.major && Number(minor) >= OLDEST.minor);
  if (isNewer) return { ok: true, version };
  const found = version === "" ? `${path} does not tell its version` : `Git ${version} is too old`;
  return { ok: false, reason: `${found}. Install Git 2.38 or newer to see and undo changes.` };
}

export interface VaultGitCall {
  readonly args: readonly string[];
  /** The repository of ours that is read and written: the user's one is never opened. */
  readonly gitDir: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** Another store that objects are also read from. */
  readonly alternateObjects?: string;
  readonly input?: string | Uint8Array;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Others on the machine come first. Its helpers end with it. */
  readonly isLowPriority?: boolean;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** The beginning of what Git wrote to its error output. */
  readonly stderr: string;
}

const PROCESSES_MAX = 4;
const STDERR_BYTES_MAX = 16 * 1024;
let running = 0;
const queue: (() => void)[] = [];

/**
 * Runs Git on a repository of ours, optionally over a directory of the user. No settings are read but those of that
 * repository, so nothing that a project configures is run. At most four processes run at a time; others wait.
 * Throws without Git, after the time limit, and when the signal is aborted.
 */
export async function runVaultGit(call: VaultGitCall): Promise<GitResult> {
  if (running >= PROCESSES_MAX) await new Promise<void>((resolve) => queue.push(resolve));
  else running += 1;
  try {
    return await runNow(call);
  } finally {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  }
}

async function runNow({
  args,
  gitDir,
  workTree,
  indexFile,
  alternateObjects,
  input,
  timeoutMs,
  signal,
  isLowPriority = false,
}: VaultGitCall): Promise<GitResult> {
  const git = Bun.which("git");
  if (git === null) throw new GitError("Git is not installed.");
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const ending = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  const nice = isLowPriority ? Bun.which("nice") : null;
  const directory = workTree ?? gitDir;
  const options = {
    cwd: directory,
    env: {
      ...environment(git, ALWAYS),
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_DIR: gitDir,
      ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
      ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
      ...(alternateObjects !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(alternateObjects) }),
    },
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    signal: ending,
    killSignal: "SIGKILL",
    detached: isLowPriority,
  } as const;
  const words = [...(nice === null ? [] : [nice, "-n", "19"]), git, "--no-pager", ...args];
  const child = startIn(directory, () => Bun.spawn(words, options));
  if (isLowPriority) ending.addEventListener("abort", () => killGroup(child.pid, "SIGKILL"));
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).arrayBuffer(),
    child.exited,
  ]);
  signal?.throwIfAborted();
  if (timeout.aborted) throw new GitError(`Git took longer than ${timeoutMs / 1_000} s: git ${args[0]}.`);
  return {
    exitCode,
    stdout: Buffer.from(stdout),
    stderr: Buffer.from(stderr.slice(0, STDERR_BYTES_MAX)).toString("utf8"),
  };
}

export interface UserGitCall {
  readonly directory: string;
  /** The user's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly indexFile?: string;
  readonly input?: string | Uint8Array;
  readonly timeoutMs: number;
}

export interface UserGitResult {
  readonly exitCode: number;
  /** What Git and the programs it ran wrote to both outputs, as it came; the beginning of it. */
  readonly output: string;
  readonly isTimedOut: boolean;
}

const OUTPUT_BYTES_MAX = 64 * 1024;
/** A program that a hook left running may keep the output open. */
const OUTPUT_WAIT_MS = 1_000;
const KILL_AFTER_MS = 2_000;
/** Who commits, and where the user's own settings are. Other variables of Git could point it to another repository. */
const KEPT_GIT_VARIABLES = /^GIT_(?:AUTHOR_|COMMITTER_|CONFIG_GLOBAL$|CONFIG_SYSTEM$|CONFIG_NOSYSTEM$|EXEC_PATH$)/;

/**
 * Runs Git as the user would: with their settings, hooks, filters, signing and identity. Only for what the user asks
 * for in so many words. It has no terminal, so nothing can ask for a password there.
 */
export async function runUserGit({
  directory,
  env,
  args,
  indexFile,
  input,
  timeoutMs,
}: UserGitCall): Promise<UserGitResult> {
  const git = Bun.which("git");
  if (git === null) throw new GitError("Git is not installed.");
  const kept = Object.entries(env).filter(([name]) => !/^GIT_/.test(name) || KEPT_GIT_VARIABLES.test(name));
  const options = {
    cwd: directory,
    env: {
      ...Object.fromEntries(kept),
      GIT_TERMINAL_PROMPT: "0",
      GIT_EDITOR: "false",
      ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
    },
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    // A session of its own: no terminal, and its hooks end with it.
    detached: true,
  } as const;
  const child = startIn(directory, () => Bun.spawn([git, "--no-pager", ...args], options));
  const chunks: Uint8Array[] = [];
  let left = OUTPUT_BYTES_MAX;
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) {
      if (left > 0) chunks.push(chunk.slice(0, left));
      left -= chunk.length;
    }
  };
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)]);
  collected.catch(ignore("a pipe that broke has told what it had"));
  let isTimedOut = false;
  const timers = [
    setTimeout(() => {
      isTimedOut = true;
      // Git removes its locks when it is asked to end.
      killGroup(child.pid, "SIGTERM");
      timers.push(setTimeout(() => killGroup(child.pid, "SIGKILL"), KILL_AFTER_MS));
    }, timeoutMs),
  ];
  const exitCode = await child.exited;
  for (const timer of timers) clearTimeout(timer);
  await Promise.race([collected, Bun.sleep(OUTPUT_WAIT_MS)]);
  return { exitCode, output: Buffer.concat(chunks).toString("utf8"), isTimedOut };
}

/** A directory may have gone meanwhile: the system then says that there is no such program. */
function startIn<Child>(directory: string, start: () => Child): Child {
  try {
    return start();
  } catch (error) {
    if (existsSync(directory)) throw error;
    throw new GitError(`${directory} is not there any more.`);
  }
}

function killGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
  }
}

/** Git is missing, refused, or took too long. The message is for the user. */
export class GitError extends Error {
  override readonly name = "GitError";
}

type Setting = readonly [name: string, value: string];

/** Holds for every repository, whatever its settings say. */
const ALWAYS: readonly Setting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["sequence.editor", "false"],
  ["core.askPass", "false"],
  ["core.sshCommand", "false"],
  ["core.alternateRefsCommand", "false"],
  ["credential.helper", ""],
  ["protocol.allow", "never"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["log.showSignature", "false"],
  // A directory that merely looks like a repository (HEAD, config, objects, refs) is not one.
  ["safe.bareRepository", "explicit"],
];

const OF_ONE_TOOL = /^(?:alias|pager|browser|man|difftool|mergetool|guitool|instaweb|hook)\./;
const NAMES_A_PROGRAM =
  /(?:command|cmd|program|helper|editor|pager|hook|hookspath|tool|browser|driver|external|proxy|askpass|fsmonitor|tunnel|diffilter|difffilter|vcs)$/;

// Of several upload-pack settings Git takes the first, which no override replaces: the barred protocols keep it from running.

/** The value that keeps one of the repository's settings from running a program; null for one that names none. */
function overrideOf(name: string): Setting | null {
  const key = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  if (/^filter\./.test(name)) return [name, key === "required" ? "false" : ""];
  if (key === "textconv") return [name, "cat"];
  if (/^credential\./.test(name) && key === "helper") return [name, ""];
  if (key === "hookspath") return [name, "/dev/null"];
  if (/^submodule\./.test(name) && key === "update") return [name, "none"];
  return OF_ONE_TOOL.test(name) || NAMES_A_PROGRAM.test(key) ? [name, "false"] : null;
}

/** Nothing is inherited: neither variables that steer Git, nor secrets. */
function environment(git: string, settings: readonly Setting[]): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index): Setting[] => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    HOME: homedir(),
    PATH: `${dirname(git)}:/usr/bin:/bin`,
    LC_ALL: "C",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "false",
    SSH_ASKPASS: "false",
    GIT_SSH_COMMAND: "false",
    GIT_PAGER: "cat",
    GIT_EDITOR: "false",
    GIT_SEQUENCE_EDITOR: "false",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(pairs),
  };
}

/** Names that the repository itself sets; null when there are too many to look at. */
async function readNames(stream: ReadableStream<Uint8Array>): Promise<readonly string[] | null> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > CONFIG_BYTES_MAX) return null;
  }
  const words = text.split("\0");
  const names = new Set<string>();
  for (let index = 0; index + 1 < words.length; index += 2)
    if (/^(?:local|worktree)$/.test(words[index] ?? "")) names.add(words[index + 1] ?? "");
  return [...names];
}
