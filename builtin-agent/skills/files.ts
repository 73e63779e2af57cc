import { extname } from "node:path";
import { changeFile, replaceOnce } from "../tools/change-file.ts";
import { LISTED_FILES_MAX, listFiles, type Match, readTextFile, searchFiles } from "../tools/find-files.ts";
import { runAsked } from "../tools/run-command.ts";
import type { TerminalExit } from "../turn/client.ts";
import { isGiven, type Skill } from "./skill.ts";

const SHOWN_LINES_MAX = 40;

/** Reads a file of the session's directory: all of it in the tool call, its beginning in the answer. */
export const read: Skill = {
  name: "read",
  usage: "read <file>",
  summary: "Reads a file of this directory.",
  hint: "<file>",
  accepts: isGiven,
  async run(turn, argument) {
    const file = await readTextFile(turn, argument);
    if (!file.ok) {
      return turn.say(`${file.outside ? "I did not read it:" : "I could not read it."} ${file.reason}`);
    }
    const lines = file.text.replace(/\n$/, "").split("\n");
    turn.say(`\`${argument}\` has ${lines.length} ${lines.length === 1 ? "line" : "lines"}.`);
    if (turn.isDetailed) turn.say(`\n\n${fenced(lines.slice(0, SHOWN_LINES_MAX).join("\n"), argument)}`);
  },
};

/** Uses a fence longer than any inside the text, so that a file cannot break out of it. */
function fenced(text: string, path: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${extname(path).slice(1)}\n${text}\n${fence}`;
}

const NAMED_FILES_MAX = 10;

/** Lists the files of the session's directory. */
export const list: Skill = {
  name: "list",
  usage: "list",
  summary: "Lists the files of this directory (without .git and node_modules).",
  hint: "[directory]",
  accepts: (argument) => !/\s/.test(argument),
  async run(turn, argument) {
    const listed = await listFiles(turn, argument);
    if (listed.ok) {
      turn.say(listSummary(listed.files, listed.truncated, turn.isDetailed ? LISTED_FILES_MAX : NAMED_FILES_MAX));
    } else {
      turn.say(listed.outside ? `I did not look there: ${listed.reason}` : `I could not list \`${argument || "."}\`.`);
    }
  },
};

function listSummary(files: readonly string[], truncated: boolean, named: number): string {
  if (files.length === 0) return "There are no files here yet.";
  const count = truncated
    ? `more than ${LISTED_FILES_MAX} files`
    : `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const rows = files.slice(0, named).map((file) => `- \`${file}\``);
  const more = files.length > named ? [`- … and ${files.length - named} more in the tool call above`] : [];
  return [`I see ${count}:`, "", ...rows, ...more].join("\n");
}

/** Searches plain text, ignoring case, in the files of the session's directory. */
export const search: Skill = {
  name: "search",
  usage: "search <text>",
  summary: "Looks for a text in the files of this directory.",
  hint: "<text>",
  accepts: isGiven,
  async run(turn, argument) {
    const found = await searchFiles(turn, argument);
    if (found) turn.say(searchSummary(found.matches, found.truncated, argument));
  },
};

function searchSummary(matches: readonly Match[], truncated: boolean, text: string): string {
  if (matches.length === 0) return `I found no "${text}" here.`;
  const files = new Set(matches.map((match) => match.file)).size;
  const count = `${truncated ? "more than " : ""}${matches.length} ${matches.length === 1 ? "match" : "matches"}`;
  return `I found ${count} in ${files} ${files === 1 ? "file" : "files"}.`;
}

/** File, old text, new text; the escapes `\"`, `\\`, `\n` and `\t` work inside the quotes. */
const ARGUMENT = /^(?:"((?:[^"\\]|\\.)+)"|(\S+))\s+"((?:[^"\\]|\\.)*)"\s+"((?:[^"\\]|\\.)*)"$/s;
const ESCAPES: Record<string, string> = { n: "\n", t: "\t" };

/** Makes one exact replacement, shown as a diff first; an empty old text creates a file. */
export const edit: Skill = {
  name: "edit",
  usage: 'edit <file> "<old>" "<new>"',
  summary: "Replaces a text in a file, after showing you the diff.",
  hint: '<file> "<old>" "<new>"',
  accepts: (argument) => ARGUMENT.test(argument),
  async run(turn, argument) {
    const [, quoted, bare, before = "", after = ""] = ARGUMENT.exec(argument) ?? [];
    const shown = quoted === undefined ? (bare ?? "") : unquote(quoted);
    const rawInput = { path: shown, old: unquote(before), new: unquote(after) };
    const changed = await changeFile(turn, shown, replaceOnce(shown, rawInput.old, rawInput.new), rawInput);
    switch (changed.outcome) {
      case "created":
        return turn.say(`I created \`${shown}\`.`);
      case "changed":
        return turn.say(`I changed \`${shown}\`.`);
      case "rejected":
        return turn.say("All right, I left it as it is.");
      case "read-only":
        return turn.say("I am in read-only mode.");
      case "moved":
        return turn.say(`\`${shown}\` changed while I was asking, so I left it alone.`);
      case "refused":
        return turn.say(`I changed nothing. ${changed.reason}`);
      default:
        return changed satisfies never;
    }
  },
};

function unquote(text: string): string {
  return text.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);
}

/** Runs a shell command after asking for permission. */
export const run: Skill = {
  name: "run",
  usage: "run <command>",
  summary: "Runs a shell command here, after asking you.",
  hint: "<command>",
  accepts: isGiven,
  async run(turn, command) {
    const end = await runAsked(turn, command);
    if (end === "rejected") return turn.say("All right, I did not run it.");
    if (end === "read-only") return turn.say("I am in read-only mode.");
    turn.say(verdict(end, turn.isDetailed ? ` \`${command}\`` : ""));
  },
};

function verdict(exit: TerminalExit, command: string): string {
  if (exit.signal !== null) return `The command${command} was ended by ${exit.signal}.`;
  return exit.exitCode === 0
    ? `The command${command} succeeded.`
    : `The command${command} ended with exit code ${exit.exitCode}.`;
}
