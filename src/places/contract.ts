import { z } from "zod/mini";
import { directoriesFields } from "../protocol/directories.ts";
import { ErrorCode } from "../protocol/errors.ts";
import { ProjectId, SessionId, TurnId } from "../protocol/ids.ts";
import { FilesFound } from "../protocol/session-messages.ts";
import { TerminalInfo } from "../protocol/terminals.ts";
import { PlaceThere } from "./workdir-calls.ts";

/** Versions of this contract that this release supports, newest first: each one adds to those before. */
export const CONTRACT_VERSIONS: readonly number[] = [3, 2, 1];
/** The first version whose runners have a workspace: files, changes, checkpoints, terminals. */
export const WORKSPACE_VERSION = 2;
/** The first version whose runners have worktrees, with merges and the conflict radar. */
export const WORKTREES_VERSION = 3;

const PATH_CHARS_MAX = 4_096;
const ID = /^[A-Za-z0-9-]{1,36}$/;
const QUERY_CHARS_MAX = 1_000;
const FILES_FOUND_MAX = 200;
const ENTRIES_LISTED_MAX = 5_000;
const ENVIRONMENT_VALUES_MAX = 500;
/** One call of our tools, as JSON. */
export const TOOL_CALL_CHARS_MAX = 1024 * 1024;
export const TOKEN_CHARS_MAX = 1_000;

const Channel = z.int().check(z.minimum(1), z.maximum(0xffff_ffff));
const ProcessId = z.string().check(z.regex(ID));
const Path = z.string().check(z.minLength(1), z.maxLength(PATH_CHARS_MAX));
const Request = z.int().check(z.minimum(1));

/** Requests to a runner, besides processes. */
export const Ask = z.discriminatedUnion("type", [
  /** The real path of a directory, from the root or from `~`. */
  z.object({ type: z.literal("directory:find"), path: Path }),
  /** Completions of a path that is being typed. */
  z.object({ type: z.literal("directory:complete"), path: z.string().check(z.maxLength(PATH_CHARS_MAX)) }),
  z.object({
    type: z.literal("files:search"),
    root: Path,
    query: z.string().check(z.maxLength(QUERY_CHARS_MAX)),
    limit: z.int().check(z.minimum(1), z.maximum(FILES_FOUND_MAX)),
  }),
  z.object({
    type: z.literal("files:list"),
    root: Path,
    /** Below the root; empty for the root itself. */
    path: z.string().check(z.maxLength(PATH_CHARS_MAX)),
    entriesMax: z.int().check(z.minimum(1), z.maximum(ENTRIES_LISTED_MAX)),
  }),
  z.object({ type: z.literal("file:read"), root: Path, path: Path }),
  z.object({ type: z.literal("file:write"), root: Path, path: Path, content: z.string() }),
  z.object({ type: z.literal("processes:list") }),
  /** A call of the workspace there, by its name in its port. Its own table has the parameters and results. */
  z.object({
    type: z.literal("workspace:call"),
    part: z.enum(["workdirs", "terminals", "worktrees", "merging", "radar", "commands"]),
    call: z.string(),
    args: z.array(z.unknown()),
  }),
]);
export type Ask = z.infer<typeof Ask>;

/** The answer to each of them. */
export const ANSWERS = {
  "directory:find": z.object({ path: z.string() }),
  "directory:complete": z.object(directoriesFields),
  "files:search": z.pick(FilesFound, { files: true, isPartial: true }),
  "files:list": z.object({
    entries: z.array(
      z.object({ name: z.string(), kind: z.string(), ignored: z.boolean(), status: z.optional(z.string()) }),
    ),
    total: z.int(),
  }),
  "file:read": z.object({ content: z.string() }),
  "file:write": z.object({}),
  "processes:list": z.object({ processes: z.array(z.object({ id: z.string(), label: z.string() })) }),
  "workspace:call": z.object({ result: z.unknown() }),
} as const;
export type AnswerTo<Type extends Ask["type"]> = z.infer<(typeof ANSWERS)[Type]>;

/** The first version whose runners have a part of the workspace. */
export function versionOfPart(part: Extract<Ask, { type: "workspace:call" }>["part"]): number {
  return part === "workdirs" || part === "terminals" ? WORKSPACE_VERSION : WORKTREES_VERSION;
}

/** How a process is started there. */
const Start = z.object({
  /** What a later server needs to resume it; not interpreted there. */
  label: z.string(),
  /** Null starts the built-in agent of the runner's own release. */
  command: z.nullable(z.array(z.string()).check(z.minLength(1))),
  cwd: Path,
  /** Added to the environment of the runner. */
  env: z
    .record(z.string(), z.string())
    .check(z.refine((env) => Object.keys(env).length <= ENVIRONMENT_VALUES_MAX, { error: "too many values" })),
  holdMs: z.int().check(z.minimum(1)),
  checkpointBytes: z.int().check(z.minimum(1)),
  journalBytesMax: z.int().check(z.minimum(1)),
});
export type Start = z.infer<typeof Start>;

/** What a runner has to know before it can serve the workspace: it lives no longer than its connection. */
const Workspace = z.object({
  /** False: the user has switched checkpoints off. */
  checkpoints: z.boolean(),
  vaultBytesMax: z.int().check(z.minimum(1)),
  /** Without a server for this long, a terminal ends. */
  holdMs: z.int().check(z.minimum(1)),
  /** Turns that run there now. */
  running: z.array(z.object({ place: PlaceThere, turnId: TurnId })),
});
export type Workspace = z.infer<typeof Workspace>;

/** Events of a workspace. */
export const WorkspaceEvent = z.discriminatedUnion("kind", [
  /** The changes of a viewed session may have changed. */
  z.object({ kind: z.literal("changed"), sessionId: SessionId }),
  /** A discard that has waited was carried out, or could not be. */
  z.object({
    kind: z.literal("discarded"),
    sessionId: SessionId,
    paths: z.array(z.string()),
    problem: z.nullable(z.string()),
  }),
  /** A terminal was opened, closed or resized, or its program has ended. All terminals come along. */
  z.object({ kind: z.literal("terminal"), terminal: TerminalInfo, terminals: z.array(TerminalInfo) }),
  /** For a reader of a terminal. */
  z.object({
    kind: z.literal("output"),
    reader: z.int(),
    data: z.string(),
    offset: z.int(),
    skipped: z.int(),
    size: z.nullable(z.object({ columns: z.int(), rows: z.int() })),
  }),
  /** After all output of a reader. */
  z.object({ kind: z.literal("output-ended"), reader: z.int(), exitCode: z.nullable(z.int()) }),
  /** From version 3 on: a worktree of a project has changed, or what the conflict radar knows of them. */
  z.object({ kind: z.enum(["worktrees", "radar"]), projectId: ProjectId }),
  /** An error of background work. */
  z.object({ kind: z.literal("fault"), message: z.string() }),
]);
export type WorkspaceEvent = z.infer<typeof WorkspaceEvent>;

/** How an agent there starts the program that leads to our tools. */
const ToolRelay = z.object({
  command: z.array(z.string()).check(z.minLength(1)),
  env: z.record(z.string(), z.string()),
});
export type ToolRelay = z.infer<typeof ToolRelay>;

/** Why a call was refused, for the user. */
const Refusal = z.object({
  code: ErrorCode,
  message: z.string(),
  details: z.optional(z.string()),
  fields: z.optional(z.record(z.string(), z.string())),
});

/** Server to runner. The first one is `hello`. */
export const FromServer = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    versions: z.array(z.int()).check(z.minLength(1), z.maxLength(16)),
    /** Which server: agents of others are not touched. */
    server: ProcessId,
    /** Rises with every start of that server; a runner never goes back. */
    epoch: z.int().check(z.minimum(1)),
    release: z.string(),
    /** It answers calls of our tools. A server that does not say so gets none. */
    tools: z.optional(z.boolean()),
  }),
  /** Opens a channel to a process: the one that runs under this id, else a new one if `start` says how. */
  z.object({ type: z.literal("open"), channel: Channel, process: ProcessId, start: z.nullable(Start) }),
  z.object({ type: z.literal("close"), channel: Channel }),
  /** Ends the holder of a process at once. */
  z.object({ type: z.literal("kill"), process: ProcessId }),
  /** Its holder was killed, and its output is stored. */
  z.object({ type: z.literal("remove"), process: ProcessId }),
  z.object({ type: z.literal("ask"), id: Request, ask: Ask }),
  /** Once for each connection, before the first call. */
  z.object({ type: z.literal("workspace"), workspace: Workspace }),
  /** The sessions whose changes are viewed: all of them. */
  z.object({ type: z.literal("watched"), places: z.array(PlaceThere) }),
  /** A piece of the answer to a call of our tools. */
  z.object({
    type: z.literal("tools:answer"),
    id: Request,
    /** Of HTTP; the same in each piece. */
    status: z.int().check(z.minimum(200), z.maximum(599)),
    text: z.string(),
    isLast: z.boolean(),
  }),
]);
export type FromServer = z.infer<typeof FromServer>;

export const RefusalCode = z.enum(["VERSION", "EPOCH", "BUSY", "DISK", "PATH_TOO_LONG", "INVALID"]);
export type RefusalCode = z.infer<typeof RefusalCode>;

/** Runner to server. The first one is `welcome` or `refused`. */
export const FromRunner = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("welcome"),
    version: z.int(),
    release: z.string(),
    platform: z.string(),
    home: z.string(),
    /** The program that leads an agent there to our tools. Missing: the runner cannot lead there. */
    tools: z.optional(ToolRelay),
  }),
  /** Nothing more comes after it. The message says how to fix it. */
  z.object({ type: z.literal("refused"), code: RefusalCode, message: z.string() }),
  /** The holder behind this channel has ended, or there was none. */
  z.object({ type: z.literal("gone"), channel: Channel, reason: z.string() }),
  z.object({ type: z.literal("answer"), id: Request, result: z.unknown() }),
  z.object({ type: z.literal("failed"), id: Request, message: z.string(), refusal: z.optional(Refusal) }),
  z.object({ type: z.literal("event"), event: WorkspaceEvent }),
  /** A call of our tools by an agent there: the body of a request to `/mcp`, with the token of its session. */
  z.object({
    type: z.literal("tools:call"),
    id: Request,
    token: z.string().check(z.maxLength(TOKEN_CHARS_MAX)),
    body: z.string().check(z.maxLength(TOOL_CALL_CHARS_MAX)),
  }),
  /** Nobody waits for its answer any more. */
  z.object({ type: z.literal("tools:cancel"), id: Request }),
]);
export type FromRunner = z.infer<typeof FromRunner>;

/** The newest common version; null if there is none. */
export function commonVersion(ours: readonly number[], theirs: readonly number[]): number | null {
  const common = ours.filter((version) => theirs.includes(version));
  return common.length === 0 ? null : Math.max(...common);
}
