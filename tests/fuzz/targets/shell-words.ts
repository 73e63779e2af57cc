import { z } from "zod";
import { matchesGlob } from "../../../src/sessions/policy/path-glob.ts";
import { ruleWordsOf } from "../../../src/sessions/policy/read-command.ts";
import { readShellLine } from "../../../src/sessions/policy/shell-line.ts";
import { suspiciousText } from "../../../src/sessions/policy/subject-oddity.ts";
import { unwrapCommand } from "../../../src/sessions/policy/unwrap-command.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { hasControls } from "../engine/control-characters.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateText, someText } from "../engine/mutate-text.ts";
import { COMMAND_WORDS } from "./policy-words.ts";

const GLOB_WORDS = ["*", "**", "?", "/", "/**/", "a", "b", ".", "ab", "[", "(", "+", "é", "\n"];
const PATH_WORDS = ["a", "b", "/", "ab", ".", "é", "\n", "[", "("];
const Input = z.object({ line: z.string(), glob: z.string().max(12), path: z.string().max(12) });

/** Command lines taken apart and put together again, and patterns of paths against their plain meaning. */
export const shellWords = fuzzTarget({
  name: "shell-words",
  weight: 8,
  shape: Input,
  make: (source, corpus) => ({
    line:
      corpus.length > 0 && source.isOneIn(4)
        ? mutateText(source, source.pick(corpus).line, COMMAND_WORDS)
        : someText(source, COMMAND_WORDS, 16),
    glob: someText(source, GLOB_WORDS, 6).slice(0, 12),
    path: someText(source, PATH_WORDS, 8).slice(0, 12),
  }),
  check({ line, glob, path }) {
    const { commands, doubts } = readShellLine(line);
    for (const command of commands) {
      const { commands: unwrapped } = unwrapCommand(command);
      rule(unwrapped.length > 0 || command.words.length > 0, "no command vanishes");
      checkPrinted(command.words.map(({ text }) => text));
    }
    const words = ruleWordsOf(line);
    if (doubts.length > 0) ruleSame(words, null, "a rule has no doubt in it");
    if (words !== null) {
      ruleSame(ruleWordsOf(words.map(quoted).join(" ")), words, "a rule printed and read again is the same rule");
      ruleSame(ruleWordsOf(` ${line} `), words, "blanks around a rule mean nothing");
    }
    suspiciousText(line);
    const expected = matchesPlainly(glob.normalize("NFC"), path.normalize("NFC"));
    ruleSame(matchesGlob(path, glob, { ignoreCase: false }), expected, "a pattern means what it says");
    if (expected) rule(matchesGlob(path, glob, { ignoreCase: true }), "ignoring case only adds matches");
  },
});

/** Quoted, every text is one plain word. */
function checkPrinted(texts: readonly string[]): void {
  const odd = texts.some(hasControls);
  const line = texts.map(quoted).join(" ");
  if (texts.length === 0 || odd || line.length > 20_000) return;
  const { commands, doubts } = readShellLine(line);
  ruleSame(doubts, [], "a quoted word leaves no doubt");
  ruleSame(
    commands.map(({ words }) => words),
    [texts.map((text) => ({ text, literal: true }))],
    "a quoted word is itself",
  );
}

function quoted(word: string): string {
  return `'${word.replace(/['\\]/g, (sign) => `'\\${sign}'`)}'`;
}

/** The meaning of a pattern, by trying everything; only for short ones. */
function matchesPlainly(glob: string, path: string): boolean {
  const parts = glob.split(/(\/?\*\*\/?|\*|\?)/).flatMap((part) => (/[*?]/.test(part) ? [part] : [...part]));
  return matchesFrom(parts, [...path]);
}

function matchesFrom([part, ...parts]: readonly string[], path: readonly string[]): boolean {
  if (part === undefined) return path.length === 0;
  const [char, ...rest] = path;
  const anywhere = (from: readonly string[]) =>
    from.some((_, at) => matchesFrom(parts, from.slice(at))) || matchesFrom(parts, []);
  const afterSlash = (from: readonly string[]) =>
    from.some((one, at) => one === "/" && matchesFrom(parts, from.slice(at + 1)));
  switch (part) {
    case "**":
      return anywhere(path);
    case "**/":
      return matchesFrom(parts, path) || afterSlash(path);
    case "/**":
      return matchesFrom(parts, path) || (char === "/" && anywhere(rest));
    case "/**/":
      return char === "/" && (matchesFrom(parts, rest) || afterSlash(rest));
    case "*": {
      const slash = path.indexOf("/");
      const name = slash === -1 ? path.length : slash;
      for (let taken = 0; taken <= name; taken += 1) if (matchesFrom(parts, path.slice(taken))) return true;
      return false;
    }
    case "?":
      return char !== undefined && char !== "/" && matchesFrom(parts, rest);
    default:
      return char === part && matchesFrom(parts, rest);
  }
}
