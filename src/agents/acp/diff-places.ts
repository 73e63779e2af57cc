import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { ToolPatch } from "../../ports/agents.ts";
import type { Part } from "../../protocol/entry.ts";

/** Larger files are not searched: the search runs while the agent's line is handled. */
const FILE_BYTES_MAX = 1024 * 1024;
/** Diffs of one update that are searched for. */
const DIFFS_MAX = 20;
/** Calls whose places are remembered until they end. */
const CALLS_MAX = 32;
const HAS_PROC = process.platform === "linux";

type Diff = Extract<Part, { type: "diff" }>;

interface DiffPlacesOptions {
  /** Only files below these are read. */
  readonly roots: readonly string[];
  /** Not read, also where it lies inside a root. */
  readonly guarded: readonly string[];
}

/**
 * Finds the line of the file at which the texts of a diff begin. Agents send a snippet without its position, so the
 * text is looked up in the file: it counts when it is there once, or where a location of the agent's names the line.
 * Synchronous, because nothing may come between the agent's line and the mailbox.
 */
export class DiffPlaces {
  readonly #options: DiffPlacesOptions;
  /** A snippet found before the edit may be found nowhere, or twice, after it. */
  readonly #found = new Map<string, readonly Diff[]>();

  constructor(options: DiffPlacesOptions) {
    this.#options = options;
  }

  /** The patch, with `firstLine` on the diffs whose place is known. */
  locate(patch: ToolPatch): ToolPatch {
    const { toolCallId, status, parts } = patch;
    const before = this.#found.get(toolCallId) ?? [];
    if (status === "complete" || status === "error") this.#found.delete(toolCallId);
    if (!parts?.some(({ type }) => type === "diff")) return patch;
    let left = DIFFS_MAX;
    const located = parts.map((part) => {
      if (part.type !== "diff" || left === 0) return part;
      left -= 1;
      const firstLine = this.#firstLine(part, patch) ?? before.find((known) => isSame(known, part))?.firstLine;
      return firstLine === undefined ? part : { ...part, firstLine };
    });
    if (status !== "complete" && status !== "error") this.#remember(toolCallId, located);
    return { ...patch, parts: located };
  }

  #remember(toolCallId: string, parts: readonly Part[]): void {
    const found = parts.flatMap((part) => (part.type === "diff" && part.firstLine !== undefined ? [part] : []));
    if (found.length === 0) return;
    this.#found.delete(toolCallId);
    this.#found.set(toolCallId, found);
    const [oldest] = this.#found.keys();
    if (this.#found.size > CALLS_MAX && oldest !== undefined) this.#found.delete(oldest);
  }

  #firstLine({ path, oldText, newText }: Diff, { status, locations }: ToolPatch): number | undefined {
    // A new file starts at its first line by itself.
    if (oldText === null || oldText === "") return undefined;
    const file = this.#read(path);
    // A file that is removed whole is no part of a file.
    if (file === null || (newText === "" && file === unifyLineEnds(oldText))) return undefined;
    const named = locations?.flatMap((location) => (location.path === path ? (location.line ?? []) : [])) ?? [];
    for (const text of status === "complete" ? [newText, oldText] : [oldText, newText]) {
      const lines = text === "" ? [] : linesOf(unifyLineEnds(text), file);
      if (lines.length === 0) continue;
      const likely = lines.length === 1 ? lines : lines.filter((line) => named.includes(line));
      return likely.length === 1 ? likely[0] : undefined;
    }
    return undefined;
  }

  /** Null for what is no file of the session, too large, or cannot be read. */
  #read(path: string): string | null {
    const { roots, guarded } = this.#options;
    const [root] = roots;
    if (root === undefined || path.includes("\0")) return null;
    try {
      const real = realpathSync(resolve(root, path));
      if (!this.#mayRead(real, roots, guarded)) return null;
      const fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        // A directory on the way may have become a link since.
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

/** The 1-based lines of a file at which a text begins. */
function linesOf(text: string, file: string): number[] {
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

/** A directory that is not there holds nothing, and its name still bars what is made below it. */
function isInside(real: string, directory: string): boolean {
  const place = existsSync(directory) ? realpathSync(directory) : directory;
  return real === place || real.startsWith(place.endsWith(sep) ? place : place + sep);
}
