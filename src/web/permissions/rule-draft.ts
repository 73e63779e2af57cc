import { type PolicyScope, RuleDraft } from "../../protocol/permission-policy.ts";

/** What a rule of the form is about, in the order it is chosen from. */
export const SUBJECTS = {
  command: "the command",
  edit: "edits in",
  read: "reading in",
  path: "everything that touches files in",
  fetch: "fetching from the web",
} as const;
export type Subject = keyof typeof SUBJECTS;

/** How long a rule holds; the empty one is for good. */
export const DURATIONS_MS = { "": null, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
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

/** The rule the fields describe, or null while something is missing. */
export function draftOf({ effect, subject, text, duration }: RuleFields, nowMs: number): RuleDraft | null {
  const value = text.trim();
  if (value === "" && subject !== "fetch") return null;
  const lastsMs = DURATIONS_MS[duration];
  const rule = {
    effect,
    ...aboutOf(subject, value),
    ...(lastsMs !== null && { expiresAt: new Date(nowMs + lastsMs).toISOString() }),
  };
  return RuleDraft.safeParse(rule).data ?? null;
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
    case "fetch":
      return { kind: "fetch" };
    default:
      return subject satisfies never;
  }
}
