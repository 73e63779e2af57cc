import { z } from "zod/mini";
import { ProjectId, SessionId } from "./ids.ts";
import { TITLE_CHARS_MAX } from "./limits.ts";

/** Terminals of projects and worktrees, and the services of `liminal.json` that run in them. */

export const TerminalId = z.string().check(z.minLength(1), z.maxLength(200));
export type TerminalId = z.infer<typeof TerminalId>;

export const TERMINAL_INPUT_CHARS_MAX = 64 * 1024;
export const TERMINAL_CELLS_MAX = 1_000;

const WorktreeKey = z.string().check(z.maxLength(64));

/** Where it runs: the project's own directory without a worktree. */
const place = { projectId: ProjectId, worktreeId: z.nullable(WorktreeKey) };
const columns = z.int().check(z.minimum(2), z.maximum(TERMINAL_CELLS_MAX));
const rows = z.int().check(z.minimum(2), z.maximum(TERMINAL_CELLS_MAX));

/** A terminal that is held by a process of its own. The sign-in of an agent is not one of these. */
export const TerminalInfo = z.object({
  terminalId: TerminalId,
  ...place,
  kind: z.enum(["shell", "setup", "teardown", "service"]),
  /** The name of the shell or service. Never taken from the output: a program must not choose what it is called. */
  title: z.string(),
  cwd: z.string(),
  startedAt: z.string(),
  /** Null while it runs. */
  end: z.nullable(z.object({ exitCode: z.nullable(z.int()), at: z.string() })),
  columns: z.int(),
  rows: z.int(),
});
export type TerminalInfo = z.infer<typeof TerminalInfo>;

export const ServiceInfo = z.object({
  ...place,
  name: z.string(),
  command: z.string(),
  /** `asks`: the user has not agreed to this command yet. `waiting`: it ended and is started again soon. */
  state: z.enum(["asks", "stopped", "running", "waiting", "failed"]),
  /** Repeated with the consent. */
  hash: z.string(),
  port: z.nullable(z.int()),
  url: z.nullable(z.string()),
  terminalId: z.nullable(TerminalId),
  startedAt: z.nullable(z.string()),
  restarts: z.int(),
  lastEnd: z.nullable(z.object({ exitCode: z.nullable(z.int()), at: z.string() })),
  /** Why it does not run, and what to do. */
  problem: z.optional(z.string()),
});
export type ServiceInfo = z.infer<typeof ServiceInfo>;

/** A command of `liminal.json` that the user agreed to. */
export const CommandConsent = z.object({
  hash: z.string(),
  /** `setup`, `teardown`, or `service:<name>`. */
  kind: z.string(),
  /** Its beginning, if it is long. */
  command: z.string(),
  at: z.string(),
});
export type CommandConsent = z.infer<typeof CommandConsent>;

const serviceName = z.string().check(z.minLength(1), z.maxLength(100));
const service = { ...place, name: serviceName };

/** Bodies of the messages that clients send, by type. `terminal:input`, `resize` and `close` are older and also for sign-ins. */
export const TERMINAL_REQUESTS = {
  /** Answered with all terminals; from then on `terminal:list` comes with every change. */
  "terminal:list": {},
  /** A shell. With a session: where that session works. */
  "terminal:open": {
    projectId: z.optional(ProjectId),
    worktreeId: z.optional(WorktreeKey),
    sessionId: z.optional(SessionId),
    title: z.optional(z.string().check(z.minLength(1), z.maxLength(TITLE_CHARS_MAX))),
    columns: z.optional(columns),
    rows: z.optional(rows),
  },
  /** `after`: the offset up to which this client has the output. Output follows from there, or from where it is kept. */
  "terminal:attach": {
    terminalId: TerminalId,
    after: z.optional(z.int().check(z.nonnegative())),
    /** `binary`: output comes in binary frames (`terminal-frames.ts`), else as `terminal:output`. */
    output: z.optional(z.enum(["text", "binary"])),
  },
  "terminal:detach": { terminalId: TerminalId },
  /** The client has shown everything up to this offset. */
  "terminal:ack": { terminalId: TerminalId, offset: z.int().check(z.nonnegative()) },
  "service:list": place,
  /** `hash`: the user agrees to the command with this hash. Not needed once they have. */
  "service:start": { ...service, hash: z.optional(z.string().check(z.maxLength(200))) },
  "service:stop": service,
  "service:restart": service,
  /** The commands of a project that the user agreed to. */
  "service:consents": { projectId: ProjectId },
  /** The command asks again before it runs. What runs already goes on. */
  "service:revoke": { projectId: ProjectId, hash: z.string().check(z.maxLength(200)) },
} as const;

/** Bodies of the messages that the server sends, by type. */
export const TERMINAL_ANSWERS = {
  "terminal:list": { terminals: z.array(TerminalInfo) },
  /**
   * `offset` counts the bytes of the output from the start of the terminal. `skipped` bytes before it are no longer kept.
   * `prelude` resets the screen and puts it into the state that the kept output assumes (modes, attributes). It is empty
   * when the output continues where the client is. `columns` and `rows` are the size that the kept output begins with.
   */
  "terminal:attached": {
    terminal: TerminalInfo,
    offset: z.int(),
    skipped: z.int(),
    prelude: z.string(),
    columns: z.int(),
    rows: z.int(),
  },
  /**
   * `offset`, of a project's terminal: where the output stands after `data`, in bytes. `skipped` bytes before `data` were
   * left out, because the client was too slow; `data` then begins by resetting the screen. `columns` and `rows`: the
   * terminal has this size from the start of `data` on.
   */
  "terminal:output": {
    terminalId: z.string(),
    data: z.string(),
    offset: z.optional(z.int()),
    skipped: z.optional(z.int()),
    columns: z.optional(z.int()),
    rows: z.optional(z.int()),
  },
  /** Also published whenever something of it changes. */
  "service:list": { ...place, services: z.array(ServiceInfo), problem: z.optional(z.string()) },
  "service:consents": { projectId: ProjectId, consents: z.array(CommandConsent) },
} as const;
