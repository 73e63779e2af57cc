import type { RealPaths } from "../../ports/real-path.ts";
import { FILE_KINDS } from "../../protocol/permission-policy.ts";
import { findDenial } from "./find-denial.ts";
import { judgeCommand } from "./judge-command.ts";
import { type Judgement, judgeFile } from "./judge-file.ts";
import { coversTool, type McpTool } from "./mcp-tool.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import { type PathFacts, type Policy, reasonOf, type Verdict } from "./policy.ts";
import { readCommand } from "./read-command.ts";
import { oddityOf } from "./subject-oddity.ts";

/**
 * Pure: the verdict of a policy on a request. A denial wins over everything; requests that could deceive the reader, or
 * cannot be judged before they run, are asked; the rest is allowed by the mode or by rules that cover all of it.
 */
export function evaluatePolicy(subject: PermissionSubject, policy: Policy, facts: PathFacts): Verdict {
  const live = { ...policy, rules: policy.rules.filter(({ expiresAt }) => !isOver(expiresAt, facts.now)) };
  const read = isRun(subject) ? readCommand(subject) : null;
  const denial = findDenial(subject, read, live.rules, facts);
  if (denial?.isSure) return { answer: "deny", why: reasonOf(denial.rule), ruleId: denial.rule.id };
  const oddity = oddityOf(subject);
  if (oddity !== null) return { answer: "ask", why: oddity };
  if (denial !== null) return { answer: "ask", why: `This rule may forbid it: ${reasonOf(denial.rule)}.` };
  if (live.mode === "all") return { answer: "allow", why: "Everything is allowed" };
  const judged = judgeAll(subject, live, facts);
  if (!judged.allowed) return { answer: "ask", why: judged.why };
  return { answer: "allow", why: judged.why, ...(judged.ruleId !== undefined && { ruleId: judged.ruleId }) };
}

function isOver(expiresAt: string | undefined, now: string): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(now);
}

/** A call that runs a command and claims another kind has to be allowed as both. */
function judgeAll(subject: PermissionSubject, policy: Policy, facts: PathFacts): Judgement {
  if (subject.tool) return judgeTool(subject.tool, subject.kind, policy);
  if (!isRun(subject)) return judgeKind(subject, policy, facts);
  const byKind = kindRule(policy, "execute");
  const ran: Judgement = byKind
    ? { allowed: true, why: reasonOf(byKind), ruleId: byKind.id }
    : judgeCommand(subject, readCommand(subject), policy, facts);
  return ran.allowed && subject.kind !== "execute" ? judgeKind(subject, policy, facts) : ran;
}

function isRun({ command, kind, tool }: PermissionSubject): boolean {
  return tool === null && (command !== null || kind === "execute");
}

/** Only a rule can allow a tool of an MCP server, because its effect is unknown. */
function judgeTool(tool: McpTool, kind: string, policy: Policy): Judgement {
  const named = policy.rules.find((rule) => rule.effect === "allow" && coversTool(rule.tool, tool));
  const rule = named ?? (kind === "execute" ? undefined : kindRule(policy, kind));
  return rule ? { allowed: true, why: reasonOf(rule), ruleId: rule.id } : { allowed: false, why: "No rule covers it." };
}

function judgeKind(subject: PermissionSubject, policy: Policy, facts: PathFacts): Judgement {
  const { kind, paths, doubts } = subject;
  if (!FILE_KINDS.has(kind)) {
    const rule = kindRule(policy, kind);
    return rule
      ? { allowed: true, why: reasonOf(rule), ruleId: rule.id }
      : { allowed: false, why: "No rule covers it." };
  }
  const [doubt] = doubts;
  if (doubt !== undefined) return { allowed: false, why: `It cannot be judged: ${doubt}.` };
  if (paths.length === 0) return { allowed: false, why: "The request does not name its files." };
  const judged = paths.map((path) => judgeFile(path, kind, policy, facts));
  const refused = judged.find(({ allowed }) => !allowed);
  if (refused) return refused;
  return judged[0] ?? { allowed: false, why: "No rule covers it." };
}

/** A rule by kind alone, for kinds that are not about files. */
function kindRule({ rules }: Policy, kind: string) {
  return rules.find(
    (rule) => rule.effect === "allow" && rule.kind === kind && rule.path === undefined && rule.command === undefined,
  );
}

const PATHS_JUDGED_MAX = 200;
const FILES_LOOKED_FOR_MAX = 400;

interface EvaluatedRequest {
  readonly subject: PermissionSubject;
  readonly policy: Policy;
  readonly now: string;
  readonly guarded: readonly string[];
}

/** Evaluates, looks up the paths the evaluation needs, and repeats until none is missing. */
export async function evaluateRequest(request: EvaluatedRequest, paths: RealPaths): Promise<Verdict> {
  const { subject, policy, now } = request;
  const roots = (await paths.placesOf(subject.root)) ?? [];
  const guarded = (await Promise.all(request.guarded.map((folder) => paths.placesOf(folder)))).flatMap(
    (places, index) => places ?? request.guarded.slice(index, index + 1),
  );
  const known = new Map<string, readonly string[] | null>();
  const files = new Map<string, boolean>();
  for (;;) {
    const missing = new Set<string>();
    const missingFiles = new Set<string>();
    const placesOf = (path: string) => {
      if (!known.has(path)) missing.add(path);
      return known.get(path) ?? null;
    };
    const isFile = (path: string) => {
      if (!files.has(path)) missingFiles.add(path);
      return files.get(path) ?? false;
    };
    const verdict = evaluatePolicy(subject, policy, { now, roots, guarded, placesOf, isFile });
    if (missing.size === 0 && missingFiles.size === 0) return verdict;
    if (known.size + missing.size > PATHS_JUDGED_MAX || files.size + missingFiles.size > FILES_LOOKED_FOR_MAX)
      return { answer: "ask", why: "It names too many files to be judged." };
    await Promise.all([
      ...[...missing].map(async (path) => known.set(path, await paths.placesOf(path))),
      ...[...missingFiles].map(async (path) => files.set(path, await paths.isFile(path))),
    ]);
  }
}
