import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { TaskQueue } from "../lib/task-queue.ts";
import type { DiscardedLater, FilePiece, Restored, SessionPlace, TurnChanges, Workdirs } from "../ports/workdirs.ts";
import { isoTime, type World } from "../ports/world.ts";
import {
  CHANGED_FILES_MAX,
  CHECKPOINTS_LISTED_MAX,
  type ChangeCounts,
  type ChangesScope,
  type ChangesState,
  type CheckpointId,
  type CheckpointInfo,
  type DecisionItem,
  type DirectoryEntry,
  ENTRY_FILES_MAX,
  ENTRY_LEFT_OUT_MAX,
  type FilePatch,
  type RestoreItem,
  type RestorePreview,
} from "../protocol/changes.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { SessionId, TurnId } from "../protocol/ids.ts";
import { type Editor, listDirectory, openInEditor, pieceOfBuffer, readFilePiece } from "./directory-listing.ts";
import { commitFiles } from "./git/commit.ts";
import { fromWirePath, type RawPath, rawPath, wirePath } from "./git/raw-path.ts";
import { checkGit, GitError, type GitSupport } from "./git/run-git.ts";
import { Housekeeping } from "./housekeeping.ts";
import { changedFile, countsOf, leftOutFile, Review } from "./review.ts";
import { readCommits } from "./vault/base.ts";
import { readCheckpointFile } from "./vault/checkpoint.ts";
import { type CountedChange, compareScans } from "./vault/compare.ts";
import { cutOffMove, settleMove, WorkdirChangedError } from "./vault/move.ts";
import { previewRestore, type RestoredFile, restoredState, type TurnStates } from "./vault/restore.ts";
import { ignoredAmong, type Scan } from "./vault/scan.ts";
import { dropVault, Vault } from "./vault/vault.ts";
import { Workdir } from "./workdir.ts";

interface LocalWorkdirsDeps {
  readonly world: World;
  /** Where the vaults are. */
  readonly root: string;
  /** Directories of ours. They are never part of a checkpoint, where a home is a repository. */
  readonly own?: readonly string[];
  /** No checkpoints are made when the user has switched them off. */
  readonly isOn: boolean;
  readonly editor: Editor;
  /** Of all vaults together. */
  readonly vaultBytesMax: number;
  /** The user's own, for commits: hooks and signing need it. */
  readonly env: Readonly<Record<string, string>>;
  readonly onError: (error: unknown) => void;
}

/** A turn that runs, and whether another session's turn ran in the same directory meanwhile. */
interface RunningTurn {
  readonly turnId: TurnId;
  readonly directory: string;
  isShared: boolean;
  /** The agent has received its message. Until then it changes no file. */
  isSent: boolean;
}

/** A prompt does not wait longer than this for the checkpoint before it. */
const BEFORE_TURN_WAIT_MS = 3_000;
const STOP_WAIT_MS = 3_000;
const LOOK_AGAIN_MS = 300;
/** More of the files that an agent's tools named in one turn are not checked. */
const WRITTEN_FILES_MAX = 500;
/** The maximum cost of automatic checks while a client views the changes. */
const POLL_EVERY_MS_MIN = 3_000;
const POLL_COST_FACTOR = 25;

/** The working directories on this machine. */
export class LocalWorkdirs implements Workdirs {
  readonly #deps: LocalWorkdirsDeps;
  #git: Promise<GitSupport> | null = null;
  readonly #byDirectory = new Map<string, Promise<Workdir>>();
  readonly #byVault = new Map<string, Workdir>();
  readonly #reviews = new Map<Workdir, Review>();
  readonly #watches = new Map<Workdir, Watch>();
  readonly #running = new Map<SessionId, RunningTurn>();
  readonly #ending = new Set<Promise<unknown>>();
  readonly #listeners = new Set<(sessionId: SessionId) => void>();
  readonly #discardListeners = new Set<(discarded: DiscardedLater) => void>();
  /** The writers of the user's files at the moment, by working directory: no prompt is sent meanwhile. */
  readonly #moves = new Map<Workdir, Promise<unknown>>();
  /** By the path of the vault: operations on a vault run one at a time, whether its directory is in use or not. */
  readonly #queues = new Map<string, TaskQueue>();
  readonly #housekeeping: Housekeeping;
  #lastError: CheckpointStatus["lastError"] = null;

  constructor(deps: LocalWorkdirsDeps) {
    this.#deps = deps;
    this.#housekeeping = new Housekeeping({
      world: deps.world,
      root: deps.root,
      bytesMax: deps.vaultBytesMax,
      isIdle: () => this.#running.size === 0 && this.#ending.size === 0,
      isOpen: (path) => this.#byVault.has(path),
      withWorkdir: (path, task) => {
        const queue = this.#queueOf(path);
        const closed = () => Workdir.load(Vault.ofUnknownDirectory(path), deps.world, queue);
        return queue.run(async () => {
          const open = this.#byVault.get(path);
          // The state of a review may name objects that are deleted afterwards.
          if (open) this.#reviews.delete(open);
          return task(open ?? (await closed()));
        });
      },
      onError: (error) => this.#report(error),
    });
  }

  get status(): CheckpointStatus {
    return { isOn: this.#deps.isOn, ...(this.#housekeeping.size ?? NOT_MEASURED), lastError: this.#lastError };
  }

  prepare({ cwd }: SessionPlace): void {
    if (this.#deps.isOn) this.#open(cwd).catch((error) => this.#report(error));
  }

  async turnStarts(place: SessionPlace, turnId: TurnId): Promise<void> {
    const turn = this.#runs(place, turnId, false);
    if (this.#deps.isOn) await this.#beforeTurn(place, turn);
    else turn.isSent = true;
  }

  async #beforeTurn(place: SessionPlace, turn: RunningTurn): Promise<void> {
    this.#housekeeping.interrupt().catch((error) => this.#report(error));
    let isLate = false;
    const taken = this.#takeBefore(place, turn.turnId, () => isLate);
    await Promise.race([taken, Bun.sleep(BEFORE_TURN_WAIT_MS)]);
    isLate = true;
    const workdir = await this.#open(place.cwd).catch(() => null);
    const moving = () => (workdir === null ? undefined : this.#moves.get(workdir));
    for (let running = moving(); running !== undefined; running = moving()) await running;
    // In the same step as the check above: a move that begins after it sees the turn.
    turn.isSent = true;
  }

  async #takeBefore({ sessionId, cwd }: SessionPlace, turnId: TurnId, isLate: () => boolean): Promise<void> {
    try {
      const workdir = await this.#open(cwd);
      await workdir.queue.run(async () => {
        if (!isLate()) await this.#settleWaiting(workdir);
        const files = await workdir.scan();
        const others = (await this.busySessions({ sessionId, cwd })).filter((busy) => busy !== sessionId);
        await this.#reviewOf(workdir).turnStarts(files, isLate() || others.length > 0);
        await workdir.store(files, { sessionId, turnId, phase: "before" }, isLate());
      });
    } catch (error) {
      this.#report(error);
    }
  }

  turnContinues(place: SessionPlace, turnId: TurnId): void {
    this.#runs(place, turnId, true);
  }

  #runs({ sessionId, cwd }: SessionPlace, turnId: TurnId, isSent: boolean): RunningTurn {
    const turn: RunningTurn = { turnId, directory: cwd, isShared: false, isSent };
    this.#running.set(sessionId, turn);
    this.#sharing(sessionId, turn).catch((error) => this.#report(error));
    return turn;
  }

  /** Marks turns that run in one working directory at the same time. */
  async #sharing(sessionId: SessionId, turn: RunningTurn): Promise<void> {
    for (const [otherId, other] of this.#running) {
      if (otherId === sessionId || !(await this.#isSameWorkdir(turn.directory, other.directory))) continue;
      turn.isShared = true;
      other.isShared = true;
    }
  }

  async turnEnded(place: SessionPlace, turnId: TurnId, written: readonly string[]): Promise<TurnChanges | null> {
    const { sessionId } = place;
    const turn = this.#running.get(sessionId);
    if (turn?.turnId === turnId) this.#running.delete(sessionId);
    if (!this.#deps.isOn) return null;
    const ending = this.#endTurn(place, { turnId, isShared: turn?.isShared ?? false, written });
    this.#ending.add(ending);
    return ending.finally(() => {
      this.#ending.delete(ending);
      this.#housekeeping.later();
    });
  }

  /** Waits for the checkpoints of turns that have just ended, with a limit. */
  async stop(): Promise<void> {
    await Promise.race([Promise.all([...this.#ending, this.#housekeeping.stop()]), Bun.sleep(STOP_WAIT_MS)]);
  }

  async #endTurn(place: SessionPlace, turn: EndedTurn): Promise<TurnChanges | null> {
    try {
      const workdir = await this.#open(place.cwd);
      const changes = await workdir.queue.run(async () => {
        const taken = await takeAfter(workdir, place, turn);
        await this.#settleWaiting(workdir);
        return taken;
      });
      this.#changed(workdir);
      return changes;
    } catch (error) {
      this.#report(error);
      return null;
    }
  }

  /** Carries out the discards that have waited, unless an agent still works in the directory. Runs in the queue. */
  async #settleWaiting(workdir: Workdir): Promise<void> {
    const here: RunningTurn[] = [];
    for (const turn of this.#running.values())
      if ((await this.#open(turn.directory).catch(() => null)) === workdir) here.push(turn);
    if (here.some(({ isSent }) => isSent)) return;
    try {
      const settled = await this.#moving(workdir, () => this.#reviewOf(workdir).settleWaiting());
      for (const { sessionId, paths, problem } of settled)
        for (const listener of this.#discardListeners) listener({ sessionId, paths: paths.map(wirePath), problem });
    } catch (error) {
      this.#report(error);
    }
  }

  /** While files are written no prompt is sent, and no write begins while an agent works. Runs in the queue. */
  async #moving<Result>(workdir: Workdir, task: () => Promise<Result>): Promise<Result> {
    const moving = this.#refuseDuringTurn(workdir).then(task);
    this.#moves.set(
      workdir,
      moving.catch(() => null),
    );
    try {
      return await moving;
    } finally {
      this.#moves.delete(workdir);
    }
  }

  /** A turn may have begun while the move waited in its queue. */
  async #refuseDuringTurn(workdir: Workdir): Promise<void> {
    for (const { directory, isSent } of this.#running.values())
      if (isSent && (await this.#open(directory).catch(() => null)) === workdir)
        throw new RefusalError(REFUSE.workdirBusy());
  }

  touched({ cwd }: SessionPlace): void {
    const opening = this.#byDirectory.get(cwd);
    opening?.then((workdir) => this.#changedSoon(workdir)).catch((error) => this.#report(error));
  }

  async busySessions({ cwd }: SessionPlace): Promise<readonly SessionId[]> {
    const busy: SessionId[] = [];
    for (const [sessionId, { directory }] of this.#running)
      if (await this.#isSameWorkdir(directory, cwd)) busy.push(sessionId);
    return busy;
  }

  onChanged(listener: (sessionId: SessionId) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  onDiscarded(listener: (discarded: DiscardedLater) => void): Disposable {
    this.#discardListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#discardListeners.delete(listener) };
  }

  watch({ sessionId, cwd }: SessionPlace): Disposable {
    const watcher = { sessionId };
    const opening = this.#open(cwd).then((workdir) => {
      const watch = this.#watches.get(workdir) ?? { watchers: new Set(), known: null, poll: null, soon: null };
      this.#watches.set(workdir, watch);
      // Viewers have just received this. Results of other checks, such as counts for the sidebar, are not sent.
      watch.known ??= `${workdir.version} ${this.#reviewOf(workdir).shownCommits}`;
      watch.watchers.add(watcher);
      this.#pollLater(workdir, watch);
      return watch;
    });
    opening.catch((error) => this.#report(error));
    return {
      [Symbol.dispose]: () => {
        opening.then(
          ({ watchers }) => watchers.delete(watcher),
          (error) => this.#report(error),
        );
      },
    };
  }

  /**
   * Files change without us: by an editor, a build, a program that the agent left running. So do commits: by a merge,
   * in a terminal.
   */
  #pollLater(workdir: Workdir, watch: Watch): void {
    if (watch.poll !== null || watch.watchers.size === 0) return;
    const look = async () => {
      const files = await workdir.scan();
      const found = `${workdir.version} ${await readCommits(workdir.vault, files)}`;
      if (found !== watch.known) this.#changed(workdir);
      watch.known = found;
    };
    watch.poll = setTimeout(
      () => {
        workdir.queue
          .run(look)
          .catch((error) => this.#report(error))
          .finally(() => {
            watch.poll = null;
            this.#pollLater(workdir, watch);
          });
      },
      Math.max(POLL_EVERY_MS_MIN, POLL_COST_FACTOR * workdir.scanMs),
    ).unref();
  }

  #changedSoon(workdir: Workdir): void {
    const watch = this.#watches.get(workdir);
    if (!watch || watch.watchers.size === 0 || watch.soon !== null) return;
    watch.soon = setTimeout(() => {
      watch.soon = null;
      this.#changed(workdir);
    }, LOOK_AGAIN_MS).unref();
  }

  #changed(workdir: Workdir): void {
    const watchers = this.#watches.get(workdir)?.watchers ?? [];
    for (const sessionId of new Set([...watchers].map((watcher) => watcher.sessionId)))
      for (const listener of this.#listeners) listener(sessionId);
  }

  async openCounts(place: SessionPlace): Promise<ChangeCounts | null> {
    try {
      const counts = await this.#inWorkdir(place, (workdir) => this.#reviewOf(workdir).openCounts(place.sessionId));
      return counts?.files === 0 ? null : counts;
    } catch (error) {
      this.#report(error);
      return null;
    }
  }

  changes(place: SessionPlace, scope: ChangesScope): Promise<ChangesState> {
    return this.#inWorkdir(place, async (workdir) => {
      // A turn that was ended by a restart has not been reported.
      if ((await this.busySessions(place)).length === 0) await this.#settleWaiting(workdir);
      return {
        ...(await this.#reviewOf(workdir).state(place.sessionId, scope)),
        prefix: await this.prefixOf(place.cwd),
      };
    });
  }

  async prefixOf(cwd: string): Promise<string> {
    return relative((await this.#open(cwd)).vault.directory, await realpath(cwd));
  }

  patch(
    place: SessionPlace,
    scope: ChangesScope,
    { path, whole }: { readonly path: string; readonly whole: boolean },
  ): Promise<{ readonly version: string; readonly patch: FilePatch }> {
    return this.#inWorkdir(place, (workdir) =>
      this.#reviewOf(workdir).patch(place.sessionId, scope, { path: fromWirePath(path), whole }),
    );
  }

  async decide(
    place: SessionPlace,
    decision: {
      readonly kind: "keep" | "discard";
      readonly scope: ChangesScope;
      readonly items: readonly DecisionItem[] | null;
      readonly expect: string;
      readonly mayWait?: boolean;
    },
  ): Promise<readonly string[]> {
    const { sessionId } = place;
    const decide = async (workdir: Workdir): Promise<readonly RawPath[]> => {
      const review = this.#reviewOf(workdir);
      const waits =
        decision.kind === "discard" && decision.mayWait === true && (await this.busySessions(place)).length > 0;
      if (waits) {
        await review.discardLater(sessionId, decision);
        return [];
      }
      const decideNow = () => review.decide(sessionId, decision);
      return decision.kind === "keep" ? decideNow() : this.#moving(workdir, decideNow);
    };
    return (await this.#inWorkdir(place, decide, "changes")).map(wirePath);
  }

  async cancelWaiting(place: SessionPlace, waitId: string): Promise<void> {
    const cancel = async (workdir: Workdir) => {
      if (await this.#reviewOf(workdir).cancelWaiting(waitId)) return;
      throw new GitError("This discard does not wait any more. Look at the changes again.");
    };
    await this.#inWorkdir(place, cancel, "changes");
  }

  async undo(place: SessionPlace, undoId: string) {
    const { sessionId } = place;
    const undone = await this.#inWorkdir(place, (it) => this.#reviewOf(it).undo(sessionId, undoId), "moves");
    return { kind: undone.kind, paths: undone.paths.map(wirePath) };
  }

  async setViewed(place: SessionPlace, file: { path: string; expect: string; viewed: boolean }): Promise<void> {
    const { path, expect, viewed } = file;
    await this.#inWorkdir(
      place,
      (workdir) => this.#reviewOf(workdir).setViewed(fromWirePath(path), expect, viewed),
      "changes",
    );
  }

  async commit(
    place: SessionPlace,
    commit: { readonly items: readonly DecisionItem[] | null; readonly message: string; readonly expect: string },
  ): Promise<{ readonly commit: string; readonly output: string }> {
    const plan = await this.#inWorkdir(place, (workdir) => this.#reviewOf(workdir).planCommit(commit));
    // The user's hooks may take minutes, and no checkpoint waits for them.
    const committed = await commitFiles(plan.directory, plan.files, commit.message, this.#deps.env);
    const workdir = await this.#open(place.cwd);
    this.#reviewOf(workdir).forget();
    this.#changed(workdir);
    return committed;
  }

  checkpoints(place: SessionPlace): Promise<readonly CheckpointInfo[]> {
    return this.#inWorkdir(place, async ({ checkpoints }) =>
      checkpoints
        .filter(({ sessionId }) => sessionId === undefined || sessionId === place.sessionId)
        .reverse()
        .slice(0, CHECKPOINTS_LISTED_MAX),
    );
  }

  async checkpointsIn(place: SessionPlace): Promise<readonly CheckpointInfo[]> {
    if (!(await Vault.isThere(this.#deps.root, place.cwd))) return [];
    return (await this.checkpoints(place)).filter(({ sessionId }) => sessionId === place.sessionId);
  }

  previewRestore(place: SessionPlace, checkpointId: CheckpointId): Promise<RestorePreview> {
    return this.#inWorkdir(place, async (workdir) => {
      const { vault } = workdir;
      const { checkpoint, target } = await find(workdir, checkpointId);
      const current = await workdir.scan();
      const turns = await turnsSince(workdir, place.sessionId, checkpoint);
      const preview = await previewRestore(vault, { current, target, turns });
      const counted = new Map((await compareScans(vault, current, target)).map((change) => [change.path, change]));
      const shown = (files: readonly RestoredFile[]) =>
        files.slice(0, CHANGED_FILES_MAX).map((file) => restoreItem(file, counted.get(file.path)));
      const reasons = new Map([...current.leftOut, ...target.leftOut].map(({ path, reason }) => [path, reason]));
      return {
        checkpoint,
        version: workdir.version,
        own: shown(preview.own),
        changedSince: shown(preview.changedByOthers),
        impossible: preview.impossible
          .slice(0, CHANGED_FILES_MAX)
          .map((path) => leftOutFile({ path, reason: reasons.get(path) ?? "unreadable" })),
        total: preview.own.length + preview.changedByOthers.length + preview.impossible.length,
      };
    });
  }

  restore(
    place: SessionPlace,
    { checkpointId, paths, expect }: { checkpointId: CheckpointId; paths: readonly string[] | null; expect: string },
  ): Promise<Restored> {
    return this.#inWorkdir(
      place,
      async (workdir) => {
        const { checkpoint, target } = await find(workdir, checkpointId);
        const seen = await workdir.seen(expect);
        const turns = await turnsSince(workdir, place.sessionId, checkpoint);
        const chosen =
          paths === null
            ? (await previewRestore(workdir.vault, { current: seen, target, turns })).own.map(({ path }) => path)
            : paths.map(fromWirePath);
        const restored = await restoredState(workdir.vault, { current: seen, target }, chosen);
        const safety = await this.#reviewOf(workdir).restore(place.sessionId, { seen, target: restored });
        return { safety, undoId: safety, paths: chosen.map(wirePath) };
      },
      "moves",
    );
  }

  async settle(place: SessionPlace, way: "finish" | "put-back"): Promise<void> {
    await this.#inWorkdir(
      place,
      async (workdir) => {
        const intent = await cutOffMove(workdir.vault);
        if (intent === null) return;
        const id = workdir.newId();
        await settleMove(workdir.vault, id, intent, way === "finish" ? "finish" : "put back");
        workdir.added(id, place.sessionId);
      },
      "moves",
    );
  }

  list(
    directory: string,
    path: string,
    entriesMax: number,
  ): Promise<{ entries: readonly DirectoryEntry[]; total: number }> {
    return listDirectory(directory, path, entriesMax);
  }

  async read(directory: string, { path, at, from, bytesMax }: Parameters<Workdirs["read"]>[1]): Promise<FilePiece> {
    if (at === null) return readFilePiece(directory, { path, from, bytesMax });
    if (path.split("/").includes("..")) throw new RefusalError(REFUSE.fileNotFound(path));
    return this.#inWorkdir({ cwd: directory }, async (workdir) => {
      const files = await workdir.read(at);
      if (files === null) throw new RefusalError(REFUSE.checkpointNotFound());
      const inside = join(relative(workdir.vault.directory, await realpath(directory)), path);
      const content = await readCheckpointFile(workdir.vault, files, fromWirePath(inside));
      if (content === null) throw new RefusalError(REFUSE.fileNotFound(path));
      return pieceOfBuffer(content, from, bytesMax);
    });
  }

  edit(directory: string, path: string, line: number | null): Promise<void> {
    return openInEditor(this.#deps.editor, directory, path, line);
  }

  get isOn(): boolean {
    return this.#deps.isOn;
  }

  /** Runs in the queue of the working directory that a directory is in: nothing else scans it or writes its files meanwhile. */
  within<Result>(directory: string, task: (workdir: Workdir) => Promise<Result>): Promise<Result> {
    return this.#inWorkdir({ cwd: directory }, task, "changes");
  }

  /** The directory is about to be somewhere else. Its checkpoints stay. */
  async forget(directory: string): Promise<void> {
    const opened = await this.#byDirectory.get(directory)?.catch(() => null);
    if (!opened) return;
    for (const [path, opening] of this.#byDirectory)
      if ((await opening.catch(() => null)) === opened) this.#byDirectory.delete(path);
    this.#byVault.delete(opened.vault.path);
    this.#reviews.delete(opened);
    this.#watches.get(opened)?.watchers.clear();
    this.#watches.delete(opened);
  }

  /** The directory is gone, and no session ever worked there: its checkpoints are deleted, too. */
  async drop(directory: string): Promise<void> {
    await this.forget(directory);
    await dropVault(this.#deps.root, directory);
  }

  /** Runs in the queue of the working directory. What goes wrong becomes a refusal that tells the user what to do. */
  async #inWorkdir<Result>(
    { cwd }: Pick<SessionPlace, "cwd">,
    task: (workdir: Workdir) => Promise<Result>,
    effect: "looks" | "changes" | "moves" = "looks",
  ): Promise<Result> {
    try {
      const workdir = await this.#open(cwd);
      const run = () => task(workdir);
      const result = await workdir.queue.run(() => (effect === "moves" ? this.#moving(workdir, run) : run()));
      if (effect !== "looks") this.#changed(workdir);
      return result;
    } catch (error) {
      if (error instanceof WorkdirChangedError) throw new RefusalError(REFUSE.workdirChanged(error.paths));
      if (error instanceof GitError) throw new RefusalError(REFUSE.gitRefused(error.message));
      if (!existsSync(cwd)) throw new RefusalError(REFUSE.gitRefused(`${cwd} is not there any more.`));
      throw error;
    }
  }

  /** The working directory that a directory is in. Directories of one repository have one. */
  #open(cwd: string): Promise<Workdir> {
    const known = this.#byDirectory.get(cwd);
    if (known) return known;
    const opening = this.#openFirst(cwd);
    this.#byDirectory.set(cwd, opening);
    // A later attempt may succeed: Git gets installed, a disk is mounted.
    opening.catch(() => this.#byDirectory.delete(cwd));
    return opening;
  }

  async #openFirst(cwd: string): Promise<Workdir> {
    if (!this.#deps.isOn)
      throw new RefusalError(
        REFUSE.gitUnavailable('Checkpoints are off. Remove "checkpoints": false from config.json.'),
      );
    this.#git ??= checkGit();
    const git = await this.#git;
    if (!git.ok) {
      this.#git = null;
      throw new RefusalError(REFUSE.gitUnavailable(git.reason));
    }
    const directory = await realpath(cwd).catch(() => {
      throw new RefusalError(REFUSE.projectPathInvalid(`Cannot read ${cwd}. Check that the directory still exists.`));
    });
    const vault = await Vault.open(this.#deps.root, directory, this.#deps.own);
    const known = this.#byVault.get(vault.path);
    if (known) return known;
    const workdir = await Workdir.load(vault, this.#deps.world, this.#queueOf(vault.path));
    // Two directories of one repository may be opened at the same time.
    const first = this.#byVault.get(vault.path) ?? workdir;
    this.#byVault.set(vault.path, first);
    return first;
  }

  #queueOf(vaultPath: string): TaskQueue {
    const queue = this.#queues.get(vaultPath) ?? new TaskQueue();
    this.#queues.set(vaultPath, queue);
    return queue;
  }

  #reviewOf(workdir: Workdir): Review {
    const known = this.#reviews.get(workdir);
    if (known) return known;
    const review = new Review(workdir);
    this.#reviews.set(workdir, review);
    return review;
  }

  async #isSameWorkdir(one: string, other: string): Promise<boolean> {
    if (one === other) return true;
    const [a, b] = await Promise.all([one, other].map((cwd) => this.#open(cwd).catch(() => null)));
    return a !== null && a === b;
  }

  /** That there are no checkpoints of a directory is no fault of the server's. */
  #report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#lastError = { at: isoTime(this.#deps.world), message };
    if (error instanceof RefusalError || error instanceof GitError) return;
    // The directory itself may have gone meanwhile.
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return;
    this.#deps.onError(error);
  }
}

export interface CheckpointStatus {
  readonly isOn: boolean;
  /** Measured now and then; null until then. */
  readonly vaults: number | null;
  readonly bytes: number | null;
  readonly lastError: { readonly at: string; readonly message: string } | null;
}

const NOT_MEASURED = { vaults: null, bytes: null } as const;

interface Watch {
  readonly watchers: Set<{ readonly sessionId: SessionId }>;
  /** The files and commits that are being watched. */
  known: string | null;
  poll: ReturnType<typeof setTimeout> | null;
  soon: ReturnType<typeof setTimeout> | null;
}

interface EndedTurn {
  readonly turnId: TurnId;
  readonly isShared: boolean;
  /** Files that the agent's tools named as changed. */
  readonly written: readonly string[];
}

async function takeAfter(
  workdir: Workdir,
  { sessionId, cwd }: SessionPlace,
  { turnId, isShared, written }: EndedTurn,
): Promise<TurnChanges | null> {
  const pair = workdir.turnsOf(sessionId).find((one) => one.turnId === turnId);
  // Without a checkpoint of its own, the turn is compared with the last one there is.
  const before = pair?.before ?? workdir.checkpoints.at(-1);
  const started = before === undefined ? null : await workdir.read(before.checkpointId);
  const files = await workdir.scan();
  const after = await workdir.store(files, { sessionId, turnId, phase: "after" }, false);
  await workdir.trim();
  if (before === undefined || started === null) return null;
  const changes = await compareScans(workdir.vault, started, files);
  const ignored = await ignoredAmong(workdir.vault, files, await pathsBelow(workdir.vault.directory, cwd, written));
  if (changes.length === 0 && ignored.length === 0) return null;
  const counts = countsOf(changes);
  return {
    before: before.checkpointId,
    after: after.checkpointId,
    files: changes.slice(0, ENTRY_FILES_MAX).map(changedFile),
    total: counts.files,
    added: counts.added,
    removed: counts.removed,
    isLate: before.turnId !== turnId || before.late === true,
    isShared,
    leftOut: [
      ...ignored.map((path) => ({ path: wirePath(path), reason: "ignored" as const })),
      ...files.leftOut.map(leftOutFile),
    ].slice(0, ENTRY_LEFT_OUT_MAX),
  };
}

/** Files as an agent names them, from the top of the working directory, without those outside it. */
async function pathsBelow(top: string, cwd: string, named: readonly string[]): Promise<RawPath[]> {
  const found = new Set<RawPath>();
  for (const name of named.slice(0, WRITTEN_FILES_MAX)) {
    const place = resolve(cwd, name);
    const folder = await realpath(dirname(place)).catch(() => null);
    const path = folder === null ? ".." : relative(top, join(folder, basename(place)));
    const names = path.split(sep);
    if (path !== "" && names[0] !== ".." && !names.includes(".git")) found.add(rawPath(path));
  }
  return [...found];
}

async function find(
  workdir: Workdir,
  id: CheckpointId,
): Promise<{ readonly checkpoint: CheckpointInfo; readonly target: Scan }> {
  const checkpoint = workdir.find(id);
  const target = checkpoint === null ? null : await workdir.read(id);
  if (checkpoint === null || target === null) throw new RefusalError(REFUSE.checkpointNotFound());
  return { checkpoint, target };
}

/** The states before and after the turns that a session has had since a checkpoint. */
async function turnsSince(workdir: Workdir, sessionId: SessionId, { at }: CheckpointInfo): Promise<TurnStates[]> {
  const states: TurnStates[] = [];
  for (const { before, after } of workdir.turnsOf(sessionId)) {
    if (before === null || after === null || after.at < at) continue;
    const [old, fresh] = [await workdir.read(before.checkpointId), await workdir.read(after.checkpointId)];
    if (old !== null && fresh !== null) states.push({ before: old, after: fresh });
  }
  return states;
}

function restoreItem({ path, effect }: RestoredFile, counted: CountedChange | undefined): RestoreItem {
  return { path: wirePath(path), effect, added: counted?.addedLines ?? null, removed: counted?.removedLines ?? null };
}
