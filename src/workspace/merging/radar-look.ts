import { lstat, mkdir, readFile, readlink, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { absolutePath, type RawPath } from "../git/raw-path.ts";
import { GitError, inspectGit, readGit, runVaultGit } from "../git/run-git.ts";
import { vaultKey } from "../vault/vault.ts";
import {
  type Checkout,
  gitFiles,
  isSamePlace,
  listCheckouts,
  type UncommittedFile,
  uncommittedFiles,
  wordsOf,
} from "./checkouts.ts";
import { quoted } from "./cut-off-merge.ts";

export interface RadarLimits {
  /** Of one checkout; above this limit its overlaps are unknown. */
  readonly uncommittedFilesMax: number;
  /** A larger one counts as changed, and its content is not read. */
  readonly fileBytesMax: number;
  /** Pairs of checkouts that Git merges in one check. */
  readonly mergesMax: number;
  /** After this many files the store is created anew. */
  readonly storedFilesMax: number;
  /** A checkout without reported changes is read again after this time: its user may edit files unnoticed. */
  readonly readAgainMs: number;
}

export const RADAR_LIMITS: RadarLimits = {
  uncommittedFilesMax: 5_000,
  fileBytesMax: 10 * 1024 * 1024,
  mergesMax: 500,
  storedFilesMax: 20_000,
  readAgainMs: 30_000,
};

const MERGES_KEPT_MAX = 20_000;
const GRAPH_COMMITS_MAX = 50_000;
const LOOK_TIMEOUT_MS = 60_000;
const READ_AT_ONCE = 2;
const LINK = "120000";
const GITLINK = "160000";

/** The state of a checkout's files as commits: the user's, or one of ours on top of it. */
export interface Side {
  /** The last commit. */
  readonly head: string;
  /** With all uncommitted files. It is in our store only. */
  readonly commit: string;
  readonly uncommitted: readonly RawPath[];
  /** The commit is complete: no uncommitted file was too large to be read. */
  readonly isWhole: boolean;
}

/**
 * What merging two sides would do. Paths are those that both changed, or that conflict. `contained`: the second side has
 * all that the first one did, as after a squash. `unrelated`: they have no commit in common, and Git merges nothing.
 */
export type PairResult =
  | { readonly kind: "apart" | "unrelated" }
  | { readonly kind: "contained" | "same-files" | "conflict"; readonly paths: readonly RawPath[] };

/**
 * Checks the checkouts of one repository. The user's repository is only read: uncommitted files, commits of them and
 * the results of merges go to a store of ours, which is only a cache.
 */
export class RadarRepository {
  readonly #directory: string;
  readonly #objects: string;
  readonly #store: string;
  readonly #limits: RadarLimits;
  #storedFiles = 0;
  /** Commits of ours, by what they hold. */
  readonly #commits = new Map<string, string>();
  /** Changed paths between two commits. */
  readonly #paths = new Map<string, readonly RawPath[]>();
  /** Results of merges; null: Git cannot determine it. */
  readonly #merges = new Map<string, { readonly tree: string; readonly conflicts: readonly RawPath[] } | null>();
  /** By commit. */
  readonly #trees = new Map<string, string>();
  /** The result of the last check of each checkout. */
  readonly #reads = new Map<string, LastRead>();

  private constructor(directory: string, objects: string, store: string, limits: RadarLimits) {
    this.#directory = directory;
    this.#objects = objects;
    this.#store = store;
    this.#limits = limits;
  }

  /** The repository of a directory, with an empty store below `root`. */
  static async open(directory: string, root: string, limits: RadarLimits): Promise<RadarRepository> {
    const { common, objects } = await gitFiles(directory);
    const repository = new RadarRepository(directory, objects, join(root, `${vaultKey(common)}.git`), limits);
    await repository.#empty();
    return repository;
  }

  async #empty(): Promise<void> {
    await rm(this.#store, { recursive: true, force: true });
    await mkdir(this.#store, { recursive: true, mode: 0o700 });
    const format = (await readGit(this.#directory, ["rev-parse", "--show-object-format"]))?.trim() ?? "sha1";
    const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, this.#store];
    const made = await runVaultGit({ args, gitDir: this.#store, timeoutMs: LOOK_TIMEOUT_MS });
    if (made.exitCode !== 0) throw new GitError(wordsOf(made));
    for (const cache of [this.#commits, this.#paths, this.#merges, this.#trees, this.#reads]) cache.clear();
    this.#storedFiles = 0;
  }

  get #place(): { readonly objects: string; readonly reads: string } {
    return { objects: join(this.#store, "objects"), reads: this.#objects };
  }

  async #git(args: readonly string[], input?: string): Promise<Buffer> {
    const result = await this.#tryGit(args, input);
    if (result.exitCode !== 0) throw new GitError(wordsOf(result));
    return result.stdout;
  }

  #tryGit(args: readonly string[], input?: string) {
    const bytes = input === undefined ? undefined : Buffer.from(input, "latin1");
    return inspectGit({
      directory: this.#directory,
      args,
      input: bytes,
      store: this.#place,
      timeoutMs: LOOK_TIMEOUT_MS,
    });
  }

  /**
   * The sides of some directories, in their order; null for one that cannot be read. Files are read in those that
   * `isTouched`, where a commit or the index changed, and where the last check was long ago.
   */
  async sides(
    directories: readonly string[],
    isTouched: (directory: string) => boolean = () => true,
  ): Promise<(Side | null)[]> {
    const isFull = this.#storedFiles > this.#limits.storedFilesMax || this.#merges.size > MERGES_KEPT_MAX;
    if (isFull) await this.#empty();
    const checkouts = await listCheckouts(this.#directory);
    const read: (ReadCheckout | null)[] = [];
    for (let at = 0; at < directories.length; at += READ_AT_ONCE) {
      const some = directories.slice(at, at + READ_AT_ONCE);
      read.push(
        ...(await Promise.all(some.map((directory) => this.#readCheckout(directory, checkouts, isTouched(directory))))),
      );
    }
    const commits = await this.#commitAll(read);
    return read.map((checkout, index) => {
      const commit = commits[index] ?? null;
      if (checkout === null || commit === null) return null;
      return {
        head: checkout.head,
        commit,
        uncommitted: checkout.files.map(({ path }) => path),
        isWhole: checkout.files.every(({ content }) => content !== "not looked at"),
      };
    });
  }

  async #readCheckout(
    directory: string,
    checkouts: readonly Checkout[],
    isTouched: boolean,
  ): Promise<ReadCheckout | null> {
    const checkout = await findCheckout(directory, checkouts);
    if (checkout === null || checkout.commit === null) return null;
    const startMs = performance.now();
    const index = await indexStamp(checkout.path);
    const before = this.#reads.get(checkout.path);
    const isFresh = before !== undefined && startMs - before.atMs < this.#limits.readAgainMs;
    if (!isTouched && isFresh && index !== null && before.index === index && before.read.head === checkout.commit)
      return before.read;
    // A file that vanishes meanwhile makes it fail; once more, then.
    const files = await this.#readFiles(checkout.path).catch(() => this.#readFiles(checkout.path).catch(() => null));
    this.#reads.delete(checkout.path);
    if (files === null) return null;
    const read = { head: checkout.commit, files };
    this.#reads.set(checkout.path, { index, read, atMs: startMs });
    return read;
  }

  async #readFiles(directory: string): Promise<StoredFile[] | null> {
    const files = (await uncommittedFiles(directory)).filter(({ mode }) => mode !== GITLINK);
    if (files.length > this.#limits.uncommittedFilesMax) return null;
    const stored: StoredFile[] = [];
    const hashed: UncommittedFile[] = [];
    for (const file of files) {
      if (file.mode === null) stored.push({ ...file, content: null });
      else if (file.mode === LINK)
        stored.push({ ...file, content: { link: await readlink(absolutePath(directory, file.path), "latin1") } });
      else {
        const stats = await lstat(absolutePath(directory, file.path));
        if (stats.isFile() && stats.size <= this.#limits.fileBytesMax) hashed.push(file);
        else stored.push({ ...file, content: "not looked at" });
      }
    }
    if (hashed.length === 0) return stored;
    this.#storedFiles += hashed.length;
    // With the line ends that Git would store; no filter runs.
    const result = await inspectGit({
      directory,
      args: ["hash-object", "-w", "--stdin-paths"],
      input: Buffer.from(hashed.map(({ path }) => `${quoted(path)}\n`).join(""), "latin1"),
      store: this.#place,
      timeoutMs: LOOK_TIMEOUT_MS,
    });
    if (result.exitCode !== 0) throw new GitError(wordsOf(result));
    const ids = result.stdout.toString("latin1").trimEnd().split("\n");
    return [...stored, ...hashed.map((file, index) => ({ ...file, content: { id: ids[index] ?? "" } }))];
  }

  /** One process makes all commits that are not there yet. */
  async #commitAll(checkouts: readonly (ReadCheckout | null)[]): Promise<(string | null)[]> {
    const keys = checkouts.map((checkout) => checkout && JSON.stringify(checkout));
    const missing = new Map<string, ReadCheckout>();
    checkouts.forEach((checkout, index) => {
      const key = keys[index];
      if (
        checkout !== null &&
        key !== null &&
        key !== undefined &&
        checkout.files.length > 0 &&
        !this.#commits.has(key)
      )
        missing.set(key, checkout);
    });
    if (missing.size > 0) {
      const input = Buffer.from([...missing.values()].map(commitStream).join(""), "latin1");
      const args = ["fast-import", "--quiet", "--force", "--done"];
      const made = await runVaultGit({
        args,
        gitDir: this.#store,
        alternateObjects: this.#objects,
        input: Buffer.concat([input, Buffer.from("done\n")]),
        timeoutMs: LOOK_TIMEOUT_MS,
      });
      if (made.exitCode !== 0) throw new GitError(wordsOf(made));
      const ids = made.stdout.toString("latin1").trimEnd().split("\n");
      [...missing.keys()].forEach((key, index) => {
        const id = ids[index];
        if (id !== undefined) this.#commits.set(key, id);
      });
    }
    return checkouts.map((checkout, index) => {
      if (checkout === null) return null;
      return checkout.files.length === 0 ? checkout.head : (this.#commits.get(keys[index] ?? "") ?? null);
    });
  }

  /** What merging each pair would do. Only pairs that changed the same paths are merged, all in one process. */
  async compare(pairs: readonly (readonly [Side, Side])[]): Promise<PairResult[]> {
    const bases = await this.#mergeBases(pairs);
    const related = pairs.flatMap((pair, index) => {
      const base = bases[index] ?? null;
      return base === null ? [] : [{ pair, base }];
    });
    await this.#readPaths(related.flatMap(({ pair, base }) => pair.map(({ head }): [string, string] => [base, head])));
    const common = pairs.map((pair, index) => {
      const base = bases[index] ?? null;
      if (base === null) return [];
      const [one = [], other = []] = pair.map(({ head, uncommitted }) => [
        ...(this.#paths.get(`${base} ${head}`) ?? []),
        ...uncommitted,
      ]);
      return commonPaths(one, other);
    });
    const keyOf = ([one, other]: readonly [Side, Side]) => `${one.commit} ${other.commit}`;
    const gated = pairs.filter((_, index) => (common[index]?.length ?? 0) > 0).map(keyOf);
    await this.#mergeAll([...new Set(gated)].filter((key) => !this.#merges.has(key)));
    const merged = pairs.filter((pair) => this.#merges.get(keyOf(pair))?.conflicts.length === 0);
    await this.#readTrees(merged.map(([, other]) => other.commit));
    return pairs.map((pair, index): PairResult => {
      const [one, other] = pair;
      const paths = common[index] ?? [];
      if ((bases[index] ?? null) === null) return { kind: "unrelated" };
      if (paths.length === 0) return { kind: "apart" };
      const { tree = null, conflicts = [] } = this.#merges.get(keyOf(pair)) ?? {};
      if (conflicts.length > 0) return { kind: "conflict", paths: conflicts };
      const isContained = one.isWhole && other.isWhole && tree !== null && this.#trees.get(other.commit) === tree;
      return { kind: isContained ? "contained" : "same-files", paths };
    });
  }

  async #mergeAll(keys: readonly string[]): Promise<void> {
    const some = keys.slice(0, this.#limits.mergesMax);
    if (some.length === 0) return;
    const result = await this.#tryGit(
      ["merge-tree", "--stdin", "--no-messages"],
      some.map((key) => `${key}\n`).join(""),
    );
    // It stops at a pair that it cannot merge: later pairs, and all pairs with an old Git, stay unknown.
    const fields = result.stdout.toString("latin1").split("\0");
    let at = 0;
    for (const key of some) {
      const status = fields[at];
      const end = fields.indexOf("", at);
      if ((status !== "0" && status !== "1") || end === -1) return;
      const paths = fields.slice(at + 2, end).map((line) => line.slice(line.indexOf("\t") + 1) as RawPath);
      this.#merges.set(key, { tree: fields[at + 1] ?? "", conflicts: [...new Set(paths)] });
      at = end + 1;
    }
  }

  /** Reads the paths that differ between commits; those that are known already are not read again. */
  async #readPaths(wanted: readonly (readonly [string, string])[]): Promise<void> {
    const missing = [...new Map(wanted.map((pair) => [pair.join(" "), pair]))].filter(([key]) => !this.#paths.has(key));
    for (const [key, [from, to]] of missing) if (from === to) this.#paths.set(key, []);
    const different = missing.filter(([key]) => !this.#paths.has(key));
    if (different.length === 0) return;
    await this.#readTrees(different.flatMap(([, pair]) => pair));
    const lines = different.map(([, pair]) => `${pair.map((commit) => this.#trees.get(commit)).join(" ")}\n`);
    const args = ["diff-tree", "--stdin", "-r", "-z", "--no-renames", "--name-only", "--no-ext-diff"];
    const output = (await this.#git(args, lines.join(""))).toString("latin1");
    // `<tree> <tree>` and a line feed come before the paths of each, also when there is none.
    let at = 0;
    different.forEach(([key], index) => {
      const start = output.indexOf(lines[index] ?? "", at) + (lines[index]?.length ?? 0);
      const next = index + 1 < lines.length ? output.indexOf(lines[index + 1] ?? "", start) : output.length;
      const paths = output
        .slice(start, next)
        .split("\0")
        .filter((path) => path !== "");
      this.#paths.set(key, paths as RawPath[]);
      at = next;
    });
  }

  async #readTrees(commits: readonly string[]): Promise<void> {
    const missing = [...new Set(commits)].filter((commit) => !this.#trees.has(commit));
    if (missing.length === 0) return;
    const names = missing.map((commit) => `${commit}^{tree}\n`).join("");
    const ids = (await this.#git(["cat-file", "--batch-check=%(objectname)"], names)).toString().trim().split("\n");
    missing.forEach((commit, index) => {
      this.#trees.set(commit, ids[index] ?? "");
    });
  }

  /** The best common ancestor of each pair; null for two that have none. Two processes find all of them, as a rule. */
  async #mergeBases(pairs: readonly (readonly [Side, Side])[]): Promise<(string | null)[]> {
    const families = await this.#families([...new Set(pairs.flat().map(({ head }) => head))]);
    const graphs = await Promise.all(families.map((family) => this.#graph(family)));
    return pairs.map(([one, other]) => {
      const at = families.findIndex(({ heads }) => heads.includes(one.head) && heads.includes(other.head));
      const graph = graphs[at];
      if (graph === undefined) return null;
      const [a, b] = [graph.ancestors(one.head), graph.ancestors(other.head)];
      // They are listed before their parents: a commit that another common one reaches is not the best.
      for (const commit of graph.parents.keys()) if (a.has(commit) && b.has(commit)) return commit;
      return graph.oldest;
    });
  }

  /** Heads that have a commit in common. A repository has one family, unless a branch began without a parent. */
  async #families(heads: readonly string[]): Promise<Family[]> {
    const [first, ...others] = heads;
    if (first === undefined) return [];
    const whole = await this.#commonAncestor(heads);
    if (whole !== null) return [{ heads, oldest: whole }];
    const related = [first];
    const strangers: string[] = [];
    let oldest = first;
    for (const head of others) {
      const common = await this.#commonAncestor([...related, head]);
      if (common === null) strangers.push(head);
      else {
        related.push(head);
        oldest = common;
      }
    }
    return [{ heads: related, oldest }, ...(await this.#families(strangers))];
  }

  async #commonAncestor(heads: readonly string[]): Promise<string | null> {
    if (heads.length === 1) return heads[0] ?? null;
    const found = await this.#tryGit(["merge-base", "--octopus", ...heads]);
    if (found.exitCode > 1) throw new GitError(wordsOf(found));
    return found.stdout.toString().trim().split("\n")[0] || null;
  }

  async #graph({ heads, oldest }: Family): Promise<Graph> {
    const limit = `--max-count=${GRAPH_COMMITS_MAX + 1}`;
    const args = ["rev-list", "--parents", "--topo-order", limit, ...heads, `^${oldest}`];
    const lines = (await this.#git(args)).toString().trim().split("\n");
    if (lines.length > GRAPH_COMMITS_MAX) throw new GitError("The branches are too far apart.");
    const parents = new Map(
      lines.map((line): [string, string[]] => {
        const [commit = "", ...older] = line.split(" ");
        return [commit, older];
      }),
    );
    const known = new Map<string, Set<string>>();
    const ancestors = (head: string) => {
      const found = known.get(head) ?? reachable(head, parents);
      known.set(head, found);
      return found;
    };
    return { oldest, parents, ancestors };
  }
}

/** Heads, and the newest commit that all of them have. */
interface Family {
  readonly heads: readonly string[];
  readonly oldest: string;
}

/** The commits between some heads and their common ancestor. */
interface Graph {
  readonly oldest: string;
  /** By commit, newest first. */
  readonly parents: ReadonlyMap<string, readonly string[]>;
  readonly ancestors: (head: string) => ReadonlySet<string>;
}

interface StoredFile extends UncommittedFile {
  readonly content: { readonly id: string } | { readonly link: string } | "not looked at" | null;
}

interface ReadCheckout {
  readonly head: string;
  readonly files: readonly StoredFile[];
}

interface LastRead {
  readonly index: string | null;
  readonly read: ReadCheckout;
  readonly atMs: number;
}

/** Changes with everything that is staged, committed or checked out. */
async function indexStamp(directory: string): Promise<string | null> {
  const link = await readFile(join(directory, ".git"), "utf8").catch(() => null);
  const gitDir = link === null ? ".git" : /^gitdir: (.+)$/m.exec(link)?.[1];
  if (gitDir === undefined) return null;
  const stats = await lstat(resolve(directory, gitDir, "index"), { bigint: true }).catch(() => null);
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

async function findCheckout(directory: string, checkouts: readonly Checkout[]): Promise<Checkout | null> {
  const exact = checkouts.find(({ path }) => path === directory);
  if (exact !== undefined) return exact;
  const topLevel = (await readGit(directory, ["rev-parse", "--show-toplevel"]))?.trimEnd();
  if (topLevel === undefined) return null;
  const top = Buffer.from(topLevel, "latin1").toString("utf8");
  for (const checkout of checkouts) if (await isSamePlace(checkout.path, top)) return checkout;
  return null;
}

/** A commit on top of the last one, in the words of `git fast-import`, which answers with its id. */
function commitStream({ head, files }: ReadCheckout, index: number): string {
  const lines = [
    `commit refs/radar/${index}`,
    `mark :${index + 1}`,
    "committer Liminal Builder <radar@localhost> 0 +0000",
    "data 0",
    `from ${head}`,
    ...files.filter(({ content }) => content === null).map(({ path }) => `D ${quotedAlways(path)}`),
  ];
  for (const { path, mode, content } of files) {
    if (content === null || content === "not looked at") continue;
    if ("id" in content) lines.push(`M ${mode} ${content.id} ${quotedAlways(path)}`);
    else lines.push(`M ${mode} inline ${quotedAlways(path)}`, `data ${content.link.length}`, content.link);
  }
  return `${lines.join("\n")}\n\nget-mark :${index + 1}\n`;
}

function quotedAlways(path: RawPath): string {
  const name = quoted(path);
  return name === path ? `"${path}"` : name;
}

function reachable(head: string, parents: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const waiting = [head];
  for (let commit = waiting.pop(); commit !== undefined; commit = waiting.pop()) {
    if (found.has(commit) || !parents.has(commit)) continue;
    found.add(commit);
    waiting.push(...(parents.get(commit) ?? []));
  }
  return found;
}

/** Paths that both changed, and files of one that have the place of a directory of the other. */
function commonPaths(one: readonly RawPath[], other: readonly RawPath[]): RawPath[] {
  const common = new Set<RawPath>();
  const find = (some: readonly RawPath[], others: readonly RawPath[]) => {
    const known = new Set<string>(others);
    for (const path of some)
      for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
        if (known.has(path.slice(0, end))) common.add(path);
  };
  find(one, other);
  find(other, one);
  return [...common].sort();
}
