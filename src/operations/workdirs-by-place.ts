import type { UsedLater } from "../lib/first-use.ts";
import type { DiscardedLater, SessionPlace, Workdirs } from "../ports/workdirs.ts";
import { RefusalError } from "../protocol/errors.ts";
import type { SessionId, TurnId } from "../protocol/ids.ts";
import { splitPlace } from "../protocol/place-path.ts";

interface WorkdirsByPlaceParts {
  /** On this machine. */
  readonly here: UsedLater<Workdirs>;
  /** At another one. Rejects with a RefusalError when there is no such place. */
  readonly at: (place: string) => Promise<Workdirs>;
  readonly onError: (error: unknown) => void;
}

/** Every directory is handled by its own machine: this one, or the place that its path names. */
export class WorkdirsByPlace implements Workdirs {
  readonly #parts: WorkdirsByPlaceParts;
  readonly #places = new Map<string, Promise<Workdirs>>();
  readonly #listeners = new Set<(sessionId: SessionId) => void>();
  readonly #discardListeners = new Set<(discarded: DiscardedLater) => void>();

  constructor(parts: WorkdirsByPlaceParts) {
    this.#parts = parts;
    parts.here.onBuilt((workdirs) => this.#follow(workdirs));
  }

  prepare(place: SessionPlace): void {
    this.#later(place, (workdirs, there) => workdirs.prepare(there));
  }

  async turnStarts(place: SessionPlace, turnId: TurnId): Promise<void> {
    await this.#unlessUnknown(this.#with(place, (workdirs, there) => workdirs.turnStarts(there, turnId)));
  }

  turnContinues(place: SessionPlace, turnId: TurnId): void {
    this.#later(place, (workdirs, there) => workdirs.turnContinues(there, turnId));
  }

  turnEnded(place: SessionPlace, turnId: TurnId, written: readonly string[]): ReturnType<Workdirs["turnEnded"]> {
    return this.#unlessUnknown(this.#with(place, (workdirs, there) => workdirs.turnEnded(there, turnId, written)));
  }

  touched(place: SessionPlace): void {
    this.#later(place, (workdirs, there) => workdirs.touched(there));
  }

  busySessions(place: SessionPlace): ReturnType<Workdirs["busySessions"]> {
    return this.#with(place, (workdirs, there) => workdirs.busySessions(there));
  }

  prefixOf(cwd: string): Promise<string> {
    return this.#in(cwd, (workdirs, there) => workdirs.prefixOf(there));
  }

  onChanged(listener: (sessionId: SessionId) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  onDiscarded(listener: (discarded: DiscardedLater) => void): Disposable {
    this.#discardListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#discardListeners.delete(listener) };
  }

  watch(place: SessionPlace): Disposable {
    const watching = this.#with(place, async (workdirs, there) => workdirs.watch(there));
    watching.catch((error: unknown) => this.#report(error));
    return {
      [Symbol.dispose]: () => {
        watching.then(
          (watch) => watch[Symbol.dispose](),
          (error: unknown) => this.#report(error),
        );
      },
    };
  }

  openCounts(place: SessionPlace): ReturnType<Workdirs["openCounts"]> {
    return this.#unlessUnknown(this.#with(place, (workdirs, there) => workdirs.openCounts(there)));
  }

  changes(place: SessionPlace, ...args: Rest<"changes">): ReturnType<Workdirs["changes"]> {
    return this.#with(place, (workdirs, there) => workdirs.changes(there, ...args));
  }

  patch(place: SessionPlace, ...args: Rest<"patch">): ReturnType<Workdirs["patch"]> {
    return this.#with(place, (workdirs, there) => workdirs.patch(there, ...args));
  }

  decide(place: SessionPlace, ...args: Rest<"decide">): ReturnType<Workdirs["decide"]> {
    return this.#with(place, (workdirs, there) => workdirs.decide(there, ...args));
  }

  cancelWaiting(place: SessionPlace, ...args: Rest<"cancelWaiting">): Promise<void> {
    return this.#with(place, (workdirs, there) => workdirs.cancelWaiting(there, ...args));
  }

  undo(place: SessionPlace, ...args: Rest<"undo">): ReturnType<Workdirs["undo"]> {
    return this.#with(place, (workdirs, there) => workdirs.undo(there, ...args));
  }

  setViewed(place: SessionPlace, ...args: Rest<"setViewed">): Promise<void> {
    return this.#with(place, (workdirs, there) => workdirs.setViewed(there, ...args));
  }

  commit(place: SessionPlace, ...args: Rest<"commit">): ReturnType<Workdirs["commit"]> {
    return this.#with(place, (workdirs, there) => workdirs.commit(there, ...args));
  }

  checkpoints(place: SessionPlace): ReturnType<Workdirs["checkpoints"]> {
    return this.#with(place, (workdirs, there) => workdirs.checkpoints(there));
  }

  checkpointsIn(place: SessionPlace): ReturnType<Workdirs["checkpointsIn"]> {
    return this.#with(place, (workdirs, there) => workdirs.checkpointsIn(there));
  }

  previewRestore(place: SessionPlace, ...args: Rest<"previewRestore">): ReturnType<Workdirs["previewRestore"]> {
    return this.#with(place, (workdirs, there) => workdirs.previewRestore(there, ...args));
  }

  restore(place: SessionPlace, ...args: Rest<"restore">): ReturnType<Workdirs["restore"]> {
    return this.#with(place, (workdirs, there) => workdirs.restore(there, ...args));
  }

  settle(place: SessionPlace, ...args: Rest<"settle">): Promise<void> {
    return this.#with(place, (workdirs, there) => workdirs.settle(there, ...args));
  }

  list(directory: string, ...args: Rest<"list">): ReturnType<Workdirs["list"]> {
    return this.#in(directory, (workdirs, there) => workdirs.list(there, ...args));
  }

  read(directory: string, ...args: Rest<"read">): ReturnType<Workdirs["read"]> {
    return this.#in(directory, (workdirs, there) => workdirs.read(there, ...args));
  }

  edit(directory: string, ...args: Rest<"edit">): Promise<void> {
    return this.#in(directory, (workdirs, there) => workdirs.edit(there, ...args));
  }

  #with<Result>(
    { sessionId, cwd }: SessionPlace,
    act: (workdirs: Workdirs, there: SessionPlace) => Promise<Result>,
  ): Promise<Result> {
    return this.#in(cwd, (workdirs, there) => act(workdirs, { sessionId, cwd: there }));
  }

  async #in<Result>(directory: string, act: (workdirs: Workdirs, there: string) => Promise<Result>): Promise<Result> {
    const at = splitPlace(directory);
    return at ? act(await this.#at(at.place), at.path) : act(this.#parts.here.use(), directory);
  }

  /** Synchronous on this machine: a running turn must be registered before any other request. */
  #later({ sessionId, cwd }: SessionPlace, act: (workdirs: Workdirs, there: SessionPlace) => void): void {
    const at = splitPlace(cwd);
    if (!at) act(this.#parts.here.use(), { sessionId, cwd });
    else
      this.#at(at.place)
        .then((workdirs) => act(workdirs, { sessionId, cwd: at.path }))
        .catch((error: unknown) => this.#report(error));
  }

  #at(place: string): Promise<Workdirs> {
    const known = this.#places.get(place);
    if (known) return known;
    const finding = this.#parts.at(place).then((workdirs) => this.#follow(workdirs));
    this.#places.set(place, finding);
    // It may be added to the settings before the next use.
    finding.catch(() => this.#places.delete(place));
    return finding;
  }

  #follow(workdirs: Workdirs): Workdirs {
    workdirs.onChanged((sessionId) => {
      for (const listener of this.#listeners) listener(sessionId);
    });
    workdirs.onDiscarded((discarded) => {
      for (const listener of this.#discardListeners) listener(discarded);
    });
    return workdirs;
  }

  /** Null when there is no such place: then nothing is known about its files. */
  async #unlessUnknown<Result>(result: Promise<Result>): Promise<Result | null> {
    try {
      return await result;
    } catch (error) {
      if (error instanceof RefusalError) return null;
      throw error;
    }
  }

  #report(error: unknown): void {
    if (!(error instanceof RefusalError)) this.#parts.onError(error);
  }
}

/** What a call takes besides the directory. */
type Rest<Name extends keyof Workdirs> = Parameters<Workdirs[Name]> extends [unknown, ...infer Others] ? Others : never;
