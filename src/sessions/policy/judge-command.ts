import { argumentThatRunsMore } from "./inline-programs.ts";
import { type Judgement, judgeFile } from "./judge-file.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import { isInside, type PathFacts, type Policy, reasonOf, type ScopedRule } from "./policy.ts";
import { isChangeOfDirectory, type ReadCommand, ruleWordsOf } from "./read-command.ts";
import type { Redirect, ShellWord, SimpleCommand } from "./shell-line.ts";

/** Where output may go without touching a file. */
const SINKS: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

/** Whether rules allow all that a command line does: every program in it, every directory it enters, every file it writes. */
export function judgeCommand(
  subject: PermissionSubject,
  read: ReadCommand,
  policy: Policy,
  facts: PathFacts,
): Judgement {
  if (subject.command === null) return refused("The agent does not say which command it is.");
  const [doubt] = read.doubts;
  if (doubt !== undefined) return refused(`It cannot be judged before it runs: ${doubt}.`);
  if (read.commands.length === 0) return refused("It names no command.");
  if (!isInsideRoots(subject.cwd, facts)) return refused("It would run outside this session's directory.");
  const used = new Map<string, string>();
  // A `cd` may fail or be skipped, so each directory that was entered stays possible.
  const directories = [subject.cwd];
  for (const { command } of read.commands) {
    const judged = isChangeOfDirectory(command)
      ? enterDirectory(command, directories, facts)
      : judgeProgram(command, policy);
    if (!judged.allowed) return judged;
    if (judged.ruleId !== undefined) used.set(judged.ruleId, judged.why);
    for (const redirect of command.redirects) {
      const written = judgeRedirect(redirect, directories, policy, facts);
      if (!written.allowed) return written;
    }
  }
  const [ruleId] = used.keys();
  if (ruleId === undefined) return refused("No rule covers it.");
  return { allowed: true, why: [...used.values()].join("; "), ruleId };
}

function refused(why: string): Judgement {
  return { allowed: false, why };
}

function judgeProgram({ words }: SimpleCommand, policy: Policy): Judgement {
  if (words.length === 0) return { allowed: true, why: "" };
  let close: string | null = null;
  for (const rule of policy.rules) {
    const named = namedWords(words, rule);
    if (named === null) continue;
    const more = argumentThatRunsMore(words, named);
    if (more === null) return { allowed: true, why: reasonOf(rule), ruleId: rule.id };
    close = `${more} makes ${words[0]?.text} do more than the rule says.`;
  }
  return refused(close ?? `No rule covers ${words[0]?.text}.`);
}

/** How many words of a command an allowing rule names, when it names the first ones. */
function namedWords(words: readonly ShellWord[], rule: ScopedRule): number | null {
  if (rule.effect !== "allow" || rule.command === undefined) return null;
  const named = ruleWordsOf(rule.command);
  if (named === null || (rule.exact === true && named.length !== words.length)) return null;
  return named.every((text, index) => words[index]?.literal === true && words[index]?.text === text)
    ? named.length
    : null;
}

function enterDirectory({ words }: SimpleCommand, directories: string[], facts: PathFacts): Judgement {
  const [, target, another] = words;
  if (target === undefined || another !== undefined || !target.literal || /^-|^$/.test(target.text))
    return refused("Which directory it enters cannot be told.");
  const entered = fromEach(target.text, directories);
  if (!entered.map((path) => isInsideRoots(path, facts)).every((inside) => inside))
    return refused(`It enters ${target.text}, outside this session's directory.`);
  directories.push(...entered);
  return { allowed: true, why: "" };
}

/** Writing to a file is an edit of it and needs the same permission; reading may not leave the session's directory. */
function judgeRedirect(
  { direction, target }: Redirect,
  directories: readonly string[],
  policy: Policy,
  facts: PathFacts,
): Judgement {
  if (!target.literal) return refused("Where it redirects to cannot be told.");
  if (SINKS.has(target.text)) return { allowed: true, why: "" };
  const paths = fromEach(target.text, directories);
  if (direction === "in") {
    const inside = paths.map((path) => isInsideRoots(path, facts)).every((each) => each);
    return inside ? { allowed: true, why: "" } : refused(`It reads ${target.text}, outside this session's directory.`);
  }
  const judged = paths.map((path) => judgeFile(path, "edit", policy, facts)).find(({ allowed }) => !allowed);
  return judged === undefined ? { allowed: true, why: "" } : refused(`It writes to ${target.text}. ${judged.why}`);
}

/** The path as it would be from each directory the command may be in by then. */
export function fromEach(path: string, directories: readonly string[]): readonly string[] {
  return path.startsWith("/") ? [path] : [...new Set(directories.map((directory) => `${directory}/${path}`))];
}

function isInsideRoots(path: string, { roots, placesOf }: PathFacts): boolean {
  const places = placesOf(path);
  return places !== null && places.length > 0 && places.every((place) => roots.some((root) => isInside(place, root)));
}
