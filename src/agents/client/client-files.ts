import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink } from "node:fs/promises";
import { dirname } from "node:path";
import { OutsideRootsError, openInside, placeInside, resolveInside } from "./resolve-inside.ts";

const FILE_BYTES_MAX = 10 * 1024 * 1024;
const HAS_PROC = process.platform === "linux";

/** The file is missing, too large, or not a file; the message goes to the agent. */
export class ClientFileError extends Error {
  override readonly name = "ClientFileError";
  readonly isMissing: boolean;

  constructor(message: string, isMissing = false) {
    super(message);
    this.isMissing = isMissing;
  }
}

interface ReadRequest {
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
  readonly limit?: number;
}

/** Reads and writes files for an agent: text files inside the session's roots, and nothing else. */
export class ClientFiles {
  readonly #roots: readonly string[];
  readonly #guarded: readonly string[];

  /** `guarded`: directories that are refused wherever they are. */
  constructor(roots: readonly string[], guarded: readonly string[] = []) {
    this.#roots = roots;
    this.#guarded = guarded;
  }

  async read({ path, line, limit }: ReadRequest): Promise<string> {
    await using file = await this.#open(path, constants.O_RDONLY);
    const stats = await file.stat();
    if (!stats.isFile()) throw new ClientFileError(`${path} is not a file.`);
    if (stats.size > FILE_BYTES_MAX) throw new ClientFileError(`${path} is over the limit of ${FILE_BYTES_MAX} bytes.`);
    const text = await file.readFile("utf8");
    return line === undefined && limit === undefined ? text : selectLines(text, line ?? 1, limit);
  }

  /** Creates the file and its parent directories if they are missing. */
  async write(path: string, content: string): Promise<void> {
    if (Buffer.byteLength(content) > FILE_BYTES_MAX)
      throw new ClientFileError(`The content is over the limit of ${FILE_BYTES_MAX} bytes.`);
    await using file = await this.#open(path, constants.O_WRONLY | constants.O_CREAT);
    if (!(await file.stat()).isFile()) throw new ClientFileError(`${path} is not a file.`);
    // Truncated only after the opened file has been checked.
    await file.truncate();
    await file.writeFile(content, "utf8");
  }

  /** A link may appear between the check and the open, so the opened file is checked again. */
  async #open(path: string, flags: number): Promise<FileHandle> {
    const place = await placeInside(path, this.#roots, this.#guarded);
    let file: FileHandle;
    try {
      file = await openPlace(place, flags);
    } catch (error) {
      throw explain(path, error);
    }
    try {
      if (HAS_PROC) await resolveInside(await readlink(`/proc/self/fd/${file.fd}`), this.#roots, this.#guarded);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

/** Without /proc a directory cannot be held while the next one is opened; only the file itself is checked for links. */
async function openPlace(place: { readonly real: string; readonly root: string }, flags: number): Promise<FileHandle> {
  const makesDirectories = (flags & constants.O_CREAT) !== 0;
  if (HAS_PROC) return openInside({ ...place, flags, makesDirectories });
  if (makesDirectories) await mkdir(dirname(place.real), { recursive: true });
  return open(place.real, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644);
}

function explain(path: string, error: unknown): Error {
  switch (error instanceof Error ? Reflect.get(error, "code") : undefined) {
    case "ENOENT":
    case "ENOTDIR":
      return new ClientFileError(`${path} does not exist.`, true);
    case "EISDIR":
      return new ClientFileError(`${path} is a directory.`);
    case "ELOOP":
      return new OutsideRootsError(`${path} became a symbolic link while it was being opened.`);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new ClientFileError(`No permission for ${path}.`);
    case "ENXIO":
      return new ClientFileError(`${path} is not a file.`);
    default:
      return error instanceof Error ? error : new Error(String(error));
  }
}

function selectLines(text: string, line: number, limit: number | undefined): string {
  const from = Math.max(0, line - 1);
  const lines = text.split("\n").slice(from, limit === undefined ? undefined : from + Math.max(0, limit));
  return lines.join("\n");
}
