import type { RuleDraft } from "../../protocol/permission-policy.ts";
import { argumentThatRunsMore } from "./inline-programs.ts";
import { toolPattern } from "./mcp-tool.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import { isInside } from "./policy.ts";
import { readCommand } from "./read-command.ts";
import type { ShellWord } from "./shell-line.ts";
import { oddityOf } from "./subject-oddity.ts";

const OFFERED_RULES_MAX = 4;
/** Programs whose next word says what they do. */
const WITH_SUBCOMMAND: ReadonlySet<string> = new Set(
  "git npm pnpm yarn bun cargo go docker kubectl make pip pip3 poetry uv deno dotnet gradle mvn terraform rake bundle composer brew gh just".split(
    " ",
  ),
);
/** Of those, words that only lead to the next one. */
const LEADS_ON: ReadonlySet<string> = new Set(["run", "run-script", "compose", "workspace"]);
/** Programs that only look, or that check code. */
const LOOKS_ONLY: ReadonlySet<string> = new Set(
  "ls cat head tail wc grep rg pwd which file stat du df echo tree diff tsc eslint biome prettier jest vitest mocha pytest mypy ruff".split(
    " ",
  ),
);
const SINK = /^\/dev\/(null|stdout|stderr)$/;

/** The narrow rules that would have answered this request, or none when no rule can. */
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
    if (command.words.length === 0 || command.words[0]?.text === "cd") continue;
    const rule = ruleFor(command.words);
    if (rule === null) return [];
    rules.set(JSON.stringify(rule), rule);
  }
  return rules.size > OFFERED_RULES_MAX ? [] : [...rules.values()];
}

function ruleFor(words: readonly ShellWord[]): RuleDraft | null {
  const count = namedCount(words);
  const named = words.slice(0, count ?? words.length);
  if (!named.every(({ literal }) => literal)) return null;
  const command = named.map(({ text }) => quoted(text)).join(" ");
  return count === null ? { effect: "allow", command, exact: true } : { effect: "allow", command };
}

/** How many words say enough for a rule; null when only the whole command does. */
function namedCount(words: readonly ShellWord[]): number | null {
  const [program, second, third] = words.map(({ text }) => text);
  if (program === undefined) return null;
  const isName = (word: string | undefined) => word !== undefined && /^[a-z][\w:.-]*$/i.test(word);
  const leads = WITH_SUBCOMMAND.has(program) && isName(second);
  const count = LOOKS_ONLY.has(program)
    ? 1
    : !leads
      ? null
      : !LEADS_ON.has(second ?? "")
        ? 2
        : isName(third)
          ? 3
          : null;
  return count !== null && argumentThatRunsMore(words, count) === null ? count : null;
}

/** A word that begins with `=` means something to some shells. */
function quoted(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
