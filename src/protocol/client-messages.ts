import { z } from "zod";
import { Part } from "./entry.ts";
import { CliType, CommandId, EntryId, PermissionId, ProjectId, SessionId } from "./ids.ts";
import { Json } from "./json.ts";
import {
  ATTACHMENTS_MAX,
  DRAFT_CHARS_MAX,
  PAGE_ENTRIES_MAX,
  PATH_CHARS_MAX,
  PROMPT_CHARS_MAX,
  QUEUE_ITEMS_MAX,
  TITLE_CHARS_MAX,
} from "./limits.ts";
import { PermissionMode, PolicyScope, RULES_MAX, RuleDraft, RuleId } from "./permission-policy.ts";
import { QueueItem } from "./session-parts.ts";

const REQUEST_ID_CHARS_MAX = 200;
const TERMINAL_INPUT_CHARS_MAX = 64 * 1024;
const TERMINAL_CELLS_MAX = 1_000;
const envelope = {
  /** Correlates, within one connection: the one answer repeats it. */
  requestId: z.string().min(1).max(REQUEST_ID_CHARS_MAX).optional(),
  /** Makes a command act once, even over reconnects and restarts. */
  commandId: CommandId.optional(),
};
const limit = z.int().min(1).max(PAGE_ENTRIES_MAX).optional();
const message = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...envelope, ...shape });

/** One version of a program: never a range, a tag or an address. */
export const ExactVersion = z
  .string()
  .max(64)
  .regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/);
const sessionOnly = { sessionId: SessionId };
/** Whose policy: a session also stands for its project and its agent. */
const policyOf = {
  scope: PolicyScope,
  sessionId: SessionId.optional(),
  projectId: ProjectId.optional(),
  cliType: CliType.optional(),
};
const rules = z.array(RuleDraft).max(RULES_MAX);

/** The commands a session's own writer decides on. */
export const SessionCommand = z.discriminatedUnion("type", [
  message("session:send", {
    ...sessionOnly,
    content: z.string().max(PROMPT_CHARS_MAX),
    attachments: z.array(Part).max(ATTACHMENTS_MAX).optional(),
  }),
  message("session:queue-edit", { ...sessionOnly, items: z.array(QueueItem).max(QUEUE_ITEMS_MAX) }),
  /** Sends the last message again after its turn failed or was interrupted. */
  message("session:retry", sessionOnly),
  message("session:cancel", sessionOnly),
  message("session:kill", sessionOnly),
  message("session:archive", sessionOnly),
  message("session:unarchive", sessionOnly),
  message("session:rename", { ...sessionOnly, title: z.string().trim().min(1).max(TITLE_CHARS_MAX) }),
  message("session:configure", {
    ...sessionOnly,
    configId: z.string().max(200),
    value: z.union([z.string(), z.boolean()]),
  }),
  message("permission:respond", {
    ...sessionOnly,
    permissionId: PermissionId,
    optionId: z.string().optional(),
    outcome: z.literal("cancelled").optional(),
  }),
]);
export type SessionCommand = z.infer<typeof SessionCommand>;

/** What anyone may ask of the server: the page, the command line and MCP tools all send these and nothing else. */
export const ClientMessage = z.discriminatedUnion("type", [
  message("project:add", { path: z.string().min(1).max(PATH_CHARS_MAX) }),
  message("project:remove", { projectId: ProjectId }),
  message("project:list", {}),
  message("session:list", { projectId: ProjectId, includeArchived: z.boolean().optional() }),
  message("session:create", {
    projectId: ProjectId,
    cliType: CliType,
    title: z.string().trim().min(1).max(TITLE_CHARS_MAX).optional(),
    options: z.record(z.string(), Json).optional(),
  }),
  message("session:open", { ...sessionOnly, after: z.int().nonnegative().optional(), limit }),
  message("session:page", { ...sessionOnly, before: EntryId, limit }),
  message("session:close", sessionOnly),
  message("session:draft", { ...sessionOnly, content: z.string().max(DRAFT_CHARS_MAX) }),
  /** `restart` replaces a process that no longer reacts. */
  message("session:reconnect", { cliType: CliType, sessionId: SessionId.optional(), restart: z.boolean().optional() }),
  message("agent:list", {}),
  /** The catalog's version, unless one is named; updating is installing another. */
  message("agent:install", { cliType: CliType, version: ExactVersion.optional() }),
  message("agent:install-cancel", { cliType: CliType }),
  message("agent:uninstall", { cliType: CliType }),
  /** Back to the version that was in use before. */
  message("agent:rollback", { cliType: CliType }),
  message("agent:authenticate", { cliType: CliType, methodId: z.string().min(1).max(200) }),
  message("elicitation:respond", {
    sessionId: SessionId.optional(),
    elicitationId: z.string().min(1).max(200),
    action: z.enum(["accept", "decline", "cancel"]),
  }),
  message("terminal:input", { terminalId: z.string().max(200), data: z.string().max(TERMINAL_INPUT_CHARS_MAX) }),
  message("terminal:resize", {
    terminalId: z.string().max(200),
    columns: z.int().min(2).max(TERMINAL_CELLS_MAX),
    rows: z.int().min(2).max(TERMINAL_CELLS_MAX),
  }),
  message("terminal:close", { terminalId: z.string().max(200) }),
  message("policy:get", policyOf),
  /** Absent keeps; `mode: null` goes back to what the wider scope says. `rules` replaces all, then the rest changes some. */
  message("policy:set", {
    ...policyOf,
    mode: PermissionMode.nullable().optional(),
    rules: rules.optional(),
    add: rules.optional(),
    remove: z.array(RuleId).max(RULES_MAX).optional(),
  }),
  /** What requests of the past would have been answered with this mode, and with these rules beside the present ones. */
  message("policy:preview", { ...policyOf, mode: PermissionMode.optional(), rules: rules.optional(), limit }),
  message("policy:audit", { ...policyOf, limit }),
  ...SessionCommand.options,
]);
export type ClientMessage = z.infer<typeof ClientMessage>;
