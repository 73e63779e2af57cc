import type { PermissionMode, RuleDraft } from "../../src/protocol/permission-policy.ts";
import type { PermissionToolCall } from "../../src/protocol/session-parts.ts";

/** `{root}` is the session's directory, `{outside}` one beside it; the tree they hold is in `policy-tree.ts`. */
export interface PolicyCase {
  readonly what: string;
  readonly tool: Omit<PermissionToolCall, "toolCallId" | "name"> & { readonly name?: string };
  readonly mode?: PermissionMode;
  readonly rules?: readonly RuleDraft[];
  readonly expected: "allow" | "deny" | "ask";
}

type Tool = PolicyCase["tool"];

export const run = (command: string | string[], more: object = {}): Tool => ({
  kind: "execute",
  input: { command, ...more },
});
export const edit = (path: string, kind = "edit"): Tool => ({
  kind,
  locations: [{ path }],
  input: { file_path: path },
});
export const diff = (path: string): Tool => ({
  kind: "edit",
  parts: [{ type: "diff", path, oldText: "a", newText: "b" }],
});
export const allow = (command: string, exact?: true): RuleDraft => ({
  effect: "allow",
  command,
  ...(exact && { exact }),
});
export const deny = (command: string): RuleDraft => ({ effect: "deny", command });
export const allowIn = (path: string, kind?: RuleDraft["kind"]): RuleDraft => ({
  effect: "allow",
  path,
  ...(kind && { kind }),
});
export const denyIn = (path: string, kind?: RuleDraft["kind"]): RuleDraft => ({
  effect: "deny",
  path,
  ...(kind && { kind }),
});
export const allowKind = (kind: RuleDraft["kind"]): RuleDraft => ({ effect: "allow", kind });
export const denyKind = (kind: RuleDraft["kind"]): RuleDraft => ({ effect: "deny", kind });

export const NPM = [allow("npm test")];
export const GIT = [allow("git status"), allow("git add"), allow("git commit")];
export const PAST = "2026-01-01T00:00:00Z";
export const FUTURE = "2026-12-31T00:00:00Z";
