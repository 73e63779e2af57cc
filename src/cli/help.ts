import {
  type CommandLine,
  type CommandSpec,
  knownCommand,
  type OptionSpec,
  optionsOf,
  usageOf,
} from "./command-line.ts";
import { EXIT, EXIT_WORDS, type ExitCode } from "./exit-codes.ts";
import { paint, type Screen, Styled, styled, wrap } from "./terminal.ts";

const CHOICES_COLUMNS_MAX = 40;
const INDENT = "  ";
const GAP = "  ";
/** Longer lines are hard to read. */
const LINE_COLUMNS_MAX = 100;
/** With less room beside the names, the descriptions are below them. */
const MEANING_COLUMNS_MIN = 30;

export async function help(
  { args: [about], screen }: CommandLine,
  commands: readonly CommandSpec[],
): Promise<ExitCode> {
  const text = about === undefined ? overview(commands, screen) : helpOf(knownCommand(commands, about), screen);
  process.stdout.write(text.render(screen));
  return EXIT.done;
}

export function overview(commands: readonly CommandSpec[], screen: Screen): Styled {
  const columns = lineColumns(screen);
  const paragraph = (text: string) => `${wrap(text, columns, "")}\n`;
  return styled`${heading("Usage:")} liminal <command> [options]

${paragraph("One local app for all your AI coding agents. Commands use the running server, or start one in the background.")}
${heading("Commands:")}
${pairs(
  commands.map(({ name, summary }) => [name, summary] as const),
  columns,
)}
${paragraph("Session ids may be shortened to a unique beginning, request ids to a unique beginning or end. Every command takes --json and --help. liminal --version prints the version.")}
${heading("Exit codes:")}
${pairs(
  EXIT_WORDS.map(([code, words]) => [String(code), words] as const),
  columns,
)}`;
}

export function helpOf(command: CommandSpec, screen: Screen): Styled {
  const { summary, notes = [], json, examples } = command;
  const columns = lineColumns(screen);
  const all = optionsOf(command);
  return styled`${heading("Usage:")} ${wrap(usageOf(command), columns - "Usage: ".length, INDENT)}

${[`${capital(summary)}.`, ...notes].map((note) => `${wrap(note, columns, "")}\n`).join("")}
${heading("Options:")}
${pairs(
  all.map((option) => [optionWords(option), optionMeaning(option)] as const),
  columns,
)}${json === null ? "" : styled`\n${heading("With --json:")}\n${INDENT}${wrap(json, columns, INDENT)}\n`}
${heading("Examples:")}
${examples.map((example) => `${INDENT}${example}\n`).join("")}`;
}

function lineColumns({ columns }: Screen): number {
  return Math.min(columns ?? LINE_COLUMNS_MAX, LINE_COLUMNS_MAX);
}

function heading(text: string): Styled {
  return paint("bold", text);
}

/** Choices stand in place of the value, if they leave room for anything else. */
function isShort(choices: readonly string[]): boolean {
  return choices.join("|").length <= CHOICES_COLUMNS_MAX;
}

function optionMeaning({ help, choices = [] }: OptionSpec): string {
  return isShort(choices) ? help : `${help}: ${choices.join(", ")}`;
}

function optionWords({ name, short, value, optionalValue, choices }: OptionSpec): string {
  const given = choices && isShort(choices) ? choices.join("|") : value;
  return `${short ? `-${short}, ` : "    "}--${name}${given ? ` <${given}>` : optionalValue ? `[=${optionalValue}]` : ""}`;
}

/** Names and descriptions, side by side if there is room. */
function pairs(rows: readonly (readonly [string, string])[], columnsMax: number): Styled {
  const width = Math.max(...rows.map(([name]) => name.length));
  const left = INDENT.length + width + GAP.length;
  const isBeside = columnsMax - left >= MEANING_COLUMNS_MIN;
  const indent = isBeside ? " ".repeat(left) : INDENT.repeat(4);
  return Styled.join(
    rows.map(([name, meaning]) => {
      const gap = isBeside ? " ".repeat(left - INDENT.length - name.length) : `\n${indent}`;
      return styled`${INDENT}${paint("cyan", name)}${gap}${wrap(meaning, columnsMax, indent)}\n`;
    }),
  );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
