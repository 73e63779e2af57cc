import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type ConflictRadar, type ListedWorktree, UNKNOWN_RADAR } from "../../ports/worktrees.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { RefusalError } from "../../protocol/errors.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import type { Project } from "../../protocol/server-messages.ts";
import type { WorktreeId } from "../../protocol/worktree-ref.ts";
import { OVERLAP_PATHS_MAX, OVERLAPS_MAX, type Overlap, type Radar } from "../../protocol/worktrees.ts";
import { wirePath } from "../git/raw-path.ts";
import { GitError } from "../git/run-git.ts";
import { branchIn, commitOf } from "./checkouts.ts";
import { type PairResult, RADAR_LIMITS, type RadarLimits, RadarRepository, type Side } from "./radar-look.ts";

export type RadarWorktree = Pick<ListedWorktree, "worktreeId" | "name" | "path" | "base" | "status">;

interface LocalConflictRadarDeps {
  readonly world: World;
  /** A directory of ours, for nothing else: copies of uncommitted files are kept there while the server runs. */
  readonly root: string;
  /** All worktrees of a project that sessions may work in. Must not call `touched`. */
  readonly listWorktrees: (project: Project) => Promise<readonly RadarWorktree[]>;
  readonly onError: (error: unknown) => void;
  readonly limits?: RadarLimits;
}

/** Of one project, with its own checkout; overlaps with further ones are unknown. */
export const RADAR_WORKTREES_MAX = 50;
const LOOK_AFTER_MS = 300;
/** After a slow check the next one waits longer, but never so long that a change is noticed late. */
const COST_FACTOR = 2;
export const LOOK_AFTER_MS_MAX = 2_000;
const STOP_WAIT_MS = 3_000;

/** The conflict radar of this machine. */
export class LocalConflictRadar implements ConflictRadar {
  readonly #deps: LocalConflictRadarDeps;
  readonly #radars = new Map<WorktreeId, Radar>();
  readonly #watches = new Map<ProjectId, Watch>();
  readonly #listeners = new Set<(projectId: ProjectId) => void>();
  #emptied: Promise<void> | null = null;
  #isStopped = false;

  constructor(deps: LocalConflictRadarDeps) {
    this.#deps = deps;
  }

  /** "unknown" before the first look. */
  of(worktreeId: WorktreeId): Radar {
    return this.#radars.get(worktreeId) ?? UNKNOWN_RADAR;
  }

  async known({ id }: Project): ReturnType<ConflictRadar["known"]> {
    return this.#watches.get(id)?.known.map((worktreeId) => [worktreeId, this.of(worktreeId)] as const) ?? [];
  }

  async settled({ id }: Project): Promise<void> {
    await this.#watches.get(id)?.settled?.promise;
  }

  touched(project: Project, place: WorktreeId | "project" | "all" = "all"): void {
    if (this.#isStopped) return;
    const watch = this.#watches.get(project.id) ?? {
      timer: null,
      looking: null,
      touched: new Set(),
      settled: null,
      lookMs: 0,
      repository: null,
      known: [],
    };
    this.#watches.set(project.id, watch);
    watch.touched.add(place);
    watch.settled ??= Promise.withResolvers();
    if (watch.timer === null && watch.looking === null) this.#lookSoon(project, watch);
  }

  onChanged(listener: (projectId: ProjectId) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const looking: Promise<void>[] = [];
    for (const watch of this.#watches.values()) {
      if (watch.timer !== null) clearTimeout(watch.timer);
      watch.settled?.resolve();
      if (watch.looking !== null) looking.push(watch.looking);
    }
    await Promise.race([Promise.all(looking), Bun.sleep(STOP_WAIT_MS)]);
    await rm(this.#deps.root, { recursive: true, force: true });
  }

  #lookSoon(project: Project, watch: Watch): void {
    const afterMs = Math.min(LOOK_AFTER_MS_MAX, Math.max(LOOK_AFTER_MS, COST_FACTOR * watch.lookMs));
    watch.timer = setTimeout(() => {
      watch.timer = null;
      const touched = watch.touched;
      watch.touched = new Set();
      watch.looking = this.#look(project, watch, touched).finally(() => {
        watch.looking = null;
        if (watch.touched.size > 0 && !this.#isStopped) return this.#lookSoon(project, watch);
        watch.settled?.resolve();
        watch.settled = null;
      });
    }, afterMs);
  }

  async #look(project: Project, watch: Watch, touched: Touched): Promise<void> {
    const startMs = performance.now();
    const found = await this.#find(project, watch, touched).catch((error) => {
      // A directory without a repository, or one that Git cannot read, is no error of ours.
      if (!(error instanceof GitError) && !(error instanceof RefusalError)) this.#deps.onError(error);
      watch.repository = null;
      return new Map(watch.known.map((id) => [id, UNKNOWN_RADAR]));
    });
    watch.lookMs = performance.now() - startMs;
    let isChanged = found.size !== watch.known.length;
    for (const id of watch.known) if (!found.has(id)) this.#radars.delete(id);
    const lookedAt = isoTime(this.#deps.world);
    for (const [id, { state, overlaps }] of found) {
      const before = this.#radars.get(id);
      isChanged ||= JSON.stringify([before?.state, before?.overlaps]) !== JSON.stringify([state, overlaps]);
      this.#radars.set(id, { state, overlaps, lookedAt });
    }
    watch.known = [...found.keys()];
    if (isChanged) for (const listener of this.#listeners) listener(project.id);
  }

  async #find(project: Project, watch: Watch, touched: Touched): Promise<Map<WorktreeId, Radar>> {
    const listed = await this.#deps.listWorktrees(project);
    const worktrees = listed.filter(({ status }) => status === "ready");
    watch.known = [...new Set([...watch.known, ...listed.map(({ worktreeId }) => worktreeId)])];
    if (worktrees.length === 0) return new Map();
    const { root, limits = RADAR_LIMITS } = this.#deps;
    // A killed server has left its stores.
    this.#emptied ??= rm(root, { recursive: true, force: true });
    await this.#emptied;
    watch.repository ??= await RadarRepository.open(project.path, join(root, "stores"), limits);
    const looked = worktrees.slice(0, RADAR_WORKTREES_MAX);
    const found = await look(project, looked, watch.repository, touched);
    // Unchecked files may overlap with anything.
    const isCut = looked.length < worktrees.length;
    return new Map(
      worktrees.map(({ worktreeId }) => {
        const radar = found.get(worktreeId) ?? UNKNOWN_RADAR;
        return [worktreeId, isCut && radar.state === "clean" ? { ...radar, state: "unknown" } : radar];
      }),
    );
  }
}

type Touched = ReadonlySet<WorktreeId | "project" | "all">;
const ALL: Touched = new Set(["all"]);

interface Watch {
  timer: ReturnType<typeof setTimeout> | null;
  looking: Promise<void> | null;
  /** Since the running check, or the last one, began. */
  touched: Set<WorktreeId | "project" | "all">;
  /** Resolves when everything reported as touched has been checked. */
  settled: PromiseWithResolvers<void> | null;
  lookMs: number;
  repository: RadarRepository | null;
  /** Worktrees of the last check. */
  known: readonly WorktreeId[];
}

/** Two sides whose overlap is reported to the worktrees among them. */
interface Pair {
  readonly sides: readonly [Side, Side];
  readonly reports: readonly { readonly worktreeId: WorktreeId; readonly with: Overlap["with"] }[];
}

/** One check of all of them. */
export async function look(
  project: Project,
  worktrees: readonly RadarWorktree[],
  repository: RadarRepository,
  touched = ALL,
): Promise<Map<WorktreeId, Radar>> {
  const ids = new Map(worktrees.map(({ path, worktreeId }) => [path, worktreeId]));
  const isTouched = (path: string) => touched.has("all") || touched.has(ids.get(path) ?? "project");
  const [own = null, ...sides] = await repository.sides([project.path, ...ids.keys()], isTouched);
  const branch = await branchIn(project.path);
  const bases = new Map<string, string | null>();
  for (const base of new Set(worktrees.map((worktree) => worktree.base)))
    if (base !== null) bases.set(base, await commitOf(project.path, base));
  const pairs: Pair[] = [];
  worktrees.forEach(({ worktreeId, name, base }, index) => {
    const side = sides[index] ?? null;
    if (side === null) return;
    const baseCommit = base === null ? null : (bases.get(base) ?? null);
    if (baseCommit !== null) {
      const tip: Side = { head: baseCommit, commit: baseCommit, uncommitted: [], isWhole: true };
      pairs.push({ sides: [side, tip], reports: [{ worktreeId, with: null }] });
    }
    // Overlaps with commits of the base are reported as the base's; of its checkout only uncommitted files count then.
    const isOfBase = own !== null && base !== null && branch === base;
    if (own !== null && !(isOfBase && own.uncommitted.length === 0))
      pairs.push({ sides: [side, own], reports: [{ worktreeId, with: { worktreeId: null, name: project.name } }] });
    worktrees.slice(index + 1).forEach((other, offset) => {
      const otherSide = sides[index + 1 + offset] ?? null;
      if (otherSide === null) return;
      pairs.push({
        sides: [side, otherSide],
        reports: [
          { worktreeId, with: { worktreeId: other.worktreeId, name: other.name } },
          { worktreeId: other.worktreeId, with: { worktreeId, name } },
        ],
      });
    });
  });
  const results = await repository.compare(pairs.map((pair) => pair.sides));
  const isWhole = own !== null && sides.every((side) => side !== null);
  return new Map(
    worktrees.map(({ worktreeId }, index) => {
      if ((sides[index] ?? null) === null) return [worktreeId, UNKNOWN_RADAR];
      const overlaps = withoutRepeats(
        pairs.flatMap(({ reports }, at) => {
          const report = reports.find((entry) => entry.worktreeId === worktreeId);
          const overlap = report && overlapOf(report.with, results[at]);
          return overlap ? [overlap] : [];
        }),
      );
      // One without a common commit with its base and the project cannot be merged there. The others are not affected.
      const isRelated = pairs.every(
        ({ reports }, at) =>
          results[at]?.kind !== "unrelated" || reports.length > 1 || reports[0]?.worktreeId !== worktreeId,
      );
      const state = overlaps.length > 0 ? "overlap" : isWhole && isRelated ? "clean" : "unknown";
      return [worktreeId, { state, overlaps: overlaps.slice(0, OVERLAPS_MAX) }];
    }),
  );
}

function overlapOf(other: Overlap["with"], result: PairResult | undefined): Overlap | null {
  if (result === undefined || !("paths" in result)) return null;
  // The base, or the project on top of it, has all of the worktree's work already.
  if (result.kind === "contained" && (other?.worktreeId ?? null) === null) return null;
  const kind = result.kind === "conflict" ? "conflict" : "same-files";
  const paths = result.paths.slice(0, OVERLAP_PATHS_MAX).map(wirePath);
  return { with: other, kind, paths, total: result.paths.length };
}

/** Conflicts first. The project's own checkout is left out if it only repeats the base. */
function withoutRepeats(overlaps: readonly Overlap[]): Overlap[] {
  const base = overlaps.find((overlap) => overlap.with === null);
  const isRepeat = (overlap: Overlap) =>
    overlap.with?.worktreeId === null &&
    base !== undefined &&
    base.kind === overlap.kind &&
    base.total >= overlap.total &&
    overlap.paths.every((path) => base.paths.includes(path));
  return overlaps
    .filter((overlap) => !isRepeat(overlap))
    .sort((a, b) => Number(b.kind === "conflict") - Number(a.kind === "conflict"));
}
