import { RuleDraft } from "../../protocol/permission-policy.ts";
import { guardedName } from "./guarded-names.ts";
import { findHarmlessUse, readArguments } from "./harmless-arguments.ts";
import { piecesOf } from "./judge-command.ts";
import { toolPattern } from "./mcp-tool.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import { isInside } from "./policy.ts";
import { isChangeOfDirectory, readCommand } from "./read-command.ts";
import type { ShellWord } from "./shell-line.ts";
import { oddityOf } from "./subject-oddity.ts";

const OFFERED_RULES_MAX = 4;
const SINK = /^\/dev\/(null|stdout|stderr)$/;

/** The narrow rules that would have answered this request, or none if no rule can. */
export function offerRules(subject: PermissionSubject): readonly RuleDraft[] {
  if (oddityOf(subject) !== null || subject.doubts.length > 0) return [];
  if (subject.tool) return [{ effect: "allow", tool: toolPattern(subject.tool) }];
  if (subject.command !== null) return commandRules(subject);
  const { kind, paths, root } = subject;
  const isInsideRoot =
    paths.length > 0 && paths.every((path) => isInside(path, root) && !path.split("/").includes(".."));
  return isInsideRoot && (kind === "edit" || kind === "read") ? [{ effect: "allow", kind }] : [];
}

function commandRules(subject: PermissionSubject): readonly RuleDraft[] {
  const { commands, doubts } = readCommand(subject);
  if (doubts.length > 0) return [];
  const rules = new Map<string, RuleDraft>();
  for (const { command } of commands) {
    if (command.redirects.some(({ target, direction }) => direction === "out" && !SINK.test(target.text))) return [];
    if (command.words.length === 0 || isChangeOfDirectory(command)) continue;
    const rule = ruleFor(command.words, subject.root);
    if (rule === null) return [];
    rules.set(JSON.stringify(rule), rule);
  }
  return rules.size > OFFERED_RULES_MAX ? [] : [...rules.values()];
}

/** The use of a program if all of its arguments are harmless, otherwise this exact command and no other. */
function ruleFor(words: readonly ShellWord[], root: string): RuleDraft | null {
  const isCovered = isHarmlessInside(words, root);
  const count = isCovered ? (findHarmlessUse(words)?.words ?? words.length) : words.length;
  const named = words.slice(0, count);
  if (!named.every(({ literal }) => literal)) return null;
  const command = named.map(({ text }) => quoted(text)).join(" ");
  const rule = { effect: "allow" as const, command, ...(!isCovered && { exact: true }) };
  return RuleDraft.safeParse(rule).data ?? null;
}

function isHarmlessInside(words: readonly ShellWord[], root: string): boolean {
  const read = readArguments(words, 0);
  if (!read?.isHarmless) return false;
  return read.paths
    .flatMap(({ path }) => piecesOf(path))
    .every((path) => {
      const isInRoot = path.startsWith("/") ? isInside(path, root) : true;
      return (
        isInRoot && !path.split("/").includes("..") && guardedName(path.replace(root, ""), { onlyReads: true }) === null
      );
    });
}

/** Quoted so that every shell reads this one word. */
function quoted(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replace(/['\\]/g, (sign) => `'\\${sign}'`)}'`;
}
