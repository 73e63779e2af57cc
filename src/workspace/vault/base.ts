import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { absolutePath, joinRawPaths, type RawPath } from "../git/raw-path.ts";
import { readGit } from "../git/run-git.ts";
import { compareTrees, emptyTree, type FileChange, type TreeEntry } from "./compare.ts";
import { applyHunks, hunksBetween, isLink, linesOf, readBlob, writeBlob } from "./hunks.ts";
import { contentOf, isContent, readPointer } from "./large-file-storage.ts";
import { linkObjects } from "./link-objects.ts";
import { treeWith } from "./move.ts";
import { type Repository, readRepository } from "./repository.ts";
import { below, partDirectory, type Scan, type ScannedPart } from "./scan.ts";
import { type MovedSubmodule, movedSubmodules } from "./submodules.ts";
import { type Vault, vaultKey } from "./vault.ts";

export interface Base {
  /** The last commit, as its files would be on disk. */
  readonly scan: Scan;
  /** Null for a directory that is not in a repository. */
  readonly head: { readonly branch: string | null; readonly commit: string | null } | null;
  /** The commits of all repositories in it, as one text that changes when one of them does. */
  readonly commits: string;
  /** Submodules that point to another commit than the last one says. */
  readonly submodules: readonly MovedSubmodule[];
  /** Files that a filter changes: what was written before the first turn is not known, and so is not shown. */
  readonly unclear: readonly RawPath[];
}

const GITLINK = "160000";
/** Keep the trees of the last commits, and what became of them, one of each for every part. */
const HEAD_REFS = "refs/review/head-";
const BASE_REFS = "refs/review/base-";

/**
 * The state that `git diff HEAD` compares with: of each repository its last commit, of a plain directory the first state
 * there was. Git stores files normalised, while the vault has bytes as on disk; so a commit's file gets the line endings
 * and keywords of the file on disk where the repository's attributes say that they do not count. Runs no filter: a file
 * that one changes is taken from `first`, and counts as unchanged when that does not have it.
 */
export async function readBase(vault: Vault, current: Scan, first: Scan | null): Promise<Base> {
  const parts: ScannedPart[] = [];
  const commits = new Map<RawPath, string | null>();
  const unclear: RawPath[] = [];
  let head: Base["head"] = null;
  for (const part of current.parts) {
    const firstTree = first?.parts.find(({ path }) => path === part.path)?.tree ?? null;
    const commit = await readHead(vault, part.path);
    if (part.path === "" && commit !== null) head = { branch: commit.branch, commit: commit.commit };
    commits.set(part.path, commit?.commit ?? null);
    const base = commit === null ? null : new PartBase(vault, part, commit, firstTree, current);
    parts.push({ path: part.path, tree: base === null ? (firstTree ?? part.tree) : await base.tree() });
    unclear.push(...(base?.unclear ?? []).map((path) => below(part.path, path)));
  }
  return {
    scan: { parts, leftOut: [] },
    head,
    commits: [...commits.values()].map((commit) => commit ?? "none").join(" "),
    submodules: await movedSubmodules(vault, current.parts, commits),
    unclear,
  };
}

/** The commits as a base has them, without comparing any file. */
export async function readCommits(vault: Vault, current: Scan): Promise<string> {
  const heads = await Promise.all(current.parts.map(({ path }) => readHead(vault, path)));
  return heads.map((head) => head?.commit ?? "none").join(" ");
}

interface Head {
  readonly branch: string | null;
  /** Null before the first commit. */
  readonly commit: string | null;
  readonly tree: string | null;
  readonly repository: Repository;
}

/** Null for a plain directory, and for a repository whose objects the vault cannot hold. */
async function readHead(vault: Vault, part: RawPath): Promise<Head | null> {
  const directory = partDirectory(vault, part);
  const repository = part === "" ? vault.repository : await readRepository(directory);
  if (repository === null || (part !== "" && repository.topLevel !== directory)) return null;
  if (repository.objectFormat !== (vault.repository?.objectFormat ?? "sha1")) return null;
  const branch = (await readGit(directory, ["symbolic-ref", "-q", "--short", "HEAD"]))?.trim() ?? null;
  const names = await readGit(directory, ["rev-parse", "-q", "HEAD^{commit}", "HEAD^{tree}"]);
  const [commit = null, tree = null] = names?.trim().split("\n") ?? [];
  const shown = branch === null ? null : Buffer.from(branch, "latin1").toString("utf8");
  return { branch: shown, commit, tree, repository };
}

/** What was found for a pair of trees, by the path of the vault and of the part. Only what depends on nothing else is kept. */
const cache = new Map<string, { readonly key: string; readonly tree: string }>();

/** Objects that no ref names may be gone. */
export function forgetBases({ path }: Vault): void {
  for (const place of cache.keys()) if (place.startsWith(`${path} `)) cache.delete(place);
}

class PartBase {
  readonly #vault: Vault;
  readonly #part: ScannedPart;
  readonly #head: Head;
  readonly #firstTree: string | null;
  readonly #leftOut: ReadonlySet<RawPath>;
  readonly #directory: string;
  /** From the directory of the part, once the tree is known. */
  readonly unclear: RawPath[] = [];

  constructor(vault: Vault, part: ScannedPart, head: Head, firstTree: string | null, current: Scan) {
    this.#vault = vault;
    this.#part = part;
    this.#head = head;
    this.#firstTree = firstTree;
    this.#leftOut = new Set(current.leftOut.map(({ path }) => path));
    this.#directory = partDirectory(vault, part.path);
  }

  async tree(): Promise<string> {
    const [vault, part] = [this.#vault, this.#part];
    if (this.#head.tree === null) return emptyTree(vault);
    const place = `${vault.path} ${part.path}`;
    const key = `${this.#head.tree} ${part.tree}`;
    const known = cache.get(place);
    if (known?.key === key) return known.tree;
    await this.#takeObjects(this.#head.tree);
    const changes = await compareTrees(vault, this.#head.tree, part.tree);
    const links = changes.filter(({ before }) => before?.mode === GITLINK);
    const others = changes.filter(({ before }) => before !== null && before.mode !== GITLINK);
    const deleted = others.filter(({ after }) => after === null);
    const modified = others.filter(({ after }) => after !== null);
    const hidden = await this.#hidden(deleted);
    const converted = [
      ...(await this.#converted(modified)),
      ...(await this.#deletedContents(deleted.filter((change) => !hidden.includes(change)))),
    ];
    const entries = [
      // A repository inside is a part of its own.
      ...[...links, ...hidden].map(({ path }) => ({ path, entry: null })),
      ...converted,
    ];
    const tree =
      entries.length === 0
        ? this.#head.tree
        : await treeWith(vault, part.path, { base: this.#head.tree, isScanned: false }, entries);
    if (tree !== this.#head.tree) await vault.git(["update-ref", `${BASE_REFS}${vaultKey(part.path)}`, tree]);
    // Attributes, settings and flags in the user's index may change without a commit.
    if (hidden.length === 0 && converted.length === 0) cache.set(place, { key, tree });
    return tree;
  }

  /** Commits that were made since the vault was created have objects that it does not have yet. */
  async #takeObjects(tree: string): Promise<void> {
    const ref = `${HEAD_REFS}${vaultKey(this.#part.path)}`;
    const known = await this.#vault.tryGit(["rev-parse", "-q", "--verify", ref]);
    if (known.stdout.toString().trim() === tree) return;
    const { objectsDir } = this.#head.repository;
    if (!(await this.#hasAll(tree))) await linkObjects(objectsDir, join(this.#vault.path, "objects"));
    // Another file system: they are copied, without those that the vault has of the present files.
    if (!(await this.#hasAll(tree)))
      await this.#vault.git(["pack-objects", "-q", "--revs", join(this.#vault.path, "objects/pack/pack")], {
        input: `${tree}\n^${this.#part.tree}\n`,
        alternateObjects: objectsDir,
      });
    await this.#vault.git(["update-ref", ref, tree]);
  }

  async #hasAll(tree: string): Promise<boolean> {
    const listing = await this.#vault.tryGit(["rev-list", "--objects", "--quiet", tree, `^${this.#part.tree}`]);
    return listing.exitCode === 0;
  }

  /** Files of the commit that the user has switched off (a sparse checkout), or that the vault cannot see. */
  async #hidden(deleted: readonly FileChange[]): Promise<FileChange[]> {
    if (deleted.length === 0) return [];
    const listing = (await readGit(this.#directory, ["ls-files", "-z", "-t"])) ?? "";
    const lines = listing.split("\0");
    const tracked = new Set(lines.map((line) => line.slice(2)));
    const skipped = new Set(lines.filter((line) => line.startsWith("S ")).map((line) => line.slice(2)));
    const hidden: FileChange[] = [];
    for (const change of deleted) {
      const isUnseen = async () => {
        // Ignored, and the user has removed it from Git: it counts as deleted there.
        if (!tracked.has(change.path)) return false;
        const stats = await lstat(absolutePath(this.#directory, change.path)).catch(() => null);
        return stats !== null && !stats.isDirectory();
      };
      const isLeftOut = this.#leftOut.has(below(this.#part.path, change.path));
      if (skipped.has(change.path) || (!isLeftOut && (await isUnseen()))) hidden.push(change);
    }
    return hidden;
  }

  /** Files whose bytes on disk are not those of their object. */
  async #converted(modified: readonly FileChange[]): Promise<{ path: RawPath; entry: TreeEntry | null }[]> {
    if (modified.length === 0) return [];
    const conversions = await readConversions(
      this.#directory,
      modified.map(({ path }) => path),
    );
    const hasModes = (await readGit(this.#directory, ["config", "--type=bool", "core.fileMode"]))?.trim() !== "false";
    const filtered = modified.filter(({ path }) => conversions.get(path)?.isFiltered);
    const ofFirst = filtered.length === 0 ? NO_ENTRIES : await this.#fromFirst(filtered);
    const entries: { path: RawPath; entry: TreeEntry | null }[] = [];
    for (const change of modified) {
      const { path, before, after } = change;
      if (before === null || after === null) continue;
      const mode = hasModes || isLink(before) || isLink(after) ? before.mode : after.mode;
      const conversion = conversions.get(path);
      if (conversion?.isFiltered) entries.push({ path, entry: await this.#filtered(change, ofFirst) });
      else if (conversion && !isLink(before) && !isLink(after)) {
        const id = await this.#asOnDisk(before, after, conversion);
        if (id !== before.id || mode !== before.mode) entries.push({ path, entry: { mode, id } });
      } else if (mode !== before.mode) entries.push({ path, entry: { ...before, mode } });
    }
    return entries;
  }

  /**
   * The committed file with the line endings and keywords of the one on disk: what differs between the two is then
   * exactly what Git shows.
   */
  async #asOnDisk(before: TreeEntry, after: TreeEntry, conversion: Conversion): Promise<string> {
    const [committed, onDisk] = [await readBlob(this.#vault, before), await readBlob(this.#vault, after)];
    const normal = normalised(onDisk, committed, conversion);
    if (normal === onDisk) return before.id;
    const normalId = await writeBlob(this.#vault, normal);
    // As lines are counted.
    const hunks = await hunksBetween(this.#vault, { ...before, id: normalId }, before, "myers");
    if (hunks === null) return before.id;
    const lineEnd = /\r\n/.test(onDisk) && conversion.lineEnds !== "keep" ? "\r\n" : "\n";
    const newLines = linesOf(committed).map((line) => line.replace(/\r?\n$/, lineEnd));
    // Both have the same lines, so the hunks between the normalised ones hold for the ones on disk.
    return writeBlob(
      this.#vault,
      applyHunks({ oldLines: linesOf(onDisk), newLines, hunks }, () => true),
    );
  }

  /** The committed version of a file that a program changes between disk and object. The program is not run. */
  async #filtered({ path, before, after }: FileChange, ofFirst: FirstEntries): Promise<TreeEntry | null> {
    const pointer = before && (await readPointer(this.#vault, before));
    if (before && after && pointer) {
      const isSame = await isContent(this.#vault, after, pointer);
      if (isSame === true) return after;
      const id = isSame === false ? await contentOf(this.#vault, this.#directory, pointer) : null;
      if (id !== null) return { mode: before.mode, id };
    }
    if (ofFirst.unclear.has(path)) this.unclear.push(path);
    return ofFirst.entries.get(path) ?? after;
  }

  /** Discarding the deletion of a large file brings its content back, not the few lines that Git has of it. */
  async #deletedContents(deleted: readonly FileChange[]): Promise<{ path: RawPath; entry: TreeEntry }[]> {
    if (deleted.length === 0) return [];
    const conversions = await readConversions(
      this.#directory,
      deleted.map(({ path }) => path),
    );
    const filtered = deleted.filter(({ path }) => conversions.get(path)?.isFiltered);
    const ofFirst = filtered.length === 0 ? NO_ENTRIES : await this.#fromFirst(filtered);
    const entries: { path: RawPath; entry: TreeEntry }[] = [];
    for (const { path, before } of filtered) {
      const pointer = before && (await readPointer(this.#vault, before));
      const id = pointer && (await contentOf(this.#vault, this.#directory, pointer));
      const entry = before && id ? { mode: before.mode, id } : ofFirst.entries.get(path);
      if (entry) entries.push({ path, entry });
    }
    return entries;
  }

  /** Git can report without a filter that a file is as committed if it was not written since. */
  async #fromFirst(filtered: readonly FileChange[]): Promise<FirstEntries> {
    const written = new Set(
      (await readGit(this.#directory, ["diff-index", "-z", "--name-only", "--ignore-submodules=all", "HEAD"]))?.split(
        "\0",
      ),
    );
    const changedSince =
      this.#firstTree === null
        ? []
        : await compareTrees(this.#vault, this.#firstTree, this.#part.tree).then((changes) =>
            changes.filter(({ path }) => written.has(path)),
          );
    const ofFirst = new Map(changedSince.map(({ path, before }) => [path, before]));
    const unknown = filtered.map(({ path }) => path).filter((path) => written.has(path) && !ofFirst.has(path));
    return {
      entries: new Map(filtered.map(({ path, after }) => [path, ofFirst.get(path) ?? after])),
      unclear: new Set(unknown),
    };
  }
}

/** Filtered files as they were before the first turn, and those that were written before it. */
interface FirstEntries {
  readonly entries: ReadonlyMap<RawPath, TreeEntry | null>;
  readonly unclear: ReadonlySet<RawPath>;
}
const NO_ENTRIES: FirstEntries = { entries: new Map(), unclear: new Set() };

interface Conversion {
  /** `keep`: bytes stay. `auto`: in files that look like text and have no CRLF in the commit. */
  readonly lineEnds: "keep" | "text" | "auto";
  readonly hasKeywords: boolean;
  /** A program or an encoding changes it in ways that only they know. */
  readonly isFiltered: boolean;
}

const ATTRIBUTES = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];

/** What Git would do to files between disk and object; a file whose bytes stay is not in it. */
async function readConversions(directory: string, paths: readonly RawPath[]): Promise<Map<RawPath, Conversion>> {
  const autocrlf = (await readGit(directory, ["config", "core.autocrlf"]))?.trim().toLowerCase() ?? "false";
  const listing = await readGit(directory, ["check-attr", "-z", "--stdin", ...ATTRIBUTES], joinRawPaths(paths));
  const fields = listing?.split("\0") ?? [];
  const byPath = new Map<RawPath, Map<string, string>>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const path = fields[at] as RawPath;
    const values = byPath.get(path) ?? new Map<string, string>();
    byPath.set(path, values.set(fields[at + 1] ?? "", fields[at + 2] ?? ""));
  }
  const isAuto = /^(?:input|true|yes|on|1)$/.test(autocrlf);
  const conversions = new Map<RawPath, Conversion>();
  for (const [path, values] of byPath) {
    const isGiven = (name: string) => !/^(?:unspecified|unset)$/.test(values.get(name) ?? "unspecified");
    const conversion: Conversion = {
      lineEnds: lineEndsOf(values, isAuto),
      hasKeywords: values.get("ident") === "set",
      isFiltered: isGiven("filter") || isGiven("working-tree-encoding"),
    };
    if (conversion.lineEnds !== "keep" || conversion.hasKeywords || conversion.isFiltered)
      conversions.set(path, conversion);
  }
  return conversions;
}

/** As Git reads the attributes; `crlf` is the old name of `text`. */
function lineEndsOf(values: ReadonlyMap<string, string>, isAuto: boolean): Conversion["lineEnds"] {
  const given = values.get("text") ?? "unspecified";
  const text = given === "unspecified" ? (values.get("crlf") ?? "unspecified") : given;
  if (text === "unset") return "keep";
  if (text === "set" || text === "input") return "text";
  if (text === "auto") return "auto";
  if (/^(?:lf|crlf)$/.test(values.get("eol") ?? "")) return "text";
  return isAuto ? "auto" : "keep";
}

/** The text that Git would store. */
function normalised(onDisk: string, committed: string, { lineEnds, hasKeywords }: Conversion): string {
  const isStored = committed.includes("\r\n") && looksLikeText(committed);
  const isText = lineEnds === "text" || (lineEnds === "auto" && looksLikeText(onDisk) && !isStored);
  const withEnds = isText ? onDisk.replaceAll("\r\n", "\n") : onDisk;
  return hasKeywords ? withEnds.replace(/\$Id:[^$\n]*\$/g, "$Id$") : withEnds;
}

const PRINTABLE_PER_OTHER_MIN = 128;

/** As Git decides it before it changes line endings by itself. */
function looksLikeText(text: string): boolean {
  if (/\0|\r(?!\n)/.test(text)) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that texts do not have.
  const others = text.match(/[\x01-\x07\x0e-\x1a\x1c-\x1f\x7f]/g)?.length ?? 0;
  return others === 0 || (text.length - others) / others >= PRINTABLE_PER_OTHER_MIN;
}
