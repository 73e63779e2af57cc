import type {
  ChangeCounts,
  ChangedFile,
  ChangesScope,
  ChangesState,
  CheckpointId,
  CheckpointInfo,
  DecisionItem,
  DirectoryEntry,
  FilePatch,
  LeftOutFile,
  RestorePreview,
} from "../protocol/changes.ts";
import type { SessionId, TurnId } from "../protocol/ids.ts";

/** Whose files: a session, and the directory it works in. Sessions of one repository share its working directory. */
export interface SessionPlace {
  readonly sessionId: SessionId;
  readonly cwd: string;
}

/** What changed in the files during a turn. */
export interface TurnChanges {
  readonly before: CheckpointId;
  readonly after: CheckpointId;
  /** Up to the limit of an entry; `total` counts all of them. */
  readonly files: readonly ChangedFile[];
  readonly total: number;
  readonly added: number;
  readonly removed: number;
  readonly isLate: boolean;
  /** Another session worked in the same directory meanwhile. */
  readonly isShared: boolean;
  readonly leftOut: readonly LeftOutFile[];
}

export interface Restored {
  readonly safety: CheckpointId;
  readonly undoId: string;
  readonly paths: readonly string[];
}

/** A discard that waits for the end of a turn. */
export interface DiscardedLater {
  readonly sessionId: SessionId;
  readonly paths: readonly string[];
  /** Why it was not carried out. */
  readonly problem: string | null;
}

export interface FilePiece {
  readonly content: string;
  readonly from: number;
  readonly totalBytes: number;
  readonly next?: number;
  readonly binary: boolean;
  readonly modifiedAt?: string;
}

/**
 * Everything that uses the files of a working directory, Git, or an editor: on this machine, or at a place. Failures
 * throw a `RefusalError`.
 */
export interface Workdirs {
  /** A session will work there: prepares what the first checkpoint needs. */
  prepare(place: SessionPlace): void;
  /**
   * A turn is about to be sent to the agent: takes the checkpoint before it. Resolves when that is stored, failed, or
   * takes too long; then the turn need not wait. Never rejects.
   */
  turnStarts(place: SessionPlace, turnId: TurnId): Promise<void>;
  /** An earlier server has sent this turn, and it is still running. */
  turnContinues(place: SessionPlace, turnId: TurnId): void;
  /**
   * The turn is over: takes the checkpoint after it. Null when nothing changed, or when there are no checkpoints here.
   * `written`: files that the agent's tools named as changed. Those that checkpoints do not hold are left out by name.
   */
  turnEnded(place: SessionPlace, turnId: TurnId, written: readonly string[]): Promise<TurnChanges | null>;
  /** A tool of the agent may have changed files: viewers get the new state. */
  touched(place: SessionPlace): void;
  /** Turns that run in the same working directory: of other sessions, and of this one. */
  busySessions(place: SessionPlace): Promise<readonly SessionId[]>;
  /** The path from the top of its repository to a directory; empty when it is the top. */
  prefixOf(cwd: string): Promise<string>;
  /** Called with the session whose changes may have changed. */
  onChanged(listener: (sessionId: SessionId) => void): Disposable;
  /** While someone views the changes, files are checked after each tool call. */
  watch(place: SessionPlace): Disposable;

  /** Files that turns of the session changed and that are neither reviewed nor committed. */
  openCounts(place: SessionPlace): Promise<ChangeCounts | null>;
  changes(place: SessionPlace, scope: ChangesScope): Promise<ChangesState>;
  patch(
    place: SessionPlace,
    scope: ChangesScope,
    file: { readonly path: string; readonly whole: boolean },
  ): Promise<{ readonly version: string; readonly patch: FilePatch }>;
  /** Returns the files that this changed: none when changes are kept. */
  decide(
    place: SessionPlace,
    decision: {
      readonly kind: "keep" | "discard";
      readonly scope: ChangesScope;
      /** Null: everything in the scope that is open. */
      readonly items: readonly DecisionItem[] | null;
      readonly expect: string;
      /** A discard waits while a turn runs in the directory. */
      readonly mayWait?: boolean;
    },
  ): Promise<readonly string[]>;
  cancelWaiting(place: SessionPlace, waitId: string): Promise<void>;
  /** Called when a discard that waited was carried out, or could not be. */
  onDiscarded(listener: (discarded: DiscardedLater) => void): Disposable;
  /** Returns the files that this changed, and the decision that was undone. */
  undo(
    place: SessionPlace,
    undoId: string,
  ): Promise<{ readonly kind: "keep" | "discard" | "restore"; readonly paths: readonly string[] }>;
  setViewed(place: SessionPlace, file: { path: string; expect: string; viewed: boolean }): Promise<void>;
  commit(
    place: SessionPlace,
    commit: { readonly items: readonly DecisionItem[] | null; readonly message: string; readonly expect: string },
  ): Promise<{ readonly commit: string; readonly output: string }>;

  /** Newest first. */
  checkpoints(place: SessionPlace): Promise<readonly CheckpointInfo[]>;
  /** Those of this session alone. Empty for a directory that has none or does not exist. */
  checkpointsIn(place: SessionPlace): Promise<readonly CheckpointInfo[]>;
  previewRestore(place: SessionPlace, checkpointId: CheckpointId): Promise<RestorePreview>;
  /** `paths` null: what the preview calls `own`. */
  restore(
    place: SessionPlace,
    restore: {
      readonly checkpointId: CheckpointId;
      readonly paths: readonly string[] | null;
      readonly expect: string;
    },
  ): Promise<Restored>;
  settle(place: SessionPlace, way: "finish" | "put-back"): Promise<void>;

  list(
    directory: string,
    path: string,
    entriesMax: number,
  ): Promise<{ readonly entries: readonly DirectoryEntry[]; readonly total: number }>;
  read(
    directory: string,
    file: { readonly path: string; readonly at: CheckpointId | null; readonly from: number; readonly bytesMax: number },
  ): Promise<FilePiece>;
  edit(directory: string, path: string, line: number | null): Promise<void>;
}
