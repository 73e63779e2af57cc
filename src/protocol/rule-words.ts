import type { PermissionMode, PolicyScope, RuleDraft, ToolKind } from "./permission-policy.ts";

const KIND_WORDS: Readonly<Record<ToolKind, string>> = {
  read: "reading",
  edit: "edits",
  delete: "deleting files",
  move: "moving files",
  search: "searching",
  execute: "every command",
  think: "thinking tools",
  fetch: "fetching from the web",
  switch_mode: "switching the agent's mode",
  other: "tools without a kind",
};

/** Kinds that a rule without a path covers inside the session's directory only. */
const INSIDE_ONLY: ReadonlySet<ToolKind> = new Set<ToolKind>(["read", "edit", "delete", "move", "search"]);

/** A rule as a sentence, exactly as it is evaluated. */
export function ruleWords({ effect, kind, path, command, exact, tool }: RuleDraft): string {
  const verb = effect === "allow" ? "Allow" : "Deny";
  if (tool !== undefined)
    return `${verb} the tool ${tool}`.replace(/^(\w+) the tool mcp:([^/]+)\/\*$/, "$1 all tools of $2");
  if (command !== undefined) {
    if (exact) return `${verb} exactly "${command}"`;
    // An allowing rule covers less than its prefix; a denying one covers all of it.
    return effect === "allow"
      ? `Allow "${command}" with arguments known to be harmless, inside the session's directory`
      : `Deny commands that start with "${command}"`;
  }
  if (path !== undefined) return `${verb} ${kind === undefined ? touching(effect) : KIND_WORDS[kind]} in ${path}`;
  if (kind === undefined) return `${verb} nothing`;
  const where = effect === "allow" && INSIDE_ONLY.has(kind) ? " inside the session's directory" : "";
  return `${verb} ${KIND_WORDS[kind]}${where}`;
}

function touching(effect: RuleDraft["effect"]): string {
  return effect === "allow" ? "reading and changing files" : "any file access";
}

/** The user's choices as text. */
export const MODE_WORDS: Readonly<Record<PermissionMode, string>> = {
  ask: "Ask every time",
  edits: "Allow edits inside the session's directory",
  all: "Allow everything",
};

export const SCOPE_WORDS: Readonly<Record<PolicyScope, string>> = {
  session: "this session",
  project: "this project",
  agent: "this agent",
};
