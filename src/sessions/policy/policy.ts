import type { PermissionMode, PolicyRule, PolicyScope } from "../../protocol/permission-policy.ts";
import { ruleWords, SCOPE_WORDS } from "../../protocol/rule-words.ts";

export type ScopedRule = PolicyRule & { readonly scope: PolicyScope };

/** The policy of one session: the narrowest mode that was set, and the rules of its session, project and agent. */
export interface Policy {
  readonly mode: PermissionMode;
  readonly modeFrom: PolicyScope | "default";
  readonly rules: readonly ScopedRule[];
}

/** Facts about the file system, looked up in advance so that deciding stays pure. */
export interface PathFacts {
  /** ISO 8601, UTC. */
  readonly now: string;
  /** The session's directories, resolved. */
  readonly roots: readonly string[];
  /** Directories that no rule covers, wherever they are: our own data. */
  readonly guarded: readonly string[];
  /** Where an absolute path really leads, by every way of reading it; null if unknown. */
  readonly placesOf: (path: string) => readonly string[] | null;
  /** Whether there is a file or a link, but not a directory, at this absolute path. */
  readonly isFile: (path: string) => boolean;
}

export interface Verdict {
  readonly answer: "allow" | "deny" | "ask";
  /** A sentence for the user. */
  readonly why: string;
  readonly ruleId?: string;
}

/** A rule as text, with its scope. */
export function reasonOf(rule: ScopedRule): string {
  return `${ruleWords(rule)}, in ${SCOPE_WORDS[rule.scope]}`;
}

/** Nothing was set: every request waits for the user. */
export function isPlain({ mode, rules }: Policy): boolean {
  return mode === "ask" && rules.length === 0;
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** Strictest first. */
const STRICTNESS: readonly Verdict["answer"][] = ["deny", "ask", "allow"];

/** A session is subject to its own policy and to those above it: one denial denies, and one question asks. */
export function strictest([own, ...above]: readonly Verdict[]): Verdict {
  const rank = ({ answer }: Verdict) => STRICTNESS.indexOf(answer);
  const stricter = above.toSorted((one, other) => rank(one) - rank(other))[0];
  if (own === undefined) return { answer: "ask", why: "No policy applies." };
  if (stricter === undefined || rank(stricter) >= rank(own)) return own;
  return { ...stricter, why: `${stricter.why} (of the session that started this one)` };
}
