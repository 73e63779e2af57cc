import type { CommandSpec, OptionSpec } from "./command-spec.ts";
import { COMMANDS, OPTIONS_OF_ALL } from "./command-table.ts";
import { EXIT_WORDS } from "./exit-codes.ts";

const GAP = 2;
const LINE_CHARS_MAX = 100;

export function overview(): string {
  const rows = COMMANDS.map(({ name, summary }) => [name, summary] as const);
  return [
    "Usage: liminal <command> [options]",
    "",
    "One local app for all your AI coding agents. Commands talk to the running server, or start one and say so.",
    "",
    "Commands:",
    ...columns(rows),
    "",
    "Session ids may be shortened to a unique beginning, request ids to a unique beginning or end. Every command takes --json and --help; liminal --version says which this is.",
    "",
    "Exit codes:",
    ...columns(EXIT_WORDS.map(([code, words]) => [String(code), words] as const)),
    "",
  ].join("\n");
}

export function helpOf(command: CommandSpec): string {
  const { summary, options, notes = [], json, examples } = command;
  const all = [...options, ...OPTIONS_OF_ALL];
  return [
    `Usage: ${usageOf(command)}`,
    "",
    `${capital(summary)}.`,
    ...notes.flatMap((note) => wrapped(note, "")),
    "",
    "Options:",
    ...columns(all.map((option) => [optionWords(option), option.help] as const)),
    ...(json === null ? [] : ["", "With --json:", ...wrapped(json, "  ")]),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

export function usageOf({ name, args }: CommandSpec): string {
  return ["liminal", name, args, "[options]"].filter((word) => word !== "").join(" ");
}

function optionWords({ name, short, value }: OptionSpec): string {
  return `${short ? `-${short}, ` : "    "}--${name}${value ? ` <${value}>` : ""}`;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length)) + GAP;
  return rows.flatMap(([first, second]) => {
    const [line = "", ...more] = wrapped(second, " ".repeat(width + GAP));
    return [`  ${first.padEnd(width)}${line.trimStart()}`, ...more];
  });
}

function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent.length + line.length + 1 + word.length > LINE_CHARS_MAX) {
      lines.push(indent + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
