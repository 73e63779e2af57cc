import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { DIRECTORY_ENTRIES_MAX, type DirectoryEntry } from "../../protocol/changes.ts";
import { FILES_FOUND_MAX } from "../../protocol/limits.ts";
import { type PortletStore, RequestError } from "../portlet-store.ts";
import type { FilePlace } from "../side-panel.tsx";
import { SourceLines } from "./source-lines.ts";

/** The maximum number of entries requested of a directory: the server returns no more. */
const ENTRIES_MAX = DIRECTORY_ENTRIES_MAX * 20;
/** Of these, each request for more adds so many. */
const ENTRIES_ADDED = 2_000;
const PIECE_BYTES = 128 * 1024;
/** Of one file; the rest is for an editor. */
const SHOWN_BYTES_MAX = 20 * 1024 * 1024;

interface Directory {
  readonly entries: readonly DirectoryEntry[];
  readonly total: number;
  readonly failure: string | null;
  readonly isListed: boolean;
}

/** One row of the tree, or the message in its place. */
export type TreeRow =
  | {
      readonly kind: "entry";
      readonly path: string;
      readonly entry: DirectoryEntry;
      readonly level: number;
      readonly isDirectory: boolean;
      readonly isExpanded: boolean;
      readonly position: number;
      readonly siblings: number;
    }
  | { readonly kind: "more" | "note"; readonly path: string; readonly words: string; readonly level: number };

export interface OpenFile {
  readonly path: string;
  /** `partial`: more is read when the reader gets near its end. */
  readonly state: "reading" | "partial" | "whole" | "binary" | "failed";
  /** Grows in place; `rowCount` reflects the changes. */
  readonly source: SourceLines;
  readonly rowCount: number;
  readonly totalBytes: number;
  readonly modifiedAt: string | undefined;
  readonly failure: string | null;
  /** The worker's key for it. */
  readonly key: string;
}

export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** The state of a frame's Files view. It outlives the panel, so that this opens as it was closed. */
export class FilesStore {
  readonly #portlet: PortletStore;
  readonly #directories = signal<ReadonlyMap<string, Directory>>(new Map());
  readonly #expanded = signal<ReadonlySet<string>>(new Set());
  /** Links that lead to directories. */
  readonly #linked = new Set<string>();
  readonly #file = signal<OpenFile | null>(null);
  readonly #found = signal<{ readonly query: string; readonly paths: readonly string[] } | null>(null);
  readonly rows: ReadonlySignal<readonly TreeRow[]> = computed(() => this.#treeRows());
  readonly query = signal("");
  readonly active = signal<string | null>(null);
  readonly lines = signal<Lines | null>(null);
  /** A line to bring into view; a new object each time. */
  readonly wanted = signal<{ readonly line: number } | null>(null);
  /** The result of opening it in the editor. */
  readonly edited = signal<{ readonly words: string; readonly isFailure: boolean } | null>(null);
  /** Where the next piece of a text begins. */
  readonly #nextOf = new WeakMap<SourceLines, number>();
  #keys = 0;
  #readsFrom: number | null = null;

  constructor(portlet: PortletStore) {
    this.#portlet = portlet;
  }

  get file(): ReadonlySignal<OpenFile | null> {
    return this.#file;
  }

  get found(): ReadonlySignal<{ readonly query: string; readonly paths: readonly string[] } | null> {
    return this.#found;
  }

  /** Lists the open directories again: files may have changed meanwhile. */
  async refresh(): Promise<void> {
    const open = ["", ...this.#expanded.peek()];
    await Promise.all(open.map((path) => this.#list(path, this.#directories.peek().get(path)?.entries.length ?? 0)));
    const file = this.#file.peek();
    if (file === null) return;
    const modifiedAt = await this.#portlet.request({ type: "files:read", path: file.path, limit: 1 }).then(
      (answer) => (answer.type === "files:text" ? answer.modifiedAt : undefined),
      () => null,
    );
    if (this.#file.peek() === file && modifiedAt !== file.modifiedAt) await this.#read(file.path);
  }

  /** Opens or closes a directory. */
  toggle(path: string, isExpanded = !this.#expanded.peek().has(path)): void {
    const expanded = new Set(this.#expanded.peek());
    if (isExpanded) expanded.add(path);
    else expanded.delete(path);
    this.#expanded.value = expanded;
    if (isExpanded && this.#directories.peek().get(path)?.isListed !== true) void this.#list(path, 0);
  }

  showMore(path: string): void {
    void this.#list(path, (this.#directories.peek().get(path)?.entries.length ?? 0) + ENTRIES_ADDED);
  }

  /** Opens a file, with the directories around it, at some of its lines. */
  async open({ path, lines }: FilePlace): Promise<void> {
    batch(() => {
      this.active.value = path;
      this.lines.value = lines;
      this.edited.value = null;
      if (lines !== null) this.wanted.value = { line: lines.from };
    });
    if (this.#file.peek()?.path !== path) await this.#read(path);
    if (lines !== null) await this.#readUntil(lines.to);
  }

  /** Opens the directories around a file. */
  reveal(path: string): void {
    const names = path.split("/");
    for (let depth = 1; depth < names.length; depth += 1) this.toggle(names.slice(0, depth).join("/"), true);
    this.active.value = path;
  }

  closeFile(): void {
    this.#file.value = null;
    this.lines.value = null;
    this.edited.value = null;
  }

  /** A link may lead to a directory, which only a request can show. */
  async openLink(path: string): Promise<void> {
    const answer = await this.#portlet.request({ type: "files:list", path }).catch(() => null);
    if (answer?.type !== "files:listing") return this.open({ path, lines: null });
    this.#linked.add(path);
    this.toggle(path);
  }

  /** Reads on when there is more. */
  readMore(): void {
    const file = this.#file.peek();
    if (file?.state === "partial") void this.#readPiece(file);
  }

  async search(query: string): Promise<void> {
    this.query.value = query;
    const words = query.trim();
    if (words === "") {
      this.#found.value = null;
      return;
    }
    const answer = await this.#portlet
      .request({ type: "files:search", query: words, limit: FILES_FOUND_MAX })
      .catch(() => null);
    // Answers may overtake each other: only the one to the current input counts.
    if (answer?.type === "files:found" && this.query.peek() === query)
      this.#found.value = { query, paths: answer.files.map(({ path }) => path) };
  }

  async edit(path: string, line: number): Promise<void> {
    this.edited.value = await this.#portlet.request({ type: "files:edit", path, line }).then(
      () => ({ words: "Opened in the editor.", isFailure: false }),
      (error: unknown) => ({ words: wordsOf(error), isFailure: true }),
    );
  }

  statusOf(path: string): DirectoryEntry["status"] {
    const at = path.lastIndexOf("/");
    const entries = this.#directories.value.get(path.slice(0, Math.max(0, at)))?.entries;
    return entries?.find(({ name }) => name === path.slice(at + 1))?.status;
  }

  async #list(path: string, entriesMin: number): Promise<void> {
    const limit = Math.min(ENTRIES_MAX, Math.max(DIRECTORY_ENTRIES_MAX, entriesMin));
    const listed = await this.#portlet.request({ type: "files:list", path, limit }).then(
      (answer): Directory | null =>
        answer.type === "files:listing"
          ? { entries: answer.entries, total: answer.total, failure: null, isListed: true }
          : null,
      (error: unknown): Directory => ({ entries: [], total: 0, failure: wordsOf(error), isListed: true }),
    );
    if (listed !== null) this.#directories.value = new Map(this.#directories.peek()).set(path, listed);
  }

  async #read(path: string): Promise<void> {
    this.#keys += 1;
    this.#readsFrom = null;
    const file: OpenFile = {
      path,
      state: "reading",
      source: new SourceLines(),
      rowCount: 0,
      totalBytes: 0,
      modifiedAt: undefined,
      failure: null,
      key: `${performance.timeOrigin}-${performance.now()}-${this.#keys}`,
    };
    this.#file.value = file;
    await this.#readPiece(file);
  }

  async #readUntil(line: number): Promise<void> {
    for (;;) {
      const file = this.#file.peek();
      if (file?.state !== "partial" || file.source.lineCount > line) return;
      if (!(await this.#readPiece(file))) return;
    }
  }

  /** False when it is being read already, or another file was opened meanwhile. */
  async #readPiece(file: OpenFile): Promise<boolean> {
    const from = this.#nextOf.get(file.source) ?? 0;
    if (this.#readsFrom === from) return false;
    this.#readsFrom = from;
    const { path } = file;
    const answer = await this.#portlet
      .request({ type: "files:read", path, from, limit: PIECE_BYTES })
      .catch((error: unknown) => wordsOf(error));
    if (this.#file.peek()?.source !== file.source) return false;
    this.#readsFrom = null;
    if (typeof answer === "string" || answer.type !== "files:text") {
      this.#file.value = { ...file, state: "failed", failure: typeof answer === "string" ? answer : null };
      return false;
    }
    const { content, totalBytes, modifiedAt, next, binary } = answer;
    // It was changed meanwhile: the loaded part does not fit the rest.
    if (from > 0 && modifiedAt !== file.modifiedAt) {
      await this.#read(path);
      return false;
    }
    file.source.push(content);
    this.#nextOf.set(file.source, next ?? totalBytes);
    const isCut = next !== undefined && next >= SHOWN_BYTES_MAX;
    this.#file.value = {
      ...file,
      state: binary ? "binary" : next === undefined || isCut ? "whole" : "partial",
      rowCount: file.source.rowCount,
      totalBytes,
      modifiedAt,
      failure: isCut ? "The file is too large to show in full. Open it in an editor to see the rest." : null,
    };
    return true;
  }

  #treeRows(): readonly TreeRow[] {
    const directories = this.#directories.value;
    const expanded = this.#expanded.value;
    const rows: TreeRow[] = [];
    const add = (parent: string, level: number): void => {
      const directory = directories.get(parent);
      if (directory === undefined) return;
      const { entries, total, failure } = directory;
      for (const [index, entry] of entries.entries()) {
        const path = parent === "" ? entry.name : `${parent}/${entry.name}`;
        const isDirectory = entry.kind === "directory" || this.#linked.has(path);
        const isExpanded = isDirectory && expanded.has(path);
        rows.push({
          ...{ kind: "entry", path, entry, level, isDirectory, isExpanded, position: index + 1 },
          siblings: entries.length,
        });
        if (isExpanded) add(path, level + 1);
      }
      const left = total - entries.length;
      if (failure !== null) rows.push({ kind: "note", path: parent, words: failure, level });
      else if (total === 0) rows.push({ kind: "note", path: parent, words: "Empty", level });
      else if (left > 0 && entries.length < ENTRIES_MAX)
        rows.push({ kind: "more", path: parent, words: moreWords(left), level });
      else if (left > 0)
        rows.push({ kind: "note", path: parent, words: `${left.toLocaleString("en")} more. Use the filter.`, level });
    };
    add("", 1);
    return rows;
  }
}

function moreWords(left: number): string {
  const added = Math.min(left, ENTRIES_ADDED).toLocaleString("en");
  return added === left.toLocaleString("en")
    ? `Show ${added} more`
    : `Show ${added} of ${left.toLocaleString("en")} more`;
}

function wordsOf(error: unknown): string {
  return error instanceof RequestError ? error.message : "The server could not be asked. Try again.";
}
