import { type PolicyScope, RuleDraft } from "../../protocol/permission-policy.ts";

/** The subjects of a rule, in the order of the menu. */
export const SUBJECTS = {
  command: "the command",
  edit: "edits in",
  read: "reading in",
  path: "any file access in",
  tool: "the MCP tool",
  fetch: "fetching from the web",
} as const;
export type Subject = keyof typeof SUBJECTS;

/** Optional in the form. */
const TOOL_PREFIX = "mcp:";

/** How long a rule is valid; the empty one is permanent. */
const DURATIONS_MS = { "": null, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
export const DURATION_WORDS: Readonly<Record<keyof typeof DURATIONS_MS, string>> = {
  "": "until deleted",
  hour: "for an hour",
  day: "for a day",
  week: "for a week",
};

/** The form as the user left it. */
export interface RuleFields {
  readonly effect: "allow" | "deny";
  readonly subject: Subject;
  readonly text: string;
  readonly scope: PolicyScope;
  readonly duration: keyof typeof DURATIONS_MS;
}

export const EMPTY_RULE: RuleFields = { effect: "allow", subject: "command", text: "", scope: "session", duration: "" };

/** The rule that the fields describe, or its error; neither while something is missing. */
interface ReadRule {
  readonly draft: RuleDraft | null;
  readonly problem: string | null;
}

export function readRule({ effect, subject, text, duration }: RuleFields, nowMs: number): ReadRule {
  const value = text.trim();
  if (value === "" && subject !== "fetch") return { draft: null, problem: null };
  const lastsMs = DURATIONS_MS[duration];
  const rule = {
    effect,
    ...aboutOf(subject, value),
    ...(lastsMs !== null && { expiresAt: new Date(nowMs + lastsMs).toISOString() }),
  };
  const read = RuleDraft.safeParse(rule);
  if (read.success) return { draft: read.data, problem: null };
  const problem = read.error.issues[0]?.message ?? "this rule is not valid";
  return { draft: null, problem: `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}.` };
}

function aboutOf(subject: Subject, value: string): Partial<RuleDraft> {
  switch (subject) {
    case "command":
      return { command: value };
    case "edit":
    case "read":
      return { kind: subject, path: value };
    case "path":
      return { path: value };
    case "tool":
      return { tool: value.startsWith(TOOL_PREFIX) ? value : `${TOOL_PREFIX}${value}` };
    case "fetch":
      return { kind: "fetch" };
    default:
      return subject satisfies never;
  }
}
