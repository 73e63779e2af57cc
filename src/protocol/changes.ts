import { z } from "zod/mini";
import { SessionId, TurnId } from "./ids.ts";
import { PATH_CHARS_MAX } from "./limits.ts";

/** What agents do to files: checkpoints, what changed between two states, and the user's decisions about it. */

/** Names a stored state of the files of a working directory. */
export const CheckpointId = z
  .string()
  .check(z.regex(/^[a-z0-9-]{1,64}$/))
  .brand<"CheckpointId">();
export type CheckpointId = z.infer<typeof CheckpointId>;

/** The files as they were when they were shown. A command repeats it, and is refused when they have changed since. */
export const FilesVersion = z.string().check(z.regex(/^[0-9a-f-]{1,200}$/));
export type FilesVersion = z.infer<typeof FilesVersion>;

/**
 * From the top directory of the repository, or of a plain directory. A byte of a name that is not UTF-8 is a lone
 * surrogate (U+DC80 to U+DCFF), so every name comes back as it was.
 */
export const FilePath = z.string().check(z.minLength(1), z.maxLength(PATH_CHARS_MAX));

export const FileStatus = z.enum(["added", "modified", "deleted"]);
export type FileStatus = z.infer<typeof FileStatus>;

/** Lines; null for a file that is not text. */
const Lines = z.nullable(z.int().check(z.nonnegative()));

export const ChangedFile = z.object({ path: FilePath, status: FileStatus, added: Lines, removed: Lines });
export type ChangedFile = z.infer<typeof ChangedFile>;

export const ChangeCounts = z.object({ files: z.int(), added: z.int(), removed: z.int() });
export type ChangeCounts = z.infer<typeof ChangeCounts>;

export const LeftOutReason = z.enum([
  "too large",
  "too much",
  "not a file",
  "unreadable",
  "too many repositories",
  "ignored",
  "filtered",
]);
/**
 * What a checkpoint does not hold: it is neither restored nor deleted. `filtered`: it is held, but the output of its
 * Git filter is unknown, so changes from before the first turn are not shown.
 */
export const LeftOutFile = z.object({ path: z.string(), reason: LeftOutReason });
export type LeftOutFile = z.infer<typeof LeftOutFile>;

/** `base`: since the last commit. `unreviewed`: what the user has not decided about. `turn`: what one turn changed. */
export const ChangesScope = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("base") }),
  z.object({ kind: z.literal("unreviewed") }),
  z.object({ kind: z.literal("turn"), turnId: TurnId }),
]);
export type ChangesScope = z.infer<typeof ChangesScope>;

/** A file in the Changes view. `open`: places the user has not decided about, of `places` in all; null when not text. */
export const ReviewedFile = z.object({
  ...ChangedFile.shape,
  /** `kept`: everything in it is reviewed. `moved-on`: it changed after this turn, so it is decided about elsewhere. */
  review: z.enum(["open", "kept", "moved-on"]),
  /** The user has ticked it as viewed in this very version. */
  viewed: z.boolean(),
});
export type ReviewedFile = z.infer<typeof ReviewedFile>;

/** A decision that can be taken back. */
export const UndoId = z.string().check(z.regex(/^[a-z0-9-]{1,64}$/));
export const ReviewDecision = z.object({
  undoId: UndoId,
  kind: z.enum(["keep", "discard", "restore"]),
  at: z.string(),
  /** How many files it is about, and one of them. */
  files: z.int(),
  path: z.string(),
});
export type ReviewDecision = z.infer<typeof ReviewDecision>;

/** One place where a file differs. Lines count from 1; an empty range names the line before it. */
export const PatchHunk = z.object({
  hunkId: z.string(),
  oldStart: z.int(),
  oldCount: z.int(),
  newStart: z.int(),
  newCount: z.int(),
  /** The user has kept it. */
  isKept: z.boolean(),
  /** Removed lines, then added ones, without their line ends; the end of a last line without one is in `noEnd`. */
  oldLines: z.array(z.string()),
  newLines: z.array(z.string()),
  /** Unchanged lines before and after, of the new file. */
  before: z.array(z.string()),
  after: z.array(z.string()),
  noEnd: z.optional(z.enum(["old", "new", "both"])),
  /** The function or heading it is in, as Git finds it. */
  heading: z.optional(z.string()),
});
export type PatchHunk = z.infer<typeof PatchHunk>;

/**
 * `too-large`: shown on request (`whole`). `binary`, `link` and `mode` have no lines to show; `words` say what changed.
 */
export const FilePatch = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), hunks: z.array(PatchHunk), isWholeFile: z.boolean() }),
  z.object({ kind: z.literal("too-large"), lines: z.int(), bytes: z.int() }),
  z.object({ kind: z.enum(["binary", "link", "mode"]), words: z.string() }),
]);
export type FilePatch = z.infer<typeof FilePatch>;

export const CheckpointPhase = z.enum(["before", "after", "safety"]);
/** `late`: the turn had begun, or something had happened since its end, when it was taken. */
export const CheckpointInfo = z.object({
  checkpointId: CheckpointId,
  sessionId: z.optional(SessionId),
  turnId: z.optional(TurnId),
  phase: CheckpointPhase,
  at: z.string(),
  late: z.optional(z.literal(true)),
  /** The beginning of what the user said in its turn. */
  message: z.optional(z.string()),
  /** Where it was taken, if the session has moved since. It can be restored there only. */
  place: z.optional(z.string()),
});
export type CheckpointInfo = z.infer<typeof CheckpointInfo>;

/** What a restore would do to a file: `created` and `deleted` are what happens to it, not what the agent did. */
export const RestoreItem = z.object({
  path: FilePath,
  effect: z.enum(["changed", "created", "deleted"]),
  added: Lines,
  removed: Lines,
});
export type RestoreItem = z.infer<typeof RestoreItem>;

export const RestorePreview = z.object({
  checkpoint: CheckpointInfo,
  version: FilesVersion,
  /** Changed by turns of this session and by nobody since. */
  own: z.array(RestoreItem),
  /** Changed by somebody else, or again since: restored only when chosen. */
  changedSince: z.array(RestoreItem),
  impossible: z.array(LeftOutFile),
  /** More files than one message holds: the lists are cut after this many. */
  total: z.int(),
});
export type RestorePreview = z.infer<typeof RestorePreview>;

export const CHANGED_FILES_MAX = 2_000;
export const ENTRY_FILES_MAX = 50;
export const ENTRY_LEFT_OUT_MAX = 20;
export const DECISION_ITEMS_MAX = 2_000;
export const DECISION_HUNKS_MAX = 5_000;
/** A larger difference is shown on request. */
export const PATCH_LINES_MAX = 5_000;
export const PATCH_BYTES_MAX = 512 * 1024;
/** Also on request no more than this. */
export const WHOLE_PATCH_BYTES_MAX = 8 * 1024 * 1024;
export const CONTEXT_LINES_DEFAULT = 3;
export const COMMIT_MESSAGE_CHARS_MAX = 20_000;
export const CHECKPOINTS_LISTED_MAX = 500;
/** Of one file, in one answer. */
export const FILE_PIECE_BYTES_MAX = 1024 * 1024;
export const DIRECTORY_ENTRIES_MAX = 500;

/** What a decision is about: a whole file, or some places in it. */
export const DecisionItem = z.object({
  path: FilePath,
  hunkIds: z.optional(
    z.array(z.string().check(z.maxLength(100))).check(z.minLength(1), z.maxLength(DECISION_HUNKS_MAX)),
  ),
});
export type DecisionItem = z.infer<typeof DecisionItem>;

/** A submodule that points to another commit. Null: there is none on that side. */
export const MovedSubmodule = z.object({ path: z.string(), from: z.nullable(z.string()), to: z.nullable(z.string()) });

export const WAITING_ITEMS_MAX = 500;
/** A discard that waits until no turn runs in the directory. */
export const WaitingDiscard = z.object({
  waitId: UndoId,
  at: z.string(),
  /** How many files it is about, and one of them. */
  files: z.int(),
  path: z.string(),
  /** What it takes back, as it was asked for; cut after some. */
  items: z.array(DecisionItem),
  /** Why it was not carried out at the end of the turn. */
  problem: z.optional(z.string()),
});
export type WaitingDiscard = z.infer<typeof WaitingDiscard>;

/** What the Changes view shows of a session's working directory. */
export const ChangesState = z.object({
  scope: ChangesScope,
  /** Of the files as they are now. */
  version: FilesVersion,
  /** Where the session's own directory is below the top that paths start from; empty when it is the top. */
  prefix: z.string(),
  files: z.array(ReviewedFile),
  /** More than `files` holds. */
  total: z.int(),
  counts: z.object({ base: ChangeCounts, unreviewed: ChangeCounts, turn: z.nullable(ChangeCounts) }),
  /** Newest first: what can be undone. */
  decisions: z.array(ReviewDecision),
  /** Oldest first. */
  waiting: z.array(WaitingDiscard),
  leftOut: z.array(LeftOutFile),
  /** Since the last commit. Checkpoints hold the files of submodules, not these. */
  submodules: z.array(MovedSubmodule),
  /** Null for a directory without Git: since the first checkpoint then. */
  head: z.nullable(z.object({ branch: z.nullable(z.string()), commit: z.nullable(z.string()) })),
  /** The turn that `turn` counts: the last one that changed files, or the running one. */
  lastTurnId: z.nullable(TurnId),
  /** A restore or discard that was cut off: the user finishes it or puts it back. */
  cutOff: z.nullable(z.object({ checkpointId: CheckpointId, files: z.int() })),
});
export type ChangesState = z.infer<typeof ChangesState>;

export const DirectoryEntry = z.object({
  name: z.string(),
  kind: z.enum(["file", "directory", "link", "other"]),
  ignored: z.boolean(),
  /** Changed since the last commit. */
  status: z.optional(FileStatus),
});
export type DirectoryEntry = z.infer<typeof DirectoryEntry>;

/**
 * The path of a file as an agent has to name it: paths of changes start at the top of the repository, an agent in a
 * directory below it starts at its own. `prefix` is the way from the top to that directory.
 */
export function pathFromDirectory(path: string, prefix: string): string {
  const [names, steps] = [path.split("/"), prefix === "" ? [] : prefix.split("/")];
  const different = steps.findIndex((step, index) => step !== names[index]);
  const common = different === -1 ? steps.length : different;
  return [...steps.slice(common).map(() => ".."), ...names.slice(common)].join("/");
}
