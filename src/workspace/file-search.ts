import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import fuzzysort, { type Snapshot } from "fuzzysort";
import type { World } from "../ports/world.ts";
import type { FilesFound } from "../protocol/session-messages.ts";
import { type FileList, type ListLimits, listFiles } from "./list-files.ts";

/** A list this new is used as it is; an older one is used and refreshed in the background. */
const FRESH_MS = 1_000;
/** A list older than this is not used any more. */
const STALE_MS = 60_000;
/** Lists are large: only those of the directories in use are kept. */
const ROOTS_MAX = 4;
const UNUSED_MS_MAX = 10 * 60_000;
const LIMITS: ListLimits = { filesMax: 200_000, durationMsMax: 5_000 };
/** Tried for each file that is asked for: some that match are gone, or lead out of the root. */
const TRIED_FACTOR = 3;

interface Index {
  readonly snapshot: FileSnapshot;
  readonly isPartial: boolean;
  readonly madeAt: number;
}

interface Root {
  index: Index | null;
  making: Promise<Index> | null;
  usedAt: number;
}

type FoundFiles = Pick<FilesFound, "files" | "isPartial">;

interface FileSearchDeps {
  readonly world: Pick<World, "now">;
  readonly onError: (error: unknown) => void;
  readonly list?: (root: string, limits: ListLimits) => Promise<FileList>;
}

/** Finds files of a directory by a few letters of their path. Nothing outside the directory is ever returned. */
export class FileSearch {
  readonly #deps: FileSearchDeps;
  readonly #roots = new Map<string, Root>();

  constructor(deps: FileSearchDeps) {
    this.#deps = deps;
  }

  async search(root: string, query: string, limit: number): Promise<FoundFiles> {
    const { snapshot, isPartial } = await this.#index(root);
    const tried = rankFiles(snapshot, query, limit * TRIED_FACTOR);
    const home = await realpath(root);
    const found = await Promise.all(tried.map((path) => fileInside(home, path)));
    return { files: found.filter((file) => file !== null).slice(0, limit), isPartial };
  }

  /** As fresh as required, as fast as possible. */
  async #index(path: string): Promise<Index> {
    const now = this.#deps.world.now();
    const root = this.#root(path, now);
    const age = root.index ? now - root.index.madeAt : Number.POSITIVE_INFINITY;
    if (root.index && age <= FRESH_MS) return root.index;
    root.making ??= this.#make(path, root);
    if (!root.index || age > STALE_MS) return root.making;
    root.making.catch(this.#deps.onError);
    return root.index;
  }

  async #make(path: string, root: Root): Promise<Index> {
    const madeAt = this.#deps.world.now();
    try {
      const { paths, isPartial } = await (this.#deps.list ?? listFiles)(path, LIMITS);
      root.index = { snapshot: takeSnapshot(paths), isPartial, madeAt };
      return root.index;
    } finally {
      root.making = null;
    }
  }

  #root(path: string, now: number): Root {
    const root: Root = this.#roots.get(path) ?? { index: null, making: null, usedAt: now };
    root.usedAt = now;
    // Put last: the map's order is the order of use.
    this.#roots.delete(path);
    this.#roots.set(path, root);
    for (const [other, { usedAt }] of this.#roots)
      if (this.#roots.size > ROOTS_MAX || now - usedAt > UNUSED_MS_MAX) this.#roots.delete(other);
    return root;
  }
}

/** Null for what is gone, is no file, or lies elsewhere behind a link. */
async function fileInside(home: string, path: string): Promise<FoundFiles["files"][number] | null> {
  const place = join(home, path);
  try {
    const real = await realpath(place);
    const inside = real.startsWith(home.endsWith(sep) ? home : home + sep);
    if (!inside || !(await stat(real)).isFile()) return null;
    return { path, uri: pathToFileURL(place).href };
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** A list that is searched many times. */
type FileSnapshot = Snapshot;

/** More candidates are checked than requested, so that a match in a file's own name can be preferred. */
const LOOKED_AT_FACTOR = 5;
const SCORE_MIN = 0.3;

export function takeSnapshot(paths: readonly string[]): FileSnapshot {
  return fuzzysort.snapshot(paths);
}

/** Best match first: the name of a file counts more than the directories it lies in. */
export function rankFiles(snapshot: FileSnapshot, query: string, limit: number): readonly string[] {
  const words = query.trim();
  const options = { limit: limit * LOOKED_AT_FACTOR, threshold: SCORE_MIN };
  const found = fuzzysort.go(words, snapshot, options).map(({ target }) => target);
  const name = nameOf(words).toLowerCase();
  if (name === "") return found.slice(0, limit);
  const isNamed = (path: string) => nameOf(path).toLowerCase().includes(name);
  return [...found.filter(isNamed), ...found.filter((path) => !isNamed(path))].slice(0, limit);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
