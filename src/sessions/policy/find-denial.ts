import { FILE_KINDS } from "../../protocol/permission-policy.ts";
import { fromEach } from "./judge-command.ts";
import { denialOfFile } from "./judge-file.ts";
import { coversTool } from "./mcp-tool.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import type { PathFacts, ScopedRule } from "./policy.ts";
import { DIRECTORY_CHANGES_MAX, isChangeOfDirectory, type ReadCommand, ruleWordsOf } from "./read-command.ts";
import { programName } from "./unwrap-command.ts";

/** `isSure` false: it cannot be ruled out that the rule forbids this, so nothing may allow it without the user. */
export interface Denial {
  readonly rule: ScopedRule;
  readonly isSure: boolean;
}

/** The rule that forbids a request, or that might. Looked for before anything is allowed: denying always wins. */
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

/** Every word of a command may be a path, or have one behind a sign. What it writes to counts as an edit. */
function wordPaths(subject: PermissionSubject, read: ReadCommand): readonly Touched[] {
  const directories = [subject.cwd];
  let changes = 0;
  return read.commands.flatMap(({ command }) => {
    const { words, redirects } = command;
    if (isChangeOfDirectory(command) && words[1]) {
      changes += 1;
      // Where it may be after more of them is a doubt already.
      if (changes <= DIRECTORY_CHANGES_MAX) directories.push(...fromEach(words[1].text, directories));
    }
    const pieces = words.flatMap(({ text }) => [text, ...text.split(/[=:,@]/)]).filter((piece) => piece !== "");
    const named = pieces.flatMap((piece) => fromEach(piece, directories).map((path) => ({ path, kind: "execute" })));
    const written = redirects.flatMap(({ target, direction }) =>
      fromEach(target.text, directories).map((path) => ({ path, kind: direction === "out" ? "edit" : "read" })),
    );
    return [...named, ...written];
  });
}

function denialByCommand({ commands }: ReadCommand, denying: readonly ScopedRule[]): ScopedRule | null {
  return denying.find((rule) => commands.some(({ starts }) => starts.some((words) => isNamed(words, rule)))) ?? null;
}

function isNamed(words: readonly string[], { command, exact }: ScopedRule): boolean {
  const named = command === undefined ? null : ruleWordsOf(command);
  if (named === null || (exact === true && named.length !== words.length)) return false;
  return named.every((text, index) => isSameWord(words[index], text, index));
}

/** The same program by whatever folder or spelling it is called. */
function isSameWord(word: string | undefined, named: string, index: number): boolean {
  if (word === undefined) return false;
  return index === 0 ? programName(word) === programName(named) : word === named;
}

/** Options may stand between the words of a rule, what cannot be read may be anything, and a command may read and write what it names. */
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
  const hasPatterns = commands.some(({ command }) => command.words.some(({ literal }) => !literal));
  if (hasPatterns && byPath[0]) return byPath[0];
  const ofAnyKind = byPath.map((rule) => ({ ...rule, kind: undefined }));
  const named = byPath.length === 0 ? null : denialByPath(subject, read, ofAnyKind, facts);
  return (
    named ?? about.find((rule) => commands.some(({ starts }) => starts.some((words) => isWoven(words, rule)))) ?? null
  );
}

/** The words of the rule stand there in their order, with others between them. */
function isWoven(words: readonly string[], { command }: ScopedRule): boolean {
  const named = command === undefined ? null : ruleWordsOf(command);
  if (named === null || !isSameWord(words[0], named[0] ?? "", 0)) return false;
  let next = 1;
  for (const word of words.slice(1)) if (word === named[next]) next += 1;
  return next >= named.length;
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
