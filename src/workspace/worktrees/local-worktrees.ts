import { createHash } from "node:crypto";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { ignore } from "../../lib/ignore.ts";
import { TaskQueue } from "../../lib/task-queue.ts";
import type { ListedWorktree, WorktreePlace, WorktreeRequest, Worktrees } from "../../ports/worktrees.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { ProjectId, SessionId } from "../../protocol/ids.ts";
import type { Project } from "../../protocol/server-messages.ts";
import { WorktreeId } from "../../protocol/worktree-ref.ts";
import { type NewWorktree, NOT_LOOKED_AT, WORKTREES_MAX, type WorktreeFacts } from "../../protocol/worktrees.ts";
import { checkGit, readGit } from "../git/run-git.ts";
import { storeCheckpoint } from "../vault/checkpoint.ts";
import { exists } from "../vault/vault-files.ts";
import type { LocalWorkdirs } from "../workdirs.ts";
import {
  checkDeletion,
  checkMove,
  deleteForGood,
  dropOldBundles,
  keepCommits,
  moveDirectory,
  settleMoved,
} from "./care.ts";
import { carryWork } from "./carry.ts";
import { checkNewBranch, hasDirectory, includedFiles, makeWorktree, resolveBase, undoMaking } from "./create.ts";
import { gitFacts, hidesWork, type LookedAt, sizeOf, uncommittedOf } from "./facts.ts";
import { type WorktreeRecord, WorktreeRecords } from "./records.ts";
import {
  adminDirOf,
  openRepository,
  proofsOf,
  quarantinePath,
  type RepositoryOfProject,
  refused,
  unlockWorktree,
  utf8,
} from "./registration.ts";

interface LocalWorktreesDeps {
  readonly world: World;
  /** Where the records are. */
  readonly records: string;
  /** Where worktrees are made, in a directory for each project. */
  readonly root: string;
  /** Of the server. Agents may not work in it, so no worktree is made there. */
  readonly dataDirectory: string;
  readonly workdirs: Pick<LocalWorkdirs, "within" | "forget" | "drop" | "isOn">;
  /** The user's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly onError: (error: unknown) => void;
}

const BRANCHES_MAX = 200;
const SLUG_CHARS_MAX = 40;
const SUFFIX_CHARS = 4;
const NAME_TRIES_MAX = 20;
/** A list that is requested repeatedly does not check all files each time. */
const LOOK_AGAIN_MS = 5_000;
const LOOKS_AT_ONCE = 2;
/** How exactly the last use is stored. */
const USED_EVERY_MS = 60_000;
const STOP_WAIT_MS = 3_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** So long a removed worktree can be brought back in any case. */
export const QUARANTINE_MS = 14 * 24 * HOUR_MS;
const PURGE_FIRST_MS = 10 * MINUTE_MS;
const PURGE_EVERY_MS = 6 * HOUR_MS;

/** The worktrees on this machine. */
export class LocalWorktrees implements Worktrees {
  readonly #deps: LocalWorktreesDeps;
  #loading: Promise<WorktreeRecords> | null = null;
  readonly #queues = new Map<WorktreeId, TaskQueue>();
  readonly #listeners = new Set<(projectId: ProjectId) => void>();
  readonly #facts = new Map<WorktreeId, WorktreeFacts>();
  /** When each was checked last, or will be. */
  readonly #lookedMs = new Map<WorktreeId, number>();
  readonly #waiting: (() => Promise<void>)[] = [];
  #looking = 0;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: LocalWorktreesDeps) {
    this.#deps = deps;
  }

  async options(project: Project): ReturnType<Worktrees["options"]> {
    const none = { branch: null, branches: [], behindCommits: null, uncommittedFiles: null, includedFiles: null };
    try {
      await this.#checkGit();
      const { topLevel, branch } = await openRepository(project.path, this.#deps.env);
      const [list, behind, uncommittedFiles, included] = await Promise.all([
        readGit(topLevel, [
          ...["for-each-ref", "--sort=-committerdate", `--count=${BRANCHES_MAX}`],
          ...["--format=%(refname:lstrip=2)", "refs/heads/"],
        ]),
        readGit(topLevel, ["rev-list", "--count", "HEAD..@{upstream}"]),
        uncommittedOf(topLevel),
        includedFiles(topLevel),
      ]);
      const branches = utf8(list ?? "")
        .split("\n")
        .filter((line) => line !== "");
      return {
        unavailable: null,
        branch,
        branches,
        behindCommits: behind === null ? null : Number(behind.trim()),
        uncommittedFiles,
        includedFiles: included?.length ?? null,
      };
    } catch (error) {
      if (error instanceof RefusalError) return { ...none, unavailable: error.message };
      throw error;
    }
  }

  async create(project: Project, request: WorktreeRequest): Promise<WorktreePlace> {
    await this.#checkGit();
    const { env, world } = this.#deps;
    const records = await this.#records();
    if (records.all.filter(({ projectId }) => projectId === project.id).length >= WORKTREES_MAX)
      throw refused(
        `The project has ${WORKTREES_MAX} worktrees. Remove those that are no longer needed, and delete them from quarantine.`,
      );
    const repository = await openRepository(project.path, env);
    const base = await resolveBase(repository, request.base);
    if (repository.prefix !== "" && !(await hasDirectory(repository.topLevel, base.commit, repository.prefix)))
      throw refused(`The base has no directory ${repository.prefix}, which is the project. Choose another base.`);
    const { name, branch } = await this.#newName(repository, request);
    const root = await this.#root();
    const path = join(root, directoryName(project.name), name);
    const record: WorktreeRecord = {
      worktreeId: WorktreeId.parse(world.newId().toLowerCase()),
      projectId: project.id,
      projectPath: repository.topLevel,
      prefix: repository.prefix,
      name,
      path,
      commonDir: repository.commonDir,
      device: "",
      inode: "",
      branch,
      base: base.branch,
      baseCommit: base.commit,
      state: "making",
      createdAt: isoTime(world),
      lastUsedAt: null,
      removedAt: null,
      included: [],
      ...(request.madeFor !== undefined && { madeFor: request.madeFor }),
      note: null,
      stuck: null,
    };
    return this.#inTurn(record.worktreeId, () => this.#make(records, record, repository, request));
  }

  async #make(
    records: WorktreeRecords,
    intended: WorktreeRecord,
    repository: RepositoryOfProject,
    { sparse = [], carry = false, carryFrom }: WorktreeRequest,
  ): Promise<WorktreePlace> {
    const { env, workdirs } = this.#deps;
    let record = await records.save(intended);
    this.#changed(record);
    try {
      const { path, prefix } = record;
      await mkdir(dirname(path), { recursive: true });
      await mkdir(path);
      const stats = await lstat(path, { bigint: true });
      record = await records.save({ ...record, device: String(stats.dev), inode: String(stats.ino) });
      const wanted = sparse.length > 0 && prefix !== "" ? [...sparse, prefix] : sparse;
      const { included, notes } = await makeWorktree(record, repository, wanted, env);
      const from = carryFrom?.directory ?? (carry ? repository.topLevel : null);
      const places = from === null ? null : { from, to: path, env };
      const carried = places && (await carryWork(workdirs, places, carryFrom?.sessionId ?? null));
      await unlockWorktree(record, path, env);
      const note = notes.length === 0 ? null : notes.join(" ");
      const brought = carried && carried.files > 0 ? { carriedFiles: carried.files } : {};
      const made = await records.save({ ...record, state: "ready", included: [...included], ...brought, note });
      this.#changed(made);
      return placeOf(made);
    } catch (error) {
      await this.#settle(records, record);
      throw error;
    }
  }

  async #stuck(records: WorktreeRecords, record: WorktreeRecord, error: unknown): Promise<void> {
    if (!(error instanceof RefusalError)) this.#deps.onError(error);
    await records.save({ ...record, stuck: `${STUCK_WORDS[record.state]} ${wordsOf(error)} Then choose Repair.` });
  }

  async madeFor(project: Project, commandId: string): Promise<WorktreePlace | null> {
    const records = await this.#records();
    const isAsked = (one: WorktreeRecord) => one.projectId === project.id && one.madeFor === commandId;
    for (const record of records.all.filter(isAsked)) {
      // What is left of one that was cut off goes first: its branch may be the one that is asked for again.
      await this.#inTurn(record.worktreeId, async () => undefined);
      const place = await this.find(record.worktreeId);
      if (place !== null) return place;
    }
    return null;
  }

  async find(worktreeId: WorktreeId): Promise<WorktreePlace | null> {
    const record = (await this.#records()).get(worktreeId);
    if (record?.state !== "ready" || record.stuck !== null) return null;
    const { isLinked, isMarked } = await proofsOf(record, record.path);
    return isLinked && isMarked ? placeOf(record) : null;
  }

  async list(project: Project): Promise<readonly ListedWorktree[]> {
    const records = await this.#records();
    const own = records.all.filter(({ projectId }) => projectId === project.id);
    const listed: ListedWorktree[] = [];
    for (const record of own) {
      const shown = await this.#shown(record);
      listed.push(shown);
      if (shown.status === "ready" || shown.status === "removed") this.#lookSoon(record, lookedAt(record));
    }
    for (const other of await this.#others(project, records)) {
      listed.push(other);
      this.#lookSoon(other, { path: other.path, base: null, origin: null });
    }
    // A record that cannot be read may still name its project.
    for (const { file, text } of records.damaged)
      if (text.includes(project.id)) listed.push(damagedWorktree(project.id, file));
    return listed;
  }

  async #shown(record: WorktreeRecord): Promise<ListedWorktree> {
    const { worktreeId, projectId, name, branch, base, createdAt, lastUsedAt, removedAt, note, stuck, state } = record;
    const path = state === "removed" ? quarantinePath(record) : record.path;
    const { isDirectory, isLinked } = await proofsOf(record, path);
    const isThere = isDirectory || isLinked;
    const settled = state === "ready" || state === "removed";
    const status = stuck !== null ? "stuck" : settled && !isThere ? "missing" : STATUS[state];
    const problem = stuck ?? (status === "missing" ? `The directory is gone: ${path}. Its branch is kept.` : note);
    return {
      worktreeId,
      projectId,
      name,
      path,
      ...(record.prefix !== "" && { cwd: join(path, record.prefix) }),
      branch,
      base,
      isOurs: true,
      status,
      ...(problem !== null && { problem }),
      createdAt,
      lastUsedAt,
      ...(removedAt !== null && { removedAt }),
      // What was there says nothing about what is left of it.
      facts: (status !== "missing" && this.#facts.get(worktreeId)) || NOT_LOOKED_AT,
    };
  }

  /** Worktrees that Git knows and that are none of ours. The first one that Git lists is the repository's own directory. */
  async #others(project: Project, records: WorktreeRecords): Promise<ListedWorktree[]> {
    const listing = await readGit(project.path, ["worktree", "list", "--porcelain", "-z"]);
    if (listing === null) return [];
    const ours = new Set(records.all.flatMap((record) => [record.path, quarantinePath(record)]));
    const here = await realpath(project.path).catch(() => project.path);
    return utf8(listing)
      .split("\0\0")
      .slice(1)
      .flatMap((block) => {
        const path = /^worktree (.+?)(?:\0|$)/s.exec(block)?.[1];
        if (path === undefined || ours.has(path) || path === here || here.startsWith(`${path}/`)) return [];
        const branch = /\0branch refs\/heads\/([^\0]+)/.exec(block)?.[1] ?? null;
        const worktreeId = otherId(path);
        const isGone = /\0prunable/.test(block);
        return [
          {
            worktreeId,
            projectId: project.id,
            name: basename(path),
            path,
            branch,
            base: null,
            isOurs: false,
            status: isGone ? ("missing" as const) : ("ready" as const),
            createdAt: null,
            lastUsedAt: null,
            facts: this.#facts.get(worktreeId) ?? NOT_LOOKED_AT,
          },
        ];
      })
      .slice(0, WORKTREES_MAX);
  }

  /** Checks files and commits in the background, a few at a time, and reports changes. */
  #lookSoon({ worktreeId, projectId }: Pick<ListedWorktree, "worktreeId" | "projectId">, place: LookedAt): void {
    const nowMs = performance.now();
    if (nowMs - (this.#lookedMs.get(worktreeId) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS) return;
    this.#lookedMs.set(worktreeId, nowMs);
    const learn = (news: Partial<WorktreeFacts>) => {
      const known = this.#facts.get(worktreeId) ?? NOT_LOOKED_AT;
      const facts = { ...known, ...news, lookedAt: isoTime(this.#deps.world) };
      this.#facts.set(worktreeId, facts);
      const isNew = JSON.stringify({ ...known, lookedAt: null }) !== JSON.stringify({ ...facts, lookedAt: null });
      if (isNew || known.lookedAt === null) this.#tell(projectId);
    };
    const { signal } = this.#stopping;
    const look = async () => {
      if (signal.aborted) return;
      learn(await gitFacts(place, signal));
      learn({ sizeBytes: await sizeOf(place.path, signal) });
      // Unless something changed meanwhile: then the next list looks again.
      if (this.#lookedMs.get(worktreeId) === nowMs) this.#lookedMs.set(worktreeId, performance.now());
    };
    this.#waiting.push(look);
    this.#lookNext();
  }

  #lookNext(): void {
    if (this.#looking >= LOOKS_AT_ONCE) return;
    const look = this.#waiting.shift();
    if (look === undefined) return;
    this.#looking += 1;
    this.#keep(
      look()
        .catch((error) => this.#report(error))
        .finally(() => {
          this.#looking -= 1;
          this.#lookNext();
        }),
    );
  }

  used(worktreeId: WorktreeId): void {
    this.#keep(
      this.#inTurn(worktreeId, async () => {
        const records = await this.#records();
        const record = records.get(worktreeId);
        if (record === null) return;
        const lastMs = record.lastUsedAt === null ? 0 : Date.parse(record.lastUsedAt);
        if (this.#deps.world.now() - lastMs >= USED_EVERY_MS)
          await records.save({ ...record, lastUsedAt: isoTime(this.#deps.world) });
        this.#changed(record);
      }).catch((error) => this.#report(error)),
    );
  }

  async moved({ id }: Project): Promise<void> {
    for (const record of (await this.#records()).all)
      if (record.projectId === id) this.#lookedMs.delete(record.worktreeId);
    this.#tell(id);
  }

  remove(worktreeId: WorktreeId): Promise<void> {
    return this.#care(worktreeId, "ready", async (records, record) => {
      const { env, workdirs, world } = this.#deps;
      const [from, to] = [record.path, quarantinePath(record)];
      if (!(await exists(from)))
        throw refused(
          `Its directory is gone: ${from}. If it is on a disk that is not mounted, mount it. Otherwise delete the worktree: its branch is kept unless it is merged.`,
        );
      await checkMove(record, from, to);
      const note = await this.#lastCheckpoint(record);
      const removing = await records.save({ ...record, state: "removing" });
      await workdirs.forget(from);
      try {
        await moveDirectory(record, from, to, env);
      } catch (error) {
        await this.#settle(records, removing);
        throw error;
      }
      await records.save({ ...record, state: "removed", removedAt: isoTime(world), note });
    });
  }

  async giveBack(worktreeId: WorktreeId): Promise<void> {
    await this.remove(worktreeId);
    await this.#care(worktreeId, "removed", async (records, record) => {
      const head = await readGit(quarantinePath(record), ["rev-parse", "HEAD"]);
      const { uncommittedFiles, ignoredFiles } = await gitFacts(lookedAt(record), this.#stopping.signal);
      const isUntouched = head?.trim() === record.baseCommit && uncommittedFiles === 0 && ignoredFiles === 0;
      if (isUntouched && !(await hidesWork(quarantinePath(record), adminDirOf(record))))
        await this.#purge(records, record);
    });
  }

  /** The files are kept in any case: a checkpoint that cannot be made keeps nobody from removing. */
  async #lastCheckpoint({ path, note }: WorktreeRecord): Promise<string | null> {
    if (!this.#deps.workdirs.isOn) return note;
    try {
      await this.#deps.workdirs.within(path, async (workdir) => {
        await storeCheckpoint(workdir.vault, workdir.newId(), await workdir.scan());
      });
      return note;
    } catch (error) {
      return `No checkpoint of its last state could be made (${wordsOf(error)}).`;
    }
  }

  bringBack(worktreeId: WorktreeId): Promise<void> {
    return this.#care(worktreeId, "removed", async (records, record) => {
      const [from, to] = [quarantinePath(record), record.path];
      await checkMove(record, from, to);
      const returning = await records.save({ ...record, state: "returning" });
      try {
        await moveDirectory(record, from, to, this.#deps.env);
      } catch (error) {
        await this.#settle(records, returning);
        throw error;
      }
      await records.save({ ...record, state: "ready", removedAt: null });
    });
  }

  purge(worktreeId: WorktreeId): Promise<void> {
    return this.#care(worktreeId, "removed", (records, record) => this.#purge(records, record));
  }

  get #kept(): string {
    return join(this.#deps.records, "kept");
  }

  async #purge(records: WorktreeRecords, record: WorktreeRecord): Promise<void> {
    const { env } = this.#deps;
    await checkDeletion(record);
    await keepCommits(record, this.#kept, env);
    const purging = await records.save({ ...record, state: "purging" });
    try {
      await deleteForGood(record, env);
      await records.drop(record.worktreeId);
    } catch (error) {
      await this.#stuck(records, purging, error);
      throw error;
    }
  }

  /**
   * Deletes worktrees that have been in quarantine for long enough and hold no work: no uncommitted, unmerged, unpushed
   * or ignored file. If this is unknown, it counts as work. Returns how many were deleted.
   */
  async purgeOld(): Promise<number> {
    const records = await this.#records();
    const { world } = this.#deps;
    await dropOldBundles(this.#kept, world.now());
    let deleted = 0;
    for (const { worktreeId } of records.all) {
      const purgeOne = async () => {
        const record = records.get(worktreeId);
        if (record?.state !== "removed" || record.removedAt === null || record.stuck !== null) return;
        if (world.now() - Date.parse(record.removedAt) < QUARANTINE_MS || !(await this.#isEmptyOfWork(record))) return;
        await this.#purge(records, record);
        deleted += 1;
        this.#changed(record);
      };
      await this.#inTurn(worktreeId, purgeOne).catch((error) => this.#report(error));
    }
    return deleted;
  }

  async #isEmptyOfWork(record: WorktreeRecord): Promise<boolean> {
    if (!(await exists(quarantinePath(record)))) return false;
    // Commits of submodules are there alone.
    if (await exists(join(adminDirOf(record), "modules"))) return false;
    const facts = await gitFacts(lookedAt(record), this.#stopping.signal);
    const { uncommittedFiles, unpushedCommits, isMerged, ignoredFiles } = facts;
    const isEmpty = uncommittedFiles === 0 && unpushedCommits === 0 && isMerged === true && ignoredFiles === 0;
    return isEmpty && !(await hidesWork(quarantinePath(record), adminDirOf(record)));
  }

  repair(worktreeId: WorktreeId): Promise<void> {
    return this.#inTurn(worktreeId, async () => {
      const records = await this.#records();
      const record = records.get(worktreeId);
      if (record === null) throw new RefusalError(REFUSE.worktreeNotFound());
      if (record.state === "ready" || record.state === "removed") await this.#adoptDevice(records, record);
      else await this.#settle(records, { ...record, stuck: null });
      this.#changed(record);
      const problem = records.get(worktreeId)?.stuck;
      if (problem) throw refused(problem);
    });
  }

  /** A disk may have another number after a restart of the machine. Everything else must agree. */
  async #adoptDevice(records: WorktreeRecords, record: WorktreeRecord): Promise<void> {
    const path = record.state === "removed" ? quarantinePath(record) : record.path;
    const stats = await lstat(path, { bigint: true }).catch(() => null);
    const { isMarked, isLinked, isRegistered } = await proofsOf(record, path);
    if (String(stats?.ino) !== record.inode || !isMarked || !isLinked || !isRegistered)
      throw new RefusalError(REFUSE.notOurs(path));
    await records.save({ ...record, device: String(stats?.dev), stuck: null });
  }

  /** Finishes or undoes interrupted operations. Where neither is possible, the worktree is marked, with advice. */
  async #settle(records: WorktreeRecords, record: WorktreeRecord): Promise<void> {
    const { env, world } = this.#deps;
    try {
      if (record.state === "making") {
        await undoMaking(record, env);
        await this.#deps.workdirs.drop(record.path);
        await records.drop(record.worktreeId);
      } else if (record.state === "purging") {
        await deleteForGood(record, env);
        await records.drop(record.worktreeId);
      } else {
        const state = await settleMoved(record, env);
        const removedAt = state === "ready" ? null : (record.removedAt ?? isoTime(world));
        await records.save({ ...record, state, removedAt, stuck: null });
      }
    } catch (error) {
      await this.#stuck(records, record, error);
    }
    this.#changed(record);
  }

  /** One at a time, and only in the state that it is for. */
  #care(
    worktreeId: WorktreeId,
    state: "ready" | "removed",
    task: (records: WorktreeRecords, record: WorktreeRecord) => Promise<void>,
  ): Promise<void> {
    return this.#inTurn(worktreeId, async () => {
      const records = await this.#records();
      const record = records.get(worktreeId);
      if (record === null) {
        if (worktreeId.startsWith(OTHER_PREFIX)) throw new RefusalError(REFUSE.notOurs(worktreeId));
        throw new RefusalError(REFUSE.worktreeNotFound());
      }
      if (record.stuck !== null) throw refused(record.stuck);
      // One whose directory is gone needs no quarantine.
      const isGone = record.state === "ready" && state === "removed" && !(await exists(record.path));
      if (record.state !== state && !isGone) throw refused(WRONG_STATE[record.state]);
      try {
        await task(records, record);
      } finally {
        this.#changed(record);
      }
    });
  }

  carry(from: string, to: string, sessionId: SessionId): Promise<{ readonly files: number }> {
    return carryWork(this.#deps.workdirs, { from, to, env: this.#deps.env }, sessionId);
  }

  /**
   * Finishes interrupted operations, and checks regularly for worktrees that have been in quarantine for long enough.
   */
  start(): void {
    this.#keep(this.#records().catch((error) => this.#report(error)));
    const look = (waitMs: number) => {
      this.#timer = setTimeout(() => {
        this.#keep(this.purgeOld().catch((error) => this.#report(error)));
        look(PURGE_EVERY_MS);
      }, waitMs).unref();
    };
    look(PURGE_FIRST_MS);
  }

  /** Resolves when everything that was cut off is settled. */
  async settled(): Promise<void> {
    const records = await this.#records();
    await Promise.all(records.all.map(({ worktreeId }) => this.#inTurn(worktreeId, async () => undefined)));
  }

  onChanged(listener: (projectId: ProjectId) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
    await Promise.race([Promise.all(this.#running), Bun.sleep(STOP_WAIT_MS)]);
  }

  #records(): Promise<WorktreeRecords> {
    this.#loading ??= this.#load();
    this.#loading.catch(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #load(): Promise<WorktreeRecords> {
    const records = await WorktreeRecords.load(this.#deps.records);
    for (const { file } of records.damaged)
      this.#deps.onError(new Error(`The record of a worktree cannot be read and is left as it is: ${file}`));
    for (const record of records.all)
      if (record.stuck === null && record.state !== "ready" && record.state !== "removed")
        this.#keep(this.#inTurn(record.worktreeId, () => this.#settle(records, record)));
    return records;
  }

  async #checkGit(): Promise<void> {
    const git = await checkGit();
    if (!git.ok) throw new RefusalError(REFUSE.gitUnavailable(git.reason));
  }

  /** By its real path, and never where agents may not work. */
  async #root(): Promise<string> {
    const { root, dataDirectory } = this.#deps;
    await mkdir(root, { recursive: true, mode: 0o700 });
    const [real, data] = await Promise.all([realpath(root), realpath(dataDirectory).catch(() => dataDirectory)]);
    if (real === data || real.startsWith(`${data}${sep}`))
      throw refused(
        `Worktrees cannot be made in the data directory, where agents may not work: ${root}. Set "worktreeRoot" in config.json to another directory.`,
      );
    return real;
  }

  /** A name that neither the disk nor the repository has yet. */
  async #newName(
    repository: RepositoryOfProject,
    { title, branch, about }: NewWorktree & { readonly title: string | null },
  ): Promise<{ readonly name: string; readonly branch: string }> {
    const { env, world, root } = this.#deps;
    if (branch !== undefined) await checkNewBranch(repository.topLevel, branch, env);
    const slug = slugOf(title ?? branch ?? about ?? "");
    for (let tries = 0; tries < NAME_TRIES_MAX; tries++) {
      const name = `${slug}-${world.newId().replaceAll("-", "").slice(-SUFFIX_CHARS).toLowerCase()}`;
      const place = { commonDir: repository.commonDir, name, path: join(root, "project", name) };
      const isTaken =
        (await exists(adminDirOf(place))) ||
        (await exists(quarantinePath(place))) ||
        (await this.#records()).all.some((record) => record.name === name);
      const own = branch ?? `liminal/${name}`;
      const reference = await readGit(repository.topLevel, ["rev-parse", "--verify", "--quiet", `refs/heads/${own}`]);
      if (!isTaken && reference === null) return { name, branch: own };
    }
    throw refused("No free name was found for the worktree. Give the session another title.");
  }

  /** What works on one worktree works one at a time. */
  #inTurn<Result>(worktreeId: WorktreeId, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(worktreeId) ?? new TaskQueue();
    this.#queues.set(worktreeId, queue);
    return queue.run(task);
  }

  #keep(task: Promise<unknown>): void {
    this.#running.add(task);
    task.catch(ignore("whoever waits for it hears")).finally(() => this.#running.delete(task));
  }

  #changed({ worktreeId, projectId }: WorktreeRecord): void {
    this.#lookedMs.delete(worktreeId);
    this.#tell(projectId);
  }

  #tell(projectId: ProjectId): void {
    for (const listener of this.#listeners) listener(projectId);
  }

  #report(error: unknown): void {
    if (!(error instanceof RefusalError)) this.#deps.onError(error);
  }
}

const STATUS = {
  making: "making",
  ready: "ready",
  removing: "removed",
  removed: "removed",
  returning: "making",
  purging: "removed",
} as const;

const STUCK_WORDS = {
  making: "It could not be made, and what is left of it could not be removed.",
  ready: "",
  removing: "Removing it was cut off.",
  removed: "",
  returning: "Bringing it back was cut off.",
  purging: "Deleting it was cut off.",
} as const;

const WRONG_STATE = {
  making: "The worktree is being made. Wait for its end.",
  ready: "The worktree is not in quarantine. Remove it first.",
  removing: "The worktree is being removed. Wait for its end.",
  removed: "The worktree is in quarantine. Bring it back first.",
  returning: "The worktree is being brought back. Wait for its end.",
  purging: "The worktree is being deleted.",
} as const;

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function lookedAt(record: WorktreeRecord): LookedAt {
  return {
    path: record.state === "removed" ? quarantinePath(record) : record.path,
    base: record.base === null ? null : `refs/heads/${record.base}`,
    origin: { topLevel: record.projectPath, included: record.included },
  };
}

function placeOf({ worktreeId, projectId, name, branch, path, prefix, carriedFiles }: WorktreeRecord): WorktreePlace {
  const cwd = prefix === "" ? path : join(path, prefix);
  return { worktreeId, projectId, name, branch, path, cwd, ...(carriedFiles !== undefined && { carriedFiles }) };
}

/** Letters, digits and dashes: part of a path and of the name of a branch. */
function slugOf(text: string): string {
  const plain = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{ASCII}]/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_CHARS_MAX)
    .replace(/^-+|-+$/g, "");
  return plain === "" ? "work" : plain;
}

/** Never one that begins with a dot: the quarantine does. */
function directoryName(projectName: string): string {
  const plain = projectName
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+|[.-]+$/g, "")
    .slice(0, SLUG_CHARS_MAX);
  return plain === "" ? "project" : plain;
}

const OTHER_ID_CHARS = 24;
const OTHER_PREFIX = "other-";

function otherId(path: string): WorktreeId {
  return WorktreeId.parse(`${OTHER_PREFIX}${createHash("sha256").update(path).digest("hex").slice(0, OTHER_ID_CHARS)}`);
}

function damagedWorktree(projectId: ProjectId, file: string): ListedWorktree {
  return {
    worktreeId: otherId(file),
    projectId,
    name: basename(file, ".json"),
    path: file,
    branch: null,
    base: null,
    isOurs: false,
    status: "stuck",
    problem: `The record of a worktree is damaged: ${file}. Nothing is deleted. Its directory is still listed by "git worktree list"; move the record elsewhere to be rid of this line.`,
    createdAt: null,
    lastUsedAt: null,
    facts: NOT_LOOKED_AT,
  };
}
