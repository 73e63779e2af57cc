import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath } from "node:fs/promises";
import type { FilePiece } from "../ports/workdirs.ts";
import type { DirectoryEntry, FileStatus } from "../protocol/changes.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import { fromWirePath, joinRawPaths, type RawPath, splitRawPaths, wirePath } from "./git/raw-path.ts";
import { startGit } from "./git/run-git.ts";

/** More entries of one directory are neither counted nor listed. */
const ENTRIES_COUNTED_MAX = 100_000;
/** More names than this are sorted by their bytes: the rules of a language would take seconds. */
const COLLATED_NAMES_MAX = 5_000;
/** Git is not awaited for longer; the listing then lacks Git's information. */
const GIT_MS_MAX = 2_000;
const GIT_OUTPUT_BYTES_MAX = 8 * 1024 * 1024;

/**
 * The content of a directory inside another: directories first, then by name. Nothing of Git's own directory, nothing
 * outside.
 */
export async function listDirectory(
  directory: string,
  path: string,
  entriesMax: number,
): Promise<{ readonly entries: readonly DirectoryEntry[]; readonly total: number }> {
  const place = await findInside(directory, path);
  const found = await readEntries(place);
  const entries = sortEntries(found.slice(0, ENTRIES_COUNTED_MAX)).slice(0, entriesMax);
  const [ignored, statuses] = await askGit(place, entries);
  return {
    entries: entries.map(({ name, kind }) => {
      const isIgnored = ignored.has(name);
      const status = isIgnored ? undefined : statuses(name);
      return { name: wirePath(name), kind, ignored: isIgnored, ...(status !== undefined && { status }) };
    }),
    total: Math.min(found.length, ENTRIES_COUNTED_MAX),
  };
}

interface Entry {
  readonly name: RawPath;
  readonly kind: DirectoryEntry["kind"];
}

async function readEntries(place: Place): Promise<readonly Entry[]> {
  await using handle = await openPlace(place, "directory");
  const path = HAS_PROC ? Buffer.from(`/proc/self/fd/${handle.fd}`) : place.real;
  const entries: Entry[] = [];
  let hasOddNames = false;
  for (const entry of await readdir(path.toString(), { withFileTypes: true })) {
    if (entry.name === GIT_DIRECTORY) continue;
    if (entry.name.includes(INVALID)) hasOddNames = true;
    else entries.push({ name: Buffer.from(entry.name).toString("latin1") as RawPath, kind: kindOf(entry) });
  }
  // The system reports file kinds only together with names decoded as text.
  if (hasOddNames) entries.push(...(await readOddEntries(path)));
  return entries;
}

async function readOddEntries(path: Buffer): Promise<Entry[]> {
  const names = (await readdir(path, { encoding: "buffer" })).filter((name) => name.toString().includes(INVALID));
  return Promise.all(
    names.map(async (name) => {
      const kind = await lstat(Buffer.concat([path, SLASH, name])).then(kindOf, () => "other" as const);
      return { name: name.toString("latin1") as RawPath, kind };
    }),
  );
}

function kindOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): Entry["kind"] {
  if (entry.isDirectory()) return "directory";
  if (entry.isSymbolicLink()) return "link";
  return entry.isFile() ? "file" : "other";
}

const collator = new Intl.Collator("en", { numeric: true });

function sortEntries(entries: readonly Entry[]): readonly Entry[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const compare = entries.length > COLLATED_NAMES_MAX ? undefined : collator.compare;
  const sorted = [...byName.keys()].sort(compare).flatMap((name) => byName.get(name) ?? []);
  return [...sorted.filter(({ kind }) => kind === "directory"), ...sorted.filter(({ kind }) => kind !== "directory")];
}

type StatusOf = (name: RawPath) => FileStatus | undefined;

/** What Git ignores, and what has changed since the last commit. Nothing without Git, and for paths it cannot be given. */
async function askGit(
  { real }: Place,
  entries: readonly Entry[],
): Promise<readonly [ignored: ReadonlySet<RawPath>, statuses: StatusOf]> {
  const root = textOf(real);
  if (root === null || entries.length === 0) return [new Set(), () => undefined];
  const signal = AbortSignal.timeout(GIT_MS_MAX);
  return Promise.all([ignoredNames(root, entries, signal), statusesIn(root, signal)]);
}

/** This command accepts no literal paths; with this prefix, no character of a name is special. */
const HERE = "./";

async function ignoredNames(root: string, entries: readonly Entry[], signal: AbortSignal): Promise<Set<RawPath>> {
  const input = joinRawPaths(entries.map(({ name }) => `${HERE}${name}` as RawPath));
  const args = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"];
  const output = await gitOutput(root, args, signal, input);
  const paths = output === null ? [] : splitRawPaths(Buffer.from(output, "latin1"));
  return new Set(paths.map((path) => path.slice(HERE.length) as RawPath));
}

/** Submodules are not entered: their own settings could name programs. */
async function statusesIn(root: string, signal: AbortSignal): Promise<StatusOf> {
  const [prefix, output] = await Promise.all([
    gitOutput(root, ["rev-parse", "--show-prefix"], signal),
    gitOutput(
      root,
      [
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=normal",
        "--ignore-submodules=all",
        "--no-renames",
        "--",
        ".",
      ],
      signal,
    ),
  ]);
  if (prefix === null || output === null) return () => undefined;
  return readStatuses(output, prefix.replace(/\n$/, ""));
}

/** How many words stand before the path in a line of each kind. */
const WORDS_BEFORE_PATH: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 };

/** Paths are from the top of the repository; `prefix` is where the listed directory is in it. */
function readStatuses(output: string, prefix: string): StatusOf {
  const statuses = new Map<string, FileStatus>();
  let isAllNew = false;
  for (const line of output.split("\0")) {
    const words = WORDS_BEFORE_PATH[line.slice(0, 1)];
    if (words === undefined) continue;
    const path = line.split(" ").slice(words).join(" ");
    if (line.startsWith("?") && path.endsWith("/") && prefix.startsWith(path)) isAllNew = true;
    if (!path.startsWith(prefix)) continue;
    const [name = "", ...below] = path.slice(prefix.length).split("/");
    // A new directory is one line that ends with a slash; in any other something below it has changed.
    const isOwn = below.length === 0 || (below.length === 1 && below[0] === "");
    statuses.set(name, isOwn ? statusOf(line) : "modified");
  }
  return (name) => (isAllNew ? "added" : statuses.get(name));
}

function statusOf(line: string): FileStatus {
  if (line.startsWith("?")) return "added";
  const [, changed = ""] = line.split(" ");
  if (changed.endsWith("D")) return "deleted";
  return changed.startsWith("A") ? "added" : "modified";
}

/** One character for each byte; null when Git is not there, refuses, or takes too long. */
async function gitOutput(
  root: string,
  args: readonly string[],
  signal: AbortSignal,
  input?: Uint8Array,
): Promise<string | null> {
  using started = await startGit(root, args, signal, input);
  if (started === null) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of started.stdout) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > GIT_OUTPUT_BYTES_MAX) return null;
  }
  // `check-ignore` ends with 1 when nothing is ignored.
  const exitCode = await started.exited;
  return signal.aborted || exitCode > 1 ? null : Buffer.concat(chunks).toString("latin1");
}

/** A NUL in the first bytes makes a file binary, as in Git. */
const JUDGED_BYTES = 8_000;
/** The longest character of UTF-8. */
const CHARACTER_BYTES_MAX = 4;

/** A piece of a text file inside a directory. Nothing but a regular file is ever opened. */
export async function readFilePiece(
  directory: string,
  { path, from, bytesMax }: { readonly path: string; readonly from: number; readonly bytesMax: number },
): Promise<FilePiece> {
  const place = await findInside(directory, path);
  await using file = await openPlace(place, "file");
  const { size, mtime } = await file.stat();
  const modifiedAt = mtime.toISOString();
  const head = await readBytes(file, 0, JUDGED_BYTES);
  if (isBinary(head)) return { content: "", from: 0, totalBytes: size, binary: true, modifiedAt };
  const bytes = await readBytes(file, from, Math.max(bytesMax, CHARACTER_BYTES_MAX));
  return { ...cutPiece(bytes, from, Math.max(size, from + bytes.length)), binary: false, modifiedAt };
}

/** The same of a file that is in memory. */
export function pieceOfBuffer(whole: Uint8Array, from: number, bytesMax: number): FilePiece {
  if (isBinary(whole)) return { content: "", from: 0, totalBytes: whole.length, binary: true };
  const bytes = whole.subarray(from, from + Math.max(bytesMax, CHARACTER_BYTES_MAX));
  return { ...cutPiece(bytes, from, whole.length), binary: false };
}

/** Cuts what was read at borders of characters, so that pieces in a row are the text. */
function cutPiece(bytes: Uint8Array, from: number, totalBytes: number): Omit<FilePiece, "binary"> {
  const start = Math.min(bytes.length, from === 0 ? 0 : leadingRest(bytes));
  const isLast = from + bytes.length >= totalBytes;
  const end = isLast ? bytes.length : Math.max(start + 1, bytes.length - trailingPart(bytes));
  const content = Buffer.from(bytes.subarray(start, end)).toString("utf8");
  const next = from + end;
  return { content, from: from + start, totalBytes, ...(!isLast && { next }) };
}

/** Bytes at the beginning that go on with a character from before. */
function leadingRest(bytes: Uint8Array): number {
  let count = 0;
  while (count < CHARACTER_BYTES_MAX - 1 && isContinuation(bytes[count])) count += 1;
  return count;
}

/** Bytes at the end that start a character without completing it. */
function trailingPart(bytes: Uint8Array): number {
  for (let count = 1; count < CHARACTER_BYTES_MAX && count <= bytes.length; count += 1) {
    const byte = bytes[bytes.length - count] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > count ? count : 0;
  }
  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function isBinary(head: Uint8Array): boolean {
  return head.subarray(0, JUDGED_BYTES).includes(0);
}

async function readBytes(file: FileHandle, from: number, bytesMax: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(bytesMax);
  let length = 0;
  while (length < bytesMax) {
    const { bytesRead } = await file.read(buffer, length, bytesMax - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

const GIT_DIRECTORY = ".git";
const INVALID = "\ufffd";
const SLASH = Buffer.from("/");
const HAS_PROC = process.platform === "linux";
const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Neither waits for the other end of a FIFO nor follows a link. */
const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Inside the directory, free of links when it was checked. */
interface Place {
  /** As the client sent it. */
  readonly path: string;
  readonly root: Buffer;
  readonly real: Buffer;
}

/** Resolves a path. A link may lead elsewhere in the directory, and never out of it. */
async function findInside(directory: string, path: string): Promise<Place> {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (path.startsWith("/") || path.includes("\0") || names.includes("..")) throw outside(path);
  try {
    const root = Buffer.from(await realpath(directory));
    const wanted = Buffer.from(fromWirePath(names.join("/")), "latin1");
    const real = await realpath(Buffer.concat([root, SLASH, wanted]), { encoding: "buffer" });
    const isInside = root.equals(SLASH) || Buffer.concat([real, SLASH]).indexOf(Buffer.concat([root, SLASH])) === 0;
    if (!isInside) throw outside(path);
    return { path, root, real };
  } catch (error) {
    throw explain(path, error);
  }
}

/**
 * Opens one directory at a time, each from the one before, and follows no link: what was a directory when the path was
 * looked at may be a link by now. A FIFO or a device is not opened at all: opening one can have effects.
 */
async function openPlace({ path, root, real }: Place, kind: "file" | "directory"): Promise<FileHandle> {
  try {
    const seen = await lstat(real);
    if (kind === "directory" ? !seen.isDirectory() : !seen.isFile()) throw wrongKind(path, kind, seen.isDirectory());
    const flags = kind === "file" ? FILE_FLAGS : DIRECTORY_FLAGS;
    const handle = HAS_PROC ? await openBeneath(root, real, flags) : await open(real, flags);
    const { dev, ino } = await handle.stat();
    if (dev === seen.dev && ino === seen.ino) return handle;
    await handle.close();
    throw new RefusalError(REFUSE.fileUnreadable(`${path} was replaced while it was being opened. Try again.`));
  } catch (error) {
    throw explain(path, error);
  }
}

/** Needs a system where an open directory has a path. */
async function openBeneath(root: Buffer, real: Buffer, flags: number): Promise<FileHandle> {
  const start = root.equals(SLASH) ? 1 : root.length + 1;
  const names = real.subarray(start).toString("latin1").split("/");
  let handle = await open(root, DIRECTORY_FLAGS);
  if (real.length < start) return handle;
  for (const [index, name] of names.entries()) {
    const next = Buffer.concat([Buffer.from(`/proc/self/fd/${handle.fd}/`), Buffer.from(name, "latin1")]);
    try {
      const opened = await open(next, index === names.length - 1 ? flags : DIRECTORY_FLAGS);
      await handle.close();
      handle = opened;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
  return handle;
}

function outside(path: string): RefusalError {
  return new RefusalError(
    REFUSE.fileUnreadable(`${path} is outside this directory. Only files inside it can be shown.`),
  );
}

function wrongKind(path: string, wanted: "file" | "directory", isDirectory: boolean): RefusalError {
  if (wanted === "directory") return new RefusalError(REFUSE.fileUnreadable(`${path} is not a directory.`));
  return new RefusalError(
    REFUSE.fileUnreadable(
      isDirectory ? `${path} is a directory.` : `${path} is a pipe, socket or device. Only files can be shown.`,
    ),
  );
}

/** The system's error as text. */
function explain(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof RefusalError) return error;
  switch (Reflect.get(error, "code")) {
    case "ENOENT":
    case "ENOTDIR":
    case "ENAMETOOLONG":
      return new RefusalError(REFUSE.fileNotFound(path));
    case "ELOOP":
      return new RefusalError(REFUSE.fileUnreadable(`${path} is a link that leads nowhere. Fix or remove the link.`));
    case "EACCES":
    case "EPERM":
      return new RefusalError(
        REFUSE.fileUnreadable(`No permission to read ${path}. Change its permissions on the machine of the server.`),
      );
    case undefined:
      return error;
    default:
      return new RefusalError(REFUSE.fileUnreadable(`${path} could not be read: ${error.message}`));
  }
}

/** Null for bytes that are not UTF-8: no argument of a program can be made of them. */
function textOf(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  return text.includes(INVALID) ? null : text;
}

export interface Editor {
  /** Program and arguments, with `{file}` and `{line}`; `["$EDITOR"]` takes the user's variable. Null when none is set. */
  readonly command: readonly string[] | null;
  /** The user's own. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the user's editor on a file, without a shell and without waiting for it. */
export async function openInEditor(
  { command, env }: Editor,
  directory: string,
  path: string,
  line: number | null,
): Promise<void> {
  const { real } = await findInside(directory, path);
  const file = textOf(real);
  if (file === null) throw editorRefused(`The name of ${path} is not UTF-8. Rename the file to open it in an editor.`);
  if (!(await lstat(real)).isFile()) throw wrongKind(path, "file", (await lstat(real)).isDirectory());
  const which = (program: string) => Bun.which(program, { PATH: env["PATH"] ?? "" });
  if (command === null) {
    const known = EDITORS_KNOWN.filter((name) => which(name) !== null);
    const examples = (known.length > 0 ? known : EDITORS_KNOWN).map((name) => `"editor": "${name}"`).join(" or ");
    throw editorRefused(`No editor is set. Put ${examples} into config.json, then restart Liminal Builder.`);
  }
  const [program = "", ...args] = command[0] === "$EDITOR" ? ownEditor(env) : command;
  const found = which(program);
  if (found === null)
    throw editorRefused(`The editor "${program}" was not found. Correct "editor" in config.json: give the full path.`);
  const filled = args.map((word) => word.replaceAll("{file}", () => file).replaceAll("{line}", String(line ?? 1)));
  const words = args.some((word) => word.includes("{file}")) ? filled : [...filled, file];
  Bun.spawn([found, ...words], {
    cwd: directory,
    env: { ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    detached: true,
  }).unref();
}

/** Looked for when none is set. */
const EDITORS_KNOWN = ["code", "zed"];

function ownEditor(env: Editor["env"]): readonly string[] {
  const words = (env["VISUAL"] ?? env["EDITOR"] ?? "").split(/\s+/).filter((word) => word !== "");
  if (words.length > 0) return words;
  throw editorRefused(
    '"editor" in config.json is "$EDITOR", but neither VISUAL nor EDITOR is set. Name a program instead.',
  );
}

function editorRefused(words: string): RefusalError {
  return new RefusalError(REFUSE.editorUnavailable(words));
}
