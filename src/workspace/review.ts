import { createHash } from "node:crypto";
import {
  CHANGED_FILES_MAX,
  type ChangeCounts,
  type ChangedFile,
  type ChangesScope,
  type ChangesState,
  CheckpointId,
  type DecisionItem,
  type FilePatch,
  type LeftOutFile,
  type WaitingDiscard as ShownWaiting,
  WAITING_ITEMS_MAX,
} from "../protocol/changes.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { SessionId, TurnId } from "../protocol/ids.ts";
import type { CommittedFile } from "./git/commit.ts";
import { fromWirePath, type RawPath, shownPath, wirePath } from "./git/raw-path.ts";
import { GitError } from "./git/run-git.ts";
import { type Base, readBase, readCommits } from "./vault/base.ts";
import { readState, storeState } from "./vault/checkpoint.ts";
import { type CountedChange, changedFiles, compareScans, compareTrees, pairParts } from "./vault/compare.ts";
import {
  carryOut,
  type Decision,
  listDecisions,
  type Reviewed,
  readReviewed,
  readViewed,
  setViewed,
  storeReviewed,
  undoDecision,
  viewedVersion,
} from "./vault/decisions.ts";
import { entriesAt, reviewedAfterEdits } from "./vault/merge.ts";
import { cutOffMove, WorkdirChangedError } from "./vault/move.ts";
import { patchOf } from "./vault/patch.ts";
import {
  followCommits,
  listFiles,
  partToCommit,
  planDecision,
  type ReviewItem,
  type ReviewStates,
  viewFiles,
} from "./vault/review.ts";
import { innermostPart, type LeftOut, partDirectory, type Scan } from "./vault/scan.ts";
import {
  dropWaiting,
  dueStates,
  listWaiting,
  markProblem,
  storeWaiting,
  WAITING_MAX,
  type WaitingDiscard,
} from "./vault/waiting.ts";
import type { TurnPair, Workdir } from "./workdir.ts";

/** The files now, the last commit, and what was reviewed. */
interface Present {
  readonly current: Scan;
  readonly base: Base;
  readonly reviewed: Scan;
  /** Of the files and of what was reviewed: a decision repeats it. */
  readonly version: string;
  readonly takenMs: number;
}

const SHOWN_MAX = 50;
const KEY_CHARS = 32;
/** A patch is of the state that was shown just before; later the files are looked at again. */
const PRESENT_KEPT_MS = 10_000;
const DECISIONS_SHOWN_MAX = 50;
const TURNS_COUNTED_MAX = 50;
const TURN_PATHS_CACHED_MAX = 500;

/** The result of a discard that waited for the end of a turn. */
export interface SettledDiscard {
  readonly sessionId: SessionId;
  readonly paths: readonly RawPath[];
  /** Why it was not carried out. */
  readonly problem: string | null;
}

/** What the user has reviewed of a working directory. Everything here runs in the queue of the working directory. */
export class Review {
  readonly #workdir: Workdir;
  /** Undefined until it was read. */
  #reviewed: Reviewed | null | undefined;
  /** The files before the first turn. */
  #first: Scan | null = null;
  #decisions: readonly Decision[] | null = null;
  #present: Present | null = null;
  /** What counted as reviewed when it was shown, by its key. */
  readonly #shown = new Map<string, Scan>();
  #forgotten = 0;
  readonly #turnPaths = new Map<string, ReadonlySet<RawPath>>();

  constructor(workdir: Workdir) {
    this.#workdir = workdir;
  }

  /**
   * Before the first turn all files count as reviewed; the user's changes between two turns do, too. `isUnclear`:
   * another writer may have changed files since the last turn, such as the agent of another session.
   */
  async turnStarts(files: Scan, isUnclear: boolean): Promise<void> {
    const { vault, checkpoints } = this.#workdir;
    const reviewed = await this.#readReviewed();
    if (reviewed === null) {
      await storeState(vault, "first", files);
      await this.#storeReviewed({ scan: files, commits: await readCommits(vault, files) });
      return;
    }
    const last = checkpoints.findLast(({ phase }) => phase !== "safety");
    if (isUnclear || last?.phase !== "after") return;
    const before = await this.#workdir.read(last.checkpointId);
    if (before === null) return;
    const scan = await reviewedAfterEdits(vault, reviewed.scan, { before, after: files });
    if (scan !== reviewed.scan) await this.#storeReviewed({ ...reviewed, scan });
  }

  /** The commits that were shown last; null when nothing was shown, or nothing since it was forgotten. */
  get shownCommits(): string | null {
    return this.#present?.base.commits ?? null;
  }

  /** Files that turns of the session changed and that are neither reviewed nor committed. */
  async openCounts(sessionId: SessionId): Promise<ChangeCounts | null> {
    const turns = this.#workdir.turnsOf(sessionId).slice(-TURNS_COUNTED_MAX);
    if (turns.length === 0) return null;
    const { current, reviewed } = await this.#look();
    const own = new Set<RawPath>();
    for (const turn of turns) for (const path of await this.#pathsOf(turn, current)) own.add(path);
    const open = await compareScans(this.#workdir.vault, reviewed, current);
    return countsOf(open.filter(({ path }) => own.has(path)));
  }

  async state(sessionId: SessionId, scope: ChangesScope): Promise<Omit<ChangesState, "prefix">> {
    const { vault } = this.#workdir;
    const present = await this.#look();
    const { current, base, reviewed, version } = present;
    const lastTurn = await this.#lastTurn(sessionId, current);
    const files = await listFiles(vault, await this.#states(sessionId, scope, present));
    const viewed = await readViewed(vault);
    const count = async (from: Scan, to: Scan) => countsOf(await compareScans(vault, from, to));
    this.#decisions ??= await listDecisions(vault);
    return {
      scope,
      version,
      files: files.slice(0, CHANGED_FILES_MAX).map((file) => ({
        ...changedFile(file),
        review: file.mark,
        viewed: viewed.get(file.path) === viewedVersion(file.current),
      })),
      total: files.length,
      counts: {
        base: scope.kind === "base" ? countsOf(files) : await count(base.scan, current),
        unreviewed: scope.kind === "unreviewed" ? countsOf(files) : await count(reviewed, current),
        turn: lastTurn && (await count(lastTurn.before, lastTurn.after)),
      },
      decisions: this.#decisions.slice(0, DECISIONS_SHOWN_MAX).map(({ undoId, kind, at, paths }) => ({
        ...{ undoId, kind, at, files: paths.length },
        path: wirePath(paths[0] ?? ("" as RawPath)),
      })),
      waiting: (await listWaiting(vault)).map(waitingDiscard),
      leftOut: [
        ...current.leftOut.map(leftOutFile),
        ...base.unclear.map((path) => ({ path: wirePath(path), reason: "filtered" as const })),
      ].slice(0, CHANGED_FILES_MAX),
      submodules: base.submodules.map(({ path, from, to }) => ({ path: wirePath(path), from, to })),
      head: base.head,
      lastTurnId: lastTurn?.turnId ?? null,
      cutOff: await this.#cutOff(),
    };
  }

  async patch(
    sessionId: SessionId,
    scope: ChangesScope,
    { path, whole }: { readonly path: RawPath; readonly whole: boolean },
  ): Promise<{ readonly version: string; readonly patch: FilePatch }> {
    const { vault } = this.#workdir;
    this.#forgetShown();
    const shown = this.#present;
    const isRecent = shown !== null && performance.now() - shown.takenMs < PRESENT_KEPT_MS;
    const present = isRecent && shown.version.startsWith(`${this.#workdir.version}-`) ? shown : await this.#look();
    const view = (await viewFiles(vault, await this.#states(sessionId, scope, present))).get(path);
    if (view === undefined) throw new WorkdirChangedError([path]);
    return { version: present.version, patch: await patchOf(vault, view, whole) };
  }

  async decide(
    sessionId: SessionId,
    {
      kind,
      scope,
      items,
      expect,
    }: {
      readonly kind: "keep" | "discard";
      readonly scope: ChangesScope;
      readonly items: readonly DecisionItem[] | null;
      readonly expect: string;
    },
  ): Promise<readonly RawPath[]> {
    const present = await this.#look();
    const plan = await planDecision(this.#workdir.vault, kind, await this.#states(sessionId, scope, present), {
      items: items?.map(({ path, hunkIds }) => ({ path: fromWirePath(path), hunkIds })) ?? null,
      seen: await this.#seen(expect, present),
    });
    if (plan.reviewed === present.reviewed && plan.target === present.current) return [];
    await this.#carryOut(sessionId, kind, present, { reviewed: plan.reviewed, current: plan.target });
    return [...(await changedFiles(this.#workdir.vault, present.current, plan.target)).keys()];
  }

  /** Discards once no turn runs any more: the decision is about what the user sees now. */
  async discardLater(
    sessionId: SessionId,
    {
      scope,
      items,
      expect,
    }: {
      readonly scope: ChangesScope;
      readonly items: readonly DecisionItem[] | null;
      readonly expect: string;
    },
  ): Promise<void> {
    const { vault } = this.#workdir;
    if ((await listWaiting(vault)).length >= WAITING_MAX)
      throw new GitError(`${WAITING_MAX} discards wait already. Stop the turn, or cancel some.`);
    const present = await this.#look();
    const plan = await planDecision(vault, "discard", await this.#states(sessionId, scope, present), {
      items: items?.map(({ path, hunkIds }) => ({ path: fromWirePath(path), hunkIds })) ?? null,
      seen: await this.#seen(expect, present),
    });
    if (plan.target === present.current) return;
    const about = { waitId: this.#workdir.newId(), at: this.#workdir.now(), sessionId };
    const stored =
      items?.map(({ path, hunkIds }) => ({ path: fromWirePath(path), ...(hunkIds && { hunkIds }) })) ?? null;
    const after = { reviewed: plan.reviewed, current: plan.target };
    await storeWaiting(vault, { ...about, items: stored }, { before: present, after });
  }

  /** False when it no longer exists. */
  cancelWaiting(waitId: string): Promise<boolean> {
    return dropWaiting(this.#workdir.vault, waitId);
  }

  /** No turn runs: carries out the waiting discards. A failed one stays in the list, with the reason. */
  async settleWaiting(): Promise<readonly SettledDiscard[]> {
    const { vault } = this.#workdir;
    const settled: SettledDiscard[] = [];
    for (const { waitId, sessionId, problem, paths } of await listWaiting(vault)) {
      if (problem !== null) continue;
      try {
        const present = await this.#look();
        const after = await dueStates(vault, waitId, present);
        // A server that was killed in between has done it already.
        const isDone = after.current === present.current;
        if (!isDone) await this.#carryOut(sessionId, "discard", present, after);
        await dropWaiting(vault, waitId);
        settled.push({ sessionId, paths, problem: null });
      } catch (error) {
        if (!(error instanceof GitError || error instanceof WorkdirChangedError)) throw error;
        await markProblem(vault, waitId, error.message);
        settled.push({ sessionId, paths, problem: error.message });
      }
    }
    return settled;
  }

  /** Brings files back to a state. Gives the id that takes it back, which is also that of the checkpoint before. */
  async restore(sessionId: SessionId, { seen, target }: { readonly seen: Scan; readonly target: Scan }) {
    const present = await this.#look();
    const { vault } = this.#workdir;
    // What the user brings back needs no review.
    const reviewed = await reviewedAfterEdits(vault, present.reviewed, { before: seen, after: target });
    return this.#carryOut(sessionId, "restore", { ...present, current: seen }, { reviewed, current: target });
  }

  /** Returns the files that this changed, and the decision that was undone. */
  async undo(
    sessionId: SessionId,
    undoId: string,
  ): Promise<{ readonly kind: Decision["kind"]; readonly paths: readonly RawPath[] }> {
    const { current, reviewed, base } = await this.#look();
    const safetyId = this.#workdir.newId();
    try {
      const now = { current, reviewed };
      const done = await undoDecision(this.#workdir.vault, undoId, { now, commits: base.commits, safetyId });
      if (done === null) throw new GitError("This decision was undone already, or is too old to be undone.");
      const { kind } = done;
      if (done.moved === null) return { kind, paths: [] };
      this.#workdir.added(safetyId, sessionId);
      const [before, after] = [done.moved.from, done.moved.to].map((parts) => ({ parts, leftOut: [] }));
      const changed = before && after && (await changedFiles(this.#workdir.vault, before, after));
      return { kind, paths: [...(changed?.keys() ?? [])] };
    } finally {
      this.forget();
      this.#reviewed = undefined;
    }
  }

  async setViewed(path: RawPath, expect: string, viewed: boolean): Promise<void> {
    const seen = await this.#workdir.seen(splitVersion(expect).files);
    const [entry = null] = await entriesAt(this.#workdir.vault, seen, [placeOf(seen, path)]);
    await setViewed(this.#workdir.vault, path, viewed ? viewedVersion(entry) : null);
  }

  /**
   * What a commit to the user's own repository takes, and the directory of that repository. Without items it takes
   * everything since the last commit, which must be what was shown.
   */
  async planCommit({
    items,
    expect,
  }: {
    readonly items: readonly DecisionItem[] | null;
    readonly expect: string;
  }): Promise<{ readonly directory: string; readonly files: readonly CommittedFile[] }> {
    const { vault } = this.#workdir;
    const present = await this.#look();
    const seen = await this.#seen(expect, present);
    const changedSince = await changedFiles(vault, seen.current, present.current);
    if (items === null && changedSince.size > 0) throw new WorkdirChangedError([...changedSince.keys()]);
    const views = await viewFiles(vault, this.#baseStates(present));
    const { submodules } = present.base;
    const chosen: readonly ReviewItem[] =
      items?.map(({ path, hunkIds }) => ({ path: fromWirePath(path), hunkIds })) ??
      [...views.keys(), ...submodules.map(({ path }) => path)].map((path) => ({ path }));
    const parts = new Set<RawPath>();
    const files: CommittedFile[] = [];
    for (const { path, hunkIds } of chosen) {
      const view = views.get(path);
      const submodule = submodules.find((one) => one.path === path);
      if (view === undefined && submodule !== undefined) {
        const { part, file } = placeOf(seen.current, path);
        parts.add(part);
        files.push({ path: file });
        continue;
      }
      if (view === undefined || changedSince.has(path)) throw new WorkdirChangedError([path]);
      parts.add(view.part);
      files.push({ path: view.file, part: await partToCommit(vault, view, hunkIds) });
    }
    const [part, other] = parts;
    if (part === undefined) throw new GitError("Choose at least one file to commit.");
    if (other !== undefined) {
      const names = [part, other].map((name) => (name === "" ? "the project" : shownPath(name))).join(" and ");
      throw new GitError(`The files are in two repositories: ${names}. Commit them one after the other.`);
    }
    return { directory: partDirectory(vault, part), files };
  }

  /** Housekeeping may have removed the objects of unreferenced states. */
  #forgetShown(): void {
    if (this.#forgotten === this.#workdir.forgotten) return;
    this.#forgotten = this.#workdir.forgotten;
    this.#shown.clear();
    this.#present = null;
  }

  async #look(): Promise<Present> {
    const { vault } = this.#workdir;
    this.#forgetShown();
    const current = await this.#workdir.scan();
    this.#first ??= (await readState(vault, "first"))?.scan ?? null;
    const base = await readBase(vault, current, this.#first);
    const stored = await this.#readReviewed();
    let reviewed = stored?.scan ?? current;
    if (stored !== null && stored.commits !== base.commits) {
      reviewed = await followCommits(vault, { reviewed, current, base: base.scan });
      await this.#storeReviewed({ scan: reviewed, commits: base.commits });
    }
    const key = createHash("sha256").update(JSON.stringify(reviewed.parts)).digest("hex").slice(0, KEY_CHARS);
    this.#shown.delete(key);
    this.#shown.set(key, reviewed);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > SHOWN_MAX && oldest !== undefined) this.#shown.delete(oldest);
    const version = `${this.#workdir.version}-${key}`;
    this.#present = { current, base, reviewed, version, takenMs: performance.now() };
    return this.#present;
  }

  /** Something has changed that no scan detects: a commit, or the reviewed state. */
  forget(): void {
    this.#present = null;
    this.#decisions = null;
  }

  async #readReviewed(): Promise<Reviewed | null> {
    if (this.#reviewed === undefined) this.#reviewed = await readReviewed(this.#workdir.vault);
    return this.#reviewed;
  }

  async #storeReviewed(reviewed: Reviewed): Promise<void> {
    await storeReviewed(this.#workdir.vault, reviewed);
    this.#reviewed = reviewed;
    this.forget();
  }

  async #carryOut(
    sessionId: SessionId,
    kind: Decision["kind"],
    before: Present,
    after: Pick<Present, "reviewed" | "current">,
  ): Promise<CheckpointId> {
    const id = this.#workdir.newId();
    const about = { undoId: id, safetyId: id, kind, at: this.#workdir.now(), sessionId };
    try {
      const commits = before.base.commits;
      const moved = await carryOut(this.#workdir.vault, about, { before, after, commits });
      if (moved !== null) this.#workdir.added(id, sessionId);
      this.#reviewed = { scan: after.reviewed, commits };
      return id;
    } finally {
      this.forget();
    }
  }

  /** What the user saw when they decided. */
  async #seen(version: string, present: Present): Promise<Pick<ReviewStates, "reviewed" | "current">> {
    const { files, reviewed } = splitVersion(version);
    const shown = reviewed === null ? present.reviewed : this.#shown.get(reviewed);
    if (shown === undefined) throw new WorkdirChangedError([]);
    return { current: await this.#workdir.seen(files), reviewed: shown };
  }

  async #states(sessionId: SessionId, scope: ChangesScope, present: Present): Promise<ReviewStates> {
    const { current, reviewed } = present;
    if (scope.kind === "base") return this.#baseStates(present);
    if (scope.kind === "unreviewed") return { from: reviewed, to: current, reviewed, current, isTurn: false };
    const turn = this.#workdir.turnsOf(sessionId).find(({ turnId }) => turnId === scope.turnId);
    const states = turn && (await this.#statesOf(turn, current));
    if (!states) throw new RefusalError(REFUSE.checkpointNotFound());
    return { from: states.before, to: states.after, reviewed, current, isTurn: true };
  }

  #baseStates({ base, current, reviewed }: Present): ReviewStates {
    return { from: base.scan, to: current, reviewed, current, isTurn: false };
  }

  /** Null when its checkpoints are no longer there. A turn that runs has changed the files until now. */
  async #statesOf(
    { before, after }: TurnPair,
    current: Scan,
  ): Promise<{ readonly before: Scan; readonly after: Scan } | null> {
    const started = before && (await this.#workdir.read(before.checkpointId));
    const ended = after === null ? current : await this.#workdir.read(after.checkpointId);
    return started && ended && { before: started, after: ended };
  }

  /** The last turn that changed files, or the running one. */
  async #lastTurn(
    sessionId: SessionId,
    current: Scan,
  ): Promise<{ readonly turnId: TurnId; readonly before: Scan; readonly after: Scan } | null> {
    for (const turn of this.#workdir.turnsOf(sessionId).toReversed()) {
      const states = await this.#statesOf(turn, current);
      if (states === null) continue;
      if (turn.after === null || (await this.#pathsOf(turn, current)).size > 0)
        return { turnId: turn.turnId, ...states };
    }
    return null;
  }

  async #pathsOf(turn: TurnPair, current: Scan): Promise<ReadonlySet<RawPath>> {
    const key = `${turn.before?.checkpointId} ${turn.after?.checkpointId}`;
    const known = this.#turnPaths.get(key);
    if (known) return known;
    const states = await this.#statesOf(turn, current);
    const paths = new Set(
      states === null ? [] : (await changedFiles(this.#workdir.vault, states.before, states.after)).keys(),
    );
    // A turn that runs goes on changing files.
    if (turn.after === null) return paths;
    const [oldest] = this.#turnPaths.keys();
    if (this.#turnPaths.size >= TURN_PATHS_CACHED_MAX && oldest !== undefined) this.#turnPaths.delete(oldest);
    this.#turnPaths.set(key, paths);
    return paths;
  }

  async #cutOff(): Promise<ChangesState["cutOff"]> {
    const { vault } = this.#workdir;
    const intent = await cutOffMove(vault);
    if (intent === null) return null;
    let files = 0;
    for (const { from, to } of pairParts(intent.from, intent.to))
      if (from !== null && to !== null) files += (await compareTrees(vault, from, to)).length;
    return { checkpointId: CheckpointId.parse(intent.id), files };
  }
}

function splitVersion(version: string): { readonly files: string; readonly reviewed: string | null } {
  const [files = "", reviewed = null] = version.split("-");
  return { files, reviewed };
}

/** The innermost part that a path is in. */
function placeOf({ parts }: Scan, path: RawPath): { readonly part: RawPath; readonly file: RawPath } {
  const part = innermostPart(parts, path);
  return { part, file: (part === "" ? path : path.slice(part.length + 1)) as RawPath };
}

export function countsOf(changes: readonly CountedChange[]): ChangeCounts {
  const sum = (count: (change: CountedChange) => number | null) =>
    changes.reduce((total, change) => total + (count(change) ?? 0), 0);
  return {
    files: changes.length,
    added: sum(({ addedLines }) => addedLines),
    removed: sum(({ removedLines }) => removedLines),
  };
}

export function changedFile({ path, before, after, addedLines, removedLines }: CountedChange): ChangedFile {
  const status = before === null ? "added" : after === null ? "deleted" : "modified";
  return { path: wirePath(path), status, added: addedLines, removed: removedLines };
}

function waitingDiscard({ waitId, at, paths, items, problem }: WaitingDiscard): ShownWaiting {
  const places: readonly { path: string; hunkIds?: readonly string[] | undefined }[] =
    items ?? paths.map((path) => ({ path }));
  return {
    ...{ waitId, at, files: paths.length, path: wirePath(paths[0] ?? ("" as RawPath)) },
    items: places
      .slice(0, WAITING_ITEMS_MAX)
      .map(({ path, hunkIds }) => ({ path: wirePath(path as RawPath), ...(hunkIds && { hunkIds: [...hunkIds] }) })),
    ...(problem !== null && { problem }),
  };
}

export function leftOutFile({ path, reason }: LeftOut): LeftOutFile {
  return { path: wirePath(path), reason };
}
