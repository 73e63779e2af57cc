import { z } from "zod/mini";
import { PermissionId, SessionId } from "./ids.ts";

/** The answer to requests without a matching rule: ask, allow edits inside the session's directory, allow everything. */
export const PermissionMode = z.enum(["ask", "edits", "all"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** The scope of a mode or a rule; the narrowest mode applies, rules of all three apply together. */
export const PolicyScope = z.enum(["session", "project", "agent"]);
export type PolicyScope = z.infer<typeof PolicyScope>;

export const ToolKind = z.enum([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
]);
export type ToolKind = z.infer<typeof ToolKind>;

/** Kinds of tools that are about files; a rule by path without a kind covers these. */
export const FILE_KINDS: ReadonlySet<string> = new Set<ToolKind>(["read", "edit", "delete", "move", "search"]);

export const RULES_MAX = 200;
const COMMAND_CHARS_MAX = 1_000;
const GLOB_CHARS_MAX = 1_000;
const TOOL_CHARS_MAX = 300;

const fields = {
  effect: z.enum(["allow", "deny"]),
  kind: z.optional(ToolKind),
  /** A glob: relative to the session's directory, or from the root of the disk. */
  path: z.optional(z.string().check(z.minLength(1), z.maxLength(GLOB_CHARS_MAX))),
  /** The first words of a command. */
  command: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(COMMAND_CHARS_MAX))),
  /** The exact command, with nothing after it. */
  exact: z.optional(z.boolean()),
  /** A tool of an MCP server, as `mcp:server/tool`; `mcp:server/*` means all of its tools. */
  tool: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(TOOL_CHARS_MAX))),
  expiresAt: z.optional(z.iso.datetime()),
};

/** A stored rule: read tolerantly, because a later version may have more fields. */
export const StoredRule = z.object(fields);

/** A new rule. An unknown field is refused: dropping it silently would widen the rule. */
export const RuleDraft = z.strictObject(fields).check(({ value, issues }) => {
  const problem = problemOf(value);
  if (problem) issues.push({ code: "custom", message: problem, input: value });
});
export type RuleDraft = z.infer<typeof RuleDraft>;

export const RuleId = z.string().check(z.minLength(1), z.maxLength(200));

export const PolicyRule = z.extend(StoredRule, { id: RuleId, createdAt: z.string() });
export type PolicyRule = z.infer<typeof PolicyRule>;

/** `options.policy` of a new session: a mode, or a mode with rules. */
export const StartingPolicy = z.union([
  PermissionMode,
  z.strictObject({
    mode: z.optional(PermissionMode),
    rules: z.optional(z.array(RuleDraft).check(z.maxLength(RULES_MAX))),
  }),
]);
export type StartingPolicy = z.infer<typeof StartingPolicy>;

/** A request that the policy answered: its subject, the answer, and the reason. */
export const AuditEntry = z.object({
  sessionId: SessionId,
  permissionId: PermissionId,
  at: z.string(),
  answer: z.enum(["allowed", "denied"]),
  why: z.string(),
  /** The command, the paths, or the tool's own name. */
  what: z.string(),
  kind: z.optional(z.string()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** A past request, its answer then, and what a policy would have answered. */
export const PreviewItem = z.object({
  sessionId: SessionId,
  permissionId: PermissionId,
  askedAt: z.string(),
  what: z.string(),
  kind: z.optional(z.string()),
  answered: z.optional(z.enum(["allowed", "denied", "cancelled"])),
  by: z.optional(z.enum(["user", "policy"])),
  would: z.enum(["allow", "deny", "ask"]),
  why: z.string(),
  /** The current policy would answer differently. */
  differs: z.boolean(),
});
export type PreviewItem = z.infer<typeof PreviewItem>;

function problemOf({
  kind,
  path,
  command,
  exact,
  tool,
}: { kind?: string | undefined } & Partial<Record<"path" | "command" | "tool", string | undefined>> & {
    exact?: boolean | undefined;
  }) {
  if (kind === undefined && path === undefined && command === undefined && tool === undefined)
    return "a rule needs a tool kind, a path, a command or a tool; to allow everything, set the mode";
  if (tool !== undefined) {
    if (kind !== undefined || path !== undefined || command !== undefined || exact !== undefined)
      return "a rule for a tool cannot have other conditions";
    return TOOL_PATTERN.test(tool) ? null : "write a tool as mcp:server/tool, or mcp:server/* for all of its tools";
  }
  if (path !== undefined && command !== undefined) return "a rule has a path or a command, not both";
  if (command !== undefined && kind !== undefined && kind !== "execute")
    return "a command rule must have the kind execute";
  if (path !== undefined && kind !== undefined && !FILE_KINDS.has(kind))
    return "a path rule must have a kind that works on files";
  if (exact !== undefined && command === undefined) return "only a command can be matched exactly";
  return path === undefined ? null : globProblem(path);
}

const TOOL_PATTERN = /^mcp:(\*|[\w.-]+)\/(\*|[\w.-]+\*?)$/;

function globProblem(glob: string): string | null {
  if (glob.split("/").includes("..")) return "a path pattern must not go up with .. segments";
  if (/^~|\\|\0|^\.\//.test(glob)) return "a path pattern must be relative to the session's directory, or start with /";
  return null;
}
