import { FILE_KINDS } from "../../protocol/permission-policy.ts";
import { readArguments } from "./harmless-arguments.ts";
import { fromEach, piecesOf } from "./judge-command.ts";
import { denialOfFile } from "./judge-file.ts";
import { coversTool } from "./mcp-tool.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import type { PathFacts, ScopedRule } from "./policy.ts";
import { DIRECTORY_CHANGES_MAX, isChangeOfDirectory, type ReadCommand, ruleWordsOf } from "./read-command.ts";
import type { ShellWord, SimpleCommand } from "./shell-line.ts";
import { programName } from "./unwrap-command.ts";

/** Programs that run code from an argument or from their input. */
const INTERPRETERS =
  /^(python|pypy|perl|ruby|irb|node|nodejs|bun|deno|php|lua|luajit|tclsh|osascript|rscript|julia|guile|racket|ghc|elixir|erl|scala|groovy|jshell)[\d.]*$/;
const INLINE_CODE = /^(-[a-z]*[ceprb]|--?(eval|print|execute|expression|run|command)(=.*)?|eval|-)$/i;
/** After a single dash, a path may follow letters. */
const ATTACHED_LETTERS_MAX = 4;

/** `isSure` false: the rule may forbid this, so only the user may allow it. */
export interface Denial {
  readonly rule: ScopedRule;
  readonly isSure: boolean;
}

/** The rule that forbids a request, or that might. Checked before anything is allowed: denying always wins. */
export function findDenial(
  subject: PermissionSubject,
  read: ReadCommand | null,
  rules: readonly ScopedRule[],
  facts: PathFacts,
): Denial | null {
  const denying = rules.filter(({ effect }) => effect === "deny");
  const kinds = new Set([subject.kind, ...(read ? ["execute"] : [])]);
  const { tool } = subject;
  const byTool = tool && denying.find((rule) => coversTool(rule.tool, tool));
  if (byTool) return { rule: byTool, isSure: true };
  const byKind = denying.find(
    ({ kind, path, command }) => path === undefined && command === undefined && kind !== undefined && kinds.has(kind),
  );
  const sure = byKind ?? denialByPath(subject, read, denying, facts) ?? (read && denialByCommand(read, denying));
  if (sure) return { rule: sure, isSure: true };
  const unsure = read ? unsureForCommand(subject, read, denying, facts) : unsureForFiles(subject, denying, facts);
  return unsure && { rule: unsure, isSure: false };
}

function denialByPath(
  subject: PermissionSubject,
  read: ReadCommand | null,
  denying: readonly ScopedRule[],
  facts: PathFacts,
): ScopedRule | null {
  if (!denying.some(({ path }) => path !== undefined)) return null;
  const found = touched(subject, read).map(({ path, kind }) => denialOfFile(path, kind, denying, facts));
  return found.find((rule) => rule !== null) ?? null;
}

interface Touched {
  readonly path: string;
  readonly kind: string;
}

function touched(subject: PermissionSubject, read: ReadCommand | null): readonly Touched[] {
  if (read === null) return subject.paths.map((path) => ({ path, kind: subject.kind }));
  return [...subject.paths.map((path) => ({ path, kind: "execute" })), ...wordPaths(subject, read)];
}

/** Every word of a command may be a path, or contain one after a separator. A file it writes to counts as an edit. */
function wordPaths(subject: PermissionSubject, read: ReadCommand): readonly Touched[] {
  const directories = [subject.cwd];
  let changes = 0;
  return read.commands.flatMap(({ command }) => {
    const { words, redirects } = command;
    if (isChangeOfDirectory(command) && words[1]) {
      changes += 1;
      // More directory changes than this are a doubt already.
      if (changes <= DIRECTORY_CHANGES_MAX) directories.push(...fromEach(words[1].text, directories));
    }
    const pieces = words.flatMap(({ text }) => [...piecesOf(text), ...attachedTo(text)]);
    const named = pieces.flatMap((piece) => fromEach(piece, directories).map((path) => ({ path, kind: "execute" })));
    const written = redirects.flatMap(({ target, direction }) =>
      fromEach(target.text, directories).map((path) => ({ path, kind: direction === "out" ? "edit" : "read" })),
    );
    return [...named, ...written];
  });
}

/** A possible path after option letters: `-fsecrets/key`. */
function attachedTo(word: string): readonly string[] {
  if (!/^-[a-zA-Z]/.test(word)) return [];
  return Array.from({ length: ATTACHED_LETTERS_MAX }, (_, index) => word.slice(index + 2)).filter(
    (piece) => piece !== "",
  );
}

function denialByCommand({ commands }: ReadCommand, denying: readonly ScopedRule[]): ScopedRule | null {
  return denying.find((rule) => commands.some(({ starts }) => starts.some((words) => isNamed(words, rule)))) ?? null;
}

function isNamed(words: readonly string[], { command, exact }: ScopedRule): boolean {
  const named = command === undefined ? null : ruleWordsOf(command);
  if (named === null || (exact === true && named.length !== words.length)) return false;
  return named.every((text, index) => isSameWord(words[index], text, index));
}

/** The same program in any folder or spelling. */
function isSameWord(word: string | undefined, named: string, index: number): boolean {
  if (word === undefined) return false;
  return index === 0 ? programName(word) === programName(named) : word === named;
}

/**
 * Options may stand between the words of a rule, unreadable parts may be anything, and a command may read and write
 * what it names.
 */
function unsureForCommand(
  subject: PermissionSubject,
  read: ReadCommand,
  denying: readonly ScopedRule[],
  facts: PathFacts,
): ScopedRule | null {
  const { commands, doubts } = read;
  const about = denying.filter(({ command, path }) => command !== undefined || path !== undefined);
  if (doubts.length > 0 || about.length === 0) return about[0] ?? null;
  const byPath = about.filter(({ path }) => path !== undefined);
  const hasPatterns = commands.some(({ command: { words, redirects } }) =>
    [...words, ...redirects.map(({ target }) => target)].some(({ literal }) => !literal),
  );
  if (hasPatterns && byPath[0]) return byPath[0];
  const ofAnyKind = byPath.map((rule) => ({ ...rule, kind: undefined }));
  const named = byPath.length === 0 ? null : denialByPath(subject, read, ofAnyKind, facts);
  return named ?? about.find((rule) => commands.some(({ command }) => mightRun(command, rule))) ?? null;
}

/** Whether a command might be, or might start, what a rule denies. */
function mightRun({ words }: SimpleCommand, { command }: ScopedRule): boolean {
  const named = command === undefined ? null : ruleWordsOf(command);
  const [program] = named ?? [];
  if (named === null || program === undefined) return false;
  if (mightBe(words, named)) return true;
  // Arguments known to be harmless start nothing, and neither does `cd`.
  if (words[0]?.text === "cd" || readArguments(words, 0)?.isHarmless === true) return false;
  const name = programName(program);
  const [first, ...rest] = words;
  // A whole line as the name of a program: it may be split.
  if (first !== undefined && /\s/.test(first.text) && mightName(first, name)) return true;
  if (first !== undefined && INTERPRETERS.test(programName(first.text)))
    if (rest.length === 0 || rest.some(({ text }) => INLINE_CODE.test(text))) return true;
  return rest.some((word) => mightName(word, name));
}

/** The words of the rule may occur in order: with others in between, abbreviated, or as other options. */
function mightBe(words: readonly ShellWord[], named: readonly string[]): boolean {
  if (words[0] === undefined || !isSameWord(words[0].text, named[0] ?? "", 0)) return false;
  const rest = words.slice(1);
  const hasOptions = rest.some(({ text, literal }) => text.startsWith("-") || !literal);
  let next = 1;
  for (const word of rest) {
    while (next < named.length && named[next]?.startsWith("-") && hasOptions) next += 1;
    if (next < named.length && couldMean(word, named[next] ?? "")) next += 1;
  }
  while (next < named.length && named[next]?.startsWith("-") && hasOptions) next += 1;
  return next >= named.length;
}

/** Many programs accept the beginning of a name for the name. */
function couldMean({ text, literal }: ShellWord, named: string): boolean {
  return literal ? text !== "" && named.toLowerCase().startsWith(text.toLowerCase()) : couldBecome(text, named);
}

/** A shell expansion lies between the text before its first special character and after its last one. */
function couldBecome(pattern: string, text: string): boolean {
  const [before = ""] = /^[^*?[\]{}~$`=^#]*/.exec(pattern) ?? [];
  const after = pattern.slice(
    Math.max(...["*", "?", "]", "}", "~", "$", "`", "="].map((sign) => pattern.lastIndexOf(sign))) + 1,
  );
  return text.startsWith(before) && text.endsWith(/[{,]/.test(pattern) ? "" : after);
}

/** An unknown program may start any word it is given, or a part of it. */
function mightName({ text, literal }: ShellWord, program: string): boolean {
  if (!literal) return hasToken(text, program) || text.split(/[/=:@!]/).some((piece) => couldBecome(piece, program));
  return hasToken(text, program) || (/^-[^-]/.test(text) && text.toLowerCase().endsWith(program));
}

/** Whether a name occurs in a text as a separate word. */
function hasToken(text: string, name: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(name); name !== "" && at !== -1; at = lower.indexOf(name, at + 1)) {
    const [before, after] = [lower[at - 1] ?? " ", lower[at + name.length] ?? " "];
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}

function unsureForFiles(
  { kind, paths, doubts }: PermissionSubject,
  denying: readonly ScopedRule[],
  facts: PathFacts,
): ScopedRule | null {
  const isClear =
    doubts.length === 0 &&
    paths.map((path) => facts.placesOf(path)).every((places) => places !== null) &&
    (paths.length > 0 || !FILE_KINDS.has(kind));
  if (isClear) return null;
  return denying.find(({ path, kind: of }) => path !== undefined && (of === undefined || of === kind)) ?? null;
}
