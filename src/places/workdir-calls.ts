import { z } from "zod/mini";
import type { Workdirs } from "../ports/workdirs.ts";
import {
  ChangeCounts,
  ChangedFile,
  ChangesScope,
  ChangesState,
  CheckpointId,
  CheckpointInfo,
  DECISION_ITEMS_MAX,
  DecisionItem,
  DirectoryEntry,
  FilePatch,
  FilePath,
  FilesVersion,
  LeftOutFile,
  RestorePreview,
  UndoId,
} from "../protocol/changes.ts";
import { SessionId, TurnId } from "../protocol/ids.ts";

const PATH_CHARS_MAX = 4_096;
const WRITTEN_FILES_MAX = 100_000;

const Directory = z.string().check(z.minLength(1), z.maxLength(PATH_CHARS_MAX));
export const PlaceThere = z.object({ sessionId: SessionId, cwd: Directory });
/** Below a directory; empty for the directory itself. */
const PathBelow = z.string().check(z.maxLength(PATH_CHARS_MAX));
const Paths = z.array(z.string());
const Items = z.array(DecisionItem).check(z.maxLength(DECISION_ITEMS_MAX));
const Count = z.int().check(z.nonnegative());
const NOTHING = z.null();

const TurnChanges = z.object({
  before: CheckpointId,
  after: CheckpointId,
  files: z.array(ChangedFile),
  total: z.int(),
  added: z.int(),
  removed: z.int(),
  isLate: z.boolean(),
  isShared: z.boolean(),
  leftOut: z.array(LeftOutFile),
});

const FilePiece = z.object({
  content: z.string(),
  from: z.int(),
  totalBytes: z.int(),
  next: z.optional(z.int()),
  binary: z.boolean(),
  modifiedAt: z.optional(z.string()),
});

/** What of the port a server keeps for itself: listeners, and what only its own machine can do. */
type AtServer = "onChanged" | "onDiscarded" | "watch" | "edit";
export type WorkdirCall = Exclude<keyof Workdirs, AtServer>;

interface Call {
  readonly args: z.ZodMiniType<readonly unknown[]>;
  readonly answer: z.ZodMiniType;
  /** It may change files: when its answer is lost, it is unknown whether it was carried out. */
  readonly changes?: true;
}

/** The port `Workdirs` as a runner serves it: what each call takes and gives. Directories are paths of its machine. */
export const WORKDIR_CALLS = {
  prepare: { args: z.tuple([PlaceThere]), answer: NOTHING },
  turnStarts: { args: z.tuple([PlaceThere, TurnId]), answer: NOTHING },
  turnContinues: { args: z.tuple([PlaceThere, TurnId]), answer: NOTHING },
  turnEnded: {
    args: z.tuple([PlaceThere, TurnId, z.array(z.string()).check(z.maxLength(WRITTEN_FILES_MAX))]),
    answer: z.nullable(TurnChanges),
  },
  touched: { args: z.tuple([PlaceThere]), answer: NOTHING },
  busySessions: { args: z.tuple([PlaceThere]), answer: z.array(SessionId) },
  prefixOf: { args: z.tuple([Directory]), answer: z.string() },
  openCounts: { args: z.tuple([PlaceThere]), answer: z.nullable(ChangeCounts) },
  changes: { args: z.tuple([PlaceThere, ChangesScope]), answer: ChangesState },
  patch: {
    args: z.tuple([PlaceThere, ChangesScope, z.object({ path: FilePath, whole: z.boolean() })]),
    answer: z.object({ version: FilesVersion, patch: FilePatch }),
  },
  decide: {
    args: z.tuple([
      PlaceThere,
      z.object({
        kind: z.enum(["keep", "discard"]),
        scope: ChangesScope,
        items: z.nullable(Items),
        expect: FilesVersion,
        mayWait: z.optional(z.boolean()),
      }),
    ]),
    answer: Paths,
    changes: true,
  },
  cancelWaiting: { args: z.tuple([PlaceThere, UndoId]), answer: NOTHING },
  undo: {
    args: z.tuple([PlaceThere, UndoId]),
    answer: z.object({ kind: z.enum(["keep", "discard", "restore"]), paths: Paths }),
    changes: true,
  },
  setViewed: {
    args: z.tuple([PlaceThere, z.object({ path: FilePath, expect: FilesVersion, viewed: z.boolean() })]),
    answer: NOTHING,
  },
  commit: {
    args: z.tuple([PlaceThere, z.object({ items: z.nullable(Items), message: z.string(), expect: FilesVersion })]),
    answer: z.object({ commit: z.string(), output: z.string() }),
    changes: true,
  },
  checkpoints: { args: z.tuple([PlaceThere]), answer: z.array(CheckpointInfo) },
  checkpointsIn: { args: z.tuple([PlaceThere]), answer: z.array(CheckpointInfo) },
  previewRestore: { args: z.tuple([PlaceThere, CheckpointId]), answer: RestorePreview },
  restore: {
    args: z.tuple([
      PlaceThere,
      z.object({ checkpointId: CheckpointId, paths: z.nullable(z.array(FilePath)), expect: FilesVersion }),
    ]),
    answer: z.object({ safety: CheckpointId, undoId: z.string(), paths: Paths }),
    changes: true,
  },
  settle: { args: z.tuple([PlaceThere, z.enum(["finish", "put-back"])]), answer: NOTHING, changes: true },
  list: {
    args: z.tuple([Directory, PathBelow, Count]),
    answer: z.object({ entries: z.array(DirectoryEntry), total: z.int() }),
  },
  read: {
    args: z.tuple([
      Directory,
      z.object({ path: PathBelow, at: z.nullable(CheckpointId), from: Count, bytesMax: Count }),
    ]),
    answer: FilePiece,
  },
} as const satisfies Readonly<Record<WorkdirCall, Call>>;
