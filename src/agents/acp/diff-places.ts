import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { ToolPatch } from "../../ports/agents.ts";
import type { Part } from "../../protocol/entry.ts";

/** Larger files are not searched: the search runs while the agent's line is handled. */
const FILE_BYTES_MAX = 1024 * 1024;
/** Limit of diffs per update that are located. */
const DIFFS_MAX = 20;
/** Limit of calls whose places are remembered until they end. */
const CALLS_MAX = 32;
const HAS_PROC = process.platform === "linux";

type Diff = Extract<Part, { type: "diff" }>;

interface DiffPlacesOptions {
  /** Only files below these are read. */
  readonly roots: readonly string[];
  /** Not read, even inside a root. */
  readonly guarded: readonly string[];
}

/**
 * Finds the line at which the text of a diff begins. Agents send a snippet without its position, so the text is searched
 * in the file. A match counts if it is unique or if a location sent by the agent names its line.
 * Synchronous, because nothing may run between the agent's line and the mailbox.
 */
export class DiffPlaces {
  readonly #options: DiffPlacesOptions;
  /** A snippet found before the edit may be missing or ambiguous after it. */
  readonly #found = new Map<string, readonly Diff[]>();

  constructor(options: DiffPlacesOptions) {
    this.#options = options;
  }

  /** Returns the patch with `firstLine` on the diffs that were found. */
  locate(patch: ToolPatch): ToolPatch {
    const { toolCallId, status, parts } = patch;
    const before = this.#found.get(toolCallId) ?? [];
    if (status === "complete" || status === "error") this.#found.delete(toolCallId);
    if (!parts?.some(({ type }) => type === "diff")) return patch;
    const diffs = parts.filter((part) => part.type === "diff").slice(0, DIFFS_MAX);
    const lines = new Map<Part, number>();
    for (const [path, hunks] of Map.groupBy(diffs, (diff) => diff.path)) {
      const found = this.#firstLines(path, hunks, patch);
      for (const [index, hunk] of hunks.entries()) {
        const line = found[index] ?? lineBefore(before, hunks, index, status);
        if (line !== undefined) lines.set(hunk, line);
      }
    }
    const located = parts.map((part) => {
      const firstLine = lines.get(part);
      return part.type !== "diff" || firstLine === undefined ? part : { ...part, firstLine };
    });
    if (status !== "complete" && status !== "error") this.#remember(toolCallId, located);
    return { ...patch, parts: located };
  }

  #remember(toolCallId: string, parts: readonly Part[]): void {
    const diffs = parts.filter((part) => part.type === "diff");
    if (diffs.every(({ firstLine }) => firstLine === undefined)) return;
    this.#found.delete(toolCallId);
    this.#found.set(toolCallId, diffs);
    const [oldest] = this.#found.keys();
    if (this.#found.size > CALLS_MAX && oldest !== undefined) this.#found.delete(oldest);
  }

  /** The first line of each hunk of one file, in order. */
  #firstLines(path: string, hunks: readonly Diff[], { status, locations }: ToolPatch): (number | undefined)[] {
    const file = this.#read(path);
    if (file === null) return [];
    const named = locations?.flatMap((location) => (location.path === path ? (location.line ?? []) : [])) ?? [];
    const isDone = status === "complete";
    const lines: (number | undefined)[] = hunks.map(() => undefined);
    // A hunk may change text that another hunk wrote. So each is also searched with the others applied: those before it
    // are applied, or, once all are applied, those after it are reverted.
    let changed = file;
    for (const [index, hunk] of isDone ? [...hunks.entries()].reverse() : hunks.entries()) {
      const [oldText, newText] = [unifyLineEnds(hunk.oldText ?? ""), unifyLineEnds(hunk.newText)];
      // A new file starts at line 1, and a deleted file has no position.
      if (oldText === "" || (newText === "" && file === oldText)) continue;
      const [here, gone] = isDone ? [newText, oldText] : [oldText, newText];
      const places = [linesOf(here, file), linesOf(here, changed), linesOf(gone, file)];
      const found = places.find((some) => some.length > 0) ?? [];
      lines[index] = chosenLine(found, named, hunks, index);
      if (here !== "" && linesOf(here, changed).length === 1) changed = changed.replace(here, () => gone);
    }
    return lines;
  }

  /** Null if it is outside the session's roots, too large, or unreadable. */
  #read(path: string): string | null {
    const { roots, guarded } = this.#options;
    const [root] = roots;
    if (root === undefined || path.includes("\0")) return null;
    try {
      const real = realpathSync(resolve(root, path));
      if (!this.#mayRead(real, roots, guarded)) return null;
      const fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        // A parent directory may have been replaced by a link.
        if (HAS_PROC && !this.#mayRead(readlinkSync(`/proc/self/fd/${fd}`), roots, guarded)) return null;
        const stats = fstatSync(fd);
        if (!stats.isFile() || stats.size > FILE_BYTES_MAX) return null;
        const bytes = Buffer.alloc(stats.size);
        return unifyLineEnds(bytes.toString("utf8", 0, readSync(fd, bytes, 0, stats.size, 0)));
      } finally {
        closeSync(fd);
      }
    } catch {
      return null;
    }
  }

  #mayRead(real: string, roots: readonly string[], guarded: readonly string[]): boolean {
    return roots.some((root) => isInside(real, root)) && !guarded.some((own) => isInside(real, own));
  }
}

function isSame(known: Diff, part: Diff): boolean {
  return known.path === part.path && known.oldText === part.oldText && known.newText === part.newText;
}

/** Chooses one of several matches: the one the agent names, or the nth for the nth of equal hunks. */
function chosenLine(
  places: readonly number[],
  named: readonly number[],
  hunks: readonly Diff[],
  index: number,
): number | undefined {
  if (places.length <= 1) return places[0];
  const own = named.length === hunks.length ? named[index] : undefined;
  if (own !== undefined && places.includes(own)) return own;
  const { rank, count } = amongAlike(hunks, index);
  if (count === places.length) return places[rank];
  const likely = places.filter((line) => named.includes(line));
  return likely.length === 1 && count === 1 ? likely[0] : undefined;
}

function amongAlike(hunks: readonly Diff[], index: number): { readonly rank: number; readonly count: number } {
  const alike = hunks.flatMap((hunk, at) => (hunks[index] && isSame(hunk, hunks[index]) ? [at] : []));
  return { rank: alike.indexOf(index), count: alike.length };
}

/** The earlier position of a hunk; once all are applied, the hunks above have moved it. */
function lineBefore(
  before: readonly Diff[],
  hunks: readonly Diff[],
  index: number,
  status: ToolPatch["status"],
): number | undefined {
  const hunk = hunks[index];
  const known = before.filter((other) => other.path === hunk?.path);
  const own = hunk && known.filter((other) => isSame(other, hunk))[amongAlike(hunks, index).rank];
  if (own?.firstLine === undefined || status !== "complete") return own?.firstLine;
  let moved = 0;
  for (const other of known) {
    const grown = linesIn(other.newText) - linesIn(other.oldText ?? "");
    if (other === own || grown === 0) continue;
    if (other.firstLine === undefined) return undefined;
    if (other.firstLine < own.firstLine) moved += grown;
  }
  return own.firstLine + moved;
}

function linesIn(text: string): number {
  return text.split("\n").length;
}

/** The 1-based lines of a file at which a text begins. */
function linesOf(text: string, file: string): number[] {
  if (text === "") return [];
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = file.indexOf(text); at !== -1; at = file.indexOf(text, at + text.length)) {
    for (let end = file.indexOf("\n", counted); end !== -1 && end < at; end = file.indexOf("\n", end + 1)) {
      line += 1;
      counted = end + 1;
    }
    lines.push(line);
  }
  return lines;
}

function unifyLineEnds(text: string): string {
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}

/** A missing directory contains nothing, but paths below its name are still refused. */
function isInside(real: string, directory: string): boolean {
  const place = existsSync(directory) ? realpathSync(directory) : directory;
  return real === place || real.startsWith(place.endsWith(sep) ? place : place + sep);
}
