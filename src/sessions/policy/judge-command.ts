import { type NamedPath, readArguments } from "./harmless-arguments.ts";
import { guardedIn, type Judgement, judgeFile, repositoryAround } from "./judge-file.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import { isInside, type PathFacts, type Policy, reasonOf, type ScopedRule } from "./policy.ts";
import { isChangeOfDirectory, type ReadCommand, ruleWordsOf } from "./read-command.ts";
import type { Redirect, ShellWord, SimpleCommand } from "./shell-line.ts";

/** Targets of output that are not files. */
const SINKS: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);
const FINE: Judgement = { allowed: true, why: "" };

/** Whether rules allow everything a command line does: every program, every path it names, every file it writes. */
export function judgeCommand(
  subject: PermissionSubject,
  read: ReadCommand,
  policy: Policy,
  facts: PathFacts,
): Judgement {
  if (subject.command === null) return refused("The request does not contain the command.");
  const [doubt] = read.doubts;
  if (doubt !== undefined) return refused(`It cannot be judged before it runs: ${doubt}.`);
  if (read.commands.length === 0) return refused("It names no command.");
  const start = judgeDirectory(subject.cwd, facts);
  if (start !== null) return refused(`It would run ${start}.`);
  const used = new Map<string, string>();
  // A `cd` may fail or be skipped, so each entered directory stays possible.
  const directories = [subject.cwd];
  for (const { command } of read.commands) {
    const judged = isChangeOfDirectory(command)
      ? enterDirectory(command, directories, facts)
      : judgeProgram(command, directories, policy, facts);
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

function judgeProgram(
  { words }: SimpleCommand,
  directories: readonly string[],
  policy: Policy,
  facts: PathFacts,
): Judgement {
  if (words.length === 0) return FINE;
  let close: Judgement | null = null;
  for (const rule of policy.rules) {
    const inRule = wordsInRule(words, rule);
    if (inRule === null) continue;
    const judged = judgeArguments(words, inRule, directories, facts);
    if (judged.allowed) return { allowed: true, why: reasonOf(rule), ruleId: rule.id };
    close ??= judged;
  }
  return close ?? refused(`No rule covers ${words[0]?.text}.`);
}

/** How many words of a command an allowing rule matches, starting at the first. */
function wordsInRule(words: readonly ShellWord[], rule: ScopedRule): number | null {
  if (rule.effect !== "allow" || rule.command === undefined) return null;
  const named = ruleWordsOf(rule.command);
  if (named === null || (rule.exact === true && named.length !== words.length)) return null;
  return named.every((text, index) => words[index]?.literal === true && words[index]?.text === text)
    ? named.length
    : null;
}

/** A rule covers its own words, and further ones that are known to be harmless, on paths inside. */
function judgeArguments(
  words: readonly ShellWord[],
  inRule: number,
  directories: readonly string[],
  facts: PathFacts,
): Judgement {
  const read = readArguments(words, inRule);
  if (read === null && words.length > inRule)
    return refused(`No rule covers all of it: the harmless arguments of ${words[0]?.text} are unknown.`);
  if (read?.isHarmless === false && words.length > inRule) return refused(read.why);
  const paths: readonly NamedPath[] = read?.isHarmless
    ? read.paths
    : words.slice(1).map(({ text }) => ({ path: text, isInRule: true }));
  const judged = paths
    .flatMap(({ path, isInRule }) =>
      piecesOf(path).flatMap((piece) =>
        fromEach(piece, directories).map((place) => judgePath(place, piece, isInRule, facts)),
      ),
    )
    .find(({ allowed }) => !allowed);
  if (judged) return judged;
  if (!read?.isHarmless) return FINE;
  if (read.isDeep) {
    const roots = read.paths.length > 0 ? read.paths.flatMap(({ path }) => fromEach(path, directories)) : directories;
    const places = roots.flatMap((path) => facts.placesOf(path) ?? []);
    if (facts.guarded.some((folder) => places.some((place) => isInside(folder, place))))
      return refused("It reads a whole directory that contains Liminal Builder's own data.");
  }
  if (read.usesRepository) {
    const around = directories
      .map((directory) => repositoryAround(`${directory}/.`, facts))
      .find((found) => found !== null);
    if (around) return refused(`Git would treat ${around} as a repository with its own settings.`);
  }
  return FINE;
}

/** A word may contain a path after a separator: `HEAD:file`, `if=file`, `@file`. */
export function piecesOf(word: string): readonly string[] {
  return [...new Set([word, ...word.split(/[=:,@]/)])].filter((piece) => piece !== "" && piece !== "-");
}

/** A path in the rule itself may lead outside if it says so, but nowhere else. */
function judgePath(path: string, shown: string, isInRule: boolean, facts: PathFacts): Judgement {
  const isNamedOutside = shown.startsWith("/") || shown.split("/").includes("..");
  if (isInRule && !isNamedOutside && !shown.includes("/")) {
    const places = facts.placesOf(path);
    return places?.some((place) => isGuarded(place, facts))
      ? refused(`${shown} belongs to Liminal Builder itself.`)
      : FINE;
  }
  const places = facts.placesOf(path);
  if (places === null || places.length === 0) return refused(`The target of ${shown} cannot be determined.`);
  if (places.some((place) => isGuarded(place, facts))) return refused(`${shown} belongs to Liminal Builder itself.`);
  if (isInRule && isNamedOutside) return FINE;
  if (!places.every((place) => facts.roots.some((root) => isInside(place, root))))
    return refused(`${shown} is outside this session's directory.`);
  const guarded = isInRule ? null : guardedIn(places, facts, true);
  return guarded === null
    ? FINE
    : refused(`${guarded} is guarded: it contains secrets or can make other programs run code.`);
}

function isGuarded(place: string, { guarded }: PathFacts): boolean {
  return guarded.some((folder) => isInside(place, folder));
}

function enterDirectory({ words }: SimpleCommand, directories: string[], facts: PathFacts): Judgement {
  const [, target, another] = words;
  if (target === undefined || another !== undefined || !target.literal || /^[-+]|^$/.test(target.text))
    return refused("The directory it changes to cannot be determined.");
  const entered = fromEach(target.text, directories);
  const problem = entered.map((path) => judgeDirectory(path, facts)).find((found) => found !== null);
  if (problem) return refused(`It changes to ${target.text}, ${problem}.`);
  directories.push(...entered);
  return FINE;
}

/** Why a command may not run in this directory, as text; null if it may. */
function judgeDirectory(path: string, facts: PathFacts): string | null {
  const places = facts.placesOf(path);
  if (places === null || places.length === 0) return "a directory that cannot be determined";
  if (!places.every((place) => facts.roots.some((root) => isInside(place, root))))
    return "outside this session's directory";
  if (places.some((place) => isGuarded(place, facts))) return "a directory of Liminal Builder itself";
  return guardedIn(places, facts, true) === null ? null : "a guarded directory";
}

/** Writing to a file is an edit and needs the same permission; reading may not leave the session's directory. */
function judgeRedirect(
  { direction, target }: Redirect,
  directories: readonly string[],
  policy: Policy,
  facts: PathFacts,
): Judgement {
  if (!target.literal) return refused("The target of its redirection cannot be determined.");
  if (SINKS.has(target.text)) return FINE;
  const paths = fromEach(target.text, directories);
  if (direction === "in") {
    const read = paths.map((path) => judgePath(path, target.text, false, facts)).find(({ allowed }) => !allowed);
    return read ?? FINE;
  }
  const judged = paths.map((path) => judgeFile(path, "edit", policy, facts)).find(({ allowed }) => !allowed);
  return judged === undefined || judged.allowed ? FINE : refused(`It writes to ${target.text}. ${judged.why}`);
}

/** The path relative to each directory the command may be in by then. */
export function fromEach(path: string, directories: readonly string[]): readonly string[] {
  return path.startsWith("/") ? [path] : [...new Set(directories.map((directory) => `${directory}/${path}`))];
}
