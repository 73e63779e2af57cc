import type { DiscardedLater, FilePiece, Restored, SessionPlace, TurnChanges, Workdirs } from "../ports/workdirs.ts";
import type {
  ChangeCounts,
  ChangesScope,
  ChangesState,
  CheckpointId,
  CheckpointInfo,
  RestorePreview,
} from "../protocol/changes.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { SessionId, TurnId } from "../protocol/ids.ts";
import { askPart, asRefusal } from "./ask-part.ts";
import type { Workspace } from "./contract.ts";
import { PlaceError } from "./place-error.ts";
import type { PlaceLink } from "./place-link.ts";
import { WORKDIR_CALLS, type WorkdirCall } from "./workdir-calls.ts";

/** A turn that ended while its place was away gets its checkpoint when that is back, within this. */
const TURN_END_TRIES_MAX = 24;
const TURN_END_TRY_MS = 5_000;

/**
 * The working directories of a place, by its runner. The files, Git and the vaults are there, and so is all code that works
 * on them: a call is one message, and a lost connection leaves there what a killed server leaves here.
 */
export class PlaceWorkdirs implements Workdirs {
  readonly #link: PlaceLink;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<SessionId, { readonly place: SessionPlace; readonly turnId: TurnId }>();
  readonly #watched = new Set<SessionPlace>();
  readonly #listeners = new Set<(sessionId: SessionId) => void>();
  readonly #discardListeners = new Set<(discarded: DiscardedLater) => void>();
  /** Turns that are over and have no checkpoint yet. */
  #ending = 0;
  #connected = Promise.withResolvers<void>();

  constructor(link: PlaceLink, onError: (error: unknown) => void) {
    this.#link = link;
    this.#onError = onError;
  }

  /** Turns that run there, for each new runner. */
  get running(): Workspace["running"] {
    return [...this.#running.values()];
  }

  /** Sessions whose changes are viewed. */
  get watched(): SessionPlace[] {
    return [...this.#watched];
  }

  get isWanted(): boolean {
    return this.#watched.size + this.#running.size + this.#ending > 0;
  }

  connected(): void {
    this.#connected.resolve();
    this.#connected = Promise.withResolvers();
    // Files may have changed while no notification was possible.
    for (const { sessionId } of this.#watched) this.changed(sessionId);
  }

  changed(sessionId: SessionId): void {
    for (const listener of this.#listeners) listener(sessionId);
  }

  discarded(discarded: DiscardedLater): void {
    for (const listener of this.#discardListeners) listener(discarded);
  }

  prepare(place: SessionPlace): void {
    this.#later("prepare", place);
  }

  async turnStarts(place: SessionPlace, turnId: TurnId): Promise<void> {
    this.#running.set(place.sessionId, { place, turnId });
    try {
      await this.#ask("turnStarts", place, turnId);
    } catch (error) {
      this.#report(error);
    }
  }

  turnContinues(place: SessionPlace, turnId: TurnId): void {
    this.#running.set(place.sessionId, { place, turnId });
    this.#later("turnContinues", place, turnId);
  }

  async turnEnded(place: SessionPlace, turnId: TurnId, written: readonly string[]): Promise<TurnChanges | null> {
    if (this.#running.get(place.sessionId)?.turnId === turnId) this.#running.delete(place.sessionId);
    this.#ending++;
    try {
      return await this.#takeAfter(place, turnId, written);
    } catch (error) {
      this.#report(error);
      return null;
    } finally {
      this.#ending--;
    }
  }

  async #takeAfter(place: SessionPlace, turnId: TurnId, written: readonly string[]): Promise<TurnChanges | null> {
    for (let tried = 1; ; tried++) {
      const back = this.#connected.promise;
      try {
        return await this.#ask("turnEnded", place, turnId, written);
      } catch (error) {
        const mayComeBack = error instanceof PlaceError && !error.isFinal && tried < TURN_END_TRIES_MAX;
        if (!mayComeBack) throw error;
      }
      await Promise.race([back, Bun.sleep(TURN_END_TRY_MS)]);
    }
  }

  touched(place: SessionPlace): void {
    // Changes without viewers are checked when the turn ends.
    if (this.#watched.size > 0) this.#later("touched", place);
  }

  busySessions(place: SessionPlace): Promise<readonly SessionId[]> {
    return this.#call("busySessions", place);
  }

  prefixOf(cwd: string): Promise<string> {
    return this.#call("prefixOf", cwd);
  }

  onChanged(listener: (sessionId: SessionId) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  watch({ sessionId, cwd }: SessionPlace): Disposable {
    const watched = { sessionId, cwd };
    this.#watched.add(watched);
    this.#link.tellWatched();
    return {
      [Symbol.dispose]: () => {
        this.#watched.delete(watched);
        this.#link.tellWatched();
      },
    };
  }

  async openCounts(place: SessionPlace): Promise<ChangeCounts | null> {
    try {
      return await this.#ask("openCounts", place);
    } catch (error) {
      this.#report(error);
      return null;
    }
  }

  changes(place: SessionPlace, scope: ChangesScope): Promise<ChangesState> {
    return this.#call("changes", place, scope);
  }

  patch(...args: Parameters<Workdirs["patch"]>): ReturnType<Workdirs["patch"]> {
    return this.#call("patch", ...args);
  }

  decide(...args: Parameters<Workdirs["decide"]>): Promise<readonly string[]> {
    return this.#call("decide", ...args);
  }

  cancelWaiting(place: SessionPlace, waitId: string): Promise<void> {
    return this.#call("cancelWaiting", place, waitId);
  }

  onDiscarded(listener: (discarded: DiscardedLater) => void): Disposable {
    this.#discardListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#discardListeners.delete(listener) };
  }

  undo(place: SessionPlace, undoId: string): ReturnType<Workdirs["undo"]> {
    return this.#call("undo", place, undoId);
  }

  setViewed(...args: Parameters<Workdirs["setViewed"]>): Promise<void> {
    return this.#call("setViewed", ...args);
  }

  commit(...args: Parameters<Workdirs["commit"]>): ReturnType<Workdirs["commit"]> {
    return this.#call("commit", ...args);
  }

  checkpoints(place: SessionPlace): Promise<readonly CheckpointInfo[]> {
    return this.#call("checkpoints", place);
  }

  checkpointsIn(place: SessionPlace): Promise<readonly CheckpointInfo[]> {
    return this.#call("checkpointsIn", place);
  }

  previewRestore(place: SessionPlace, checkpointId: CheckpointId): Promise<RestorePreview> {
    return this.#call("previewRestore", place, checkpointId);
  }

  restore(...args: Parameters<Workdirs["restore"]>): Promise<Restored> {
    return this.#call("restore", ...args);
  }

  settle(place: SessionPlace, way: "finish" | "put-back"): Promise<void> {
    return this.#call("settle", place, way);
  }

  list(...args: Parameters<Workdirs["list"]>): ReturnType<Workdirs["list"]> {
    return this.#call("list", ...args);
  }

  read(...args: Parameters<Workdirs["read"]>): Promise<FilePiece> {
    return this.#call("read", ...args);
  }

  async edit(): Promise<void> {
    throw new RefusalError(REFUSE.notAtPlace("Opening a file in your editor"));
  }

  /** What cannot be done becomes a refusal that tells the user what to do. */
  async #call<Name extends WorkdirCall>(name: Name, ...args: Parameters<Workdirs[Name]>): Promise<AnswerOf<Name>> {
    try {
      return await this.#ask(name, ...args);
    } catch (error) {
      throw asRefusal(error, "changes" in WORKDIR_CALLS[name] ? "the changes" : null);
    }
  }

  async #ask<Name extends WorkdirCall>(name: Name, ...args: Parameters<Workdirs[Name]>): Promise<AnswerOf<Name>> {
    // The table has the port's own types, but for fields that are missing or undefined.
    return (await askPart(this.#link, "workdirs", name, WORKDIR_CALLS[name].answer, args)) as AnswerOf<Name>;
  }

  #later<Name extends WorkdirCall>(name: Name, ...args: Parameters<Workdirs[Name]>): void {
    this.#ask(name, ...args).catch((error: unknown) => this.#report(error));
  }

  /** A place that is unreachable or has no Git is not an error of the server. */
  #report(error: unknown): void {
    if (!(error instanceof PlaceError) && !(error instanceof RefusalError)) this.#onError(error);
  }
}

type AnswerOf<Name extends WorkdirCall> = Awaited<ReturnType<Workdirs[Name]>>;
