import { type CommandSpec, OPTIONS_OF_ALL, type OptionSpec, usageOf } from "./command-line.ts";
import { EXIT_WORDS } from "./exit-codes.ts";

/** The manual of all commands in the language of `man`, made of the table of commands. */
export function manPage(commands: readonly CommandSpec[], version: string): string {
  return [
    `.TH LIMINAL 1 "" "Liminal Builder ${escaped(version)}" "User Commands"`,
    ".SH NAME",
    "liminal \\- one local app for all your AI coding agents",
    ".SH SYNOPSIS",
    ".B liminal",
    "[\\fIcommand\\fR] [\\fIoptions\\fR]",
    ".SH DESCRIPTION",
    escaped(
      "Does from a terminal, a script or CI what the page does. Commands use the running server, or start one in the background. Session ids may be shortened to a unique beginning.",
    ),
    ".SH OPTIONS OF EVERY COMMAND",
    ...OPTIONS_OF_ALL.flatMap(option),
    ".SH COMMANDS",
    ...commands.flatMap(section),
    ".SH EXIT STATUS",
    ...EXIT_WORDS.flatMap(([code, words]) => [".TP", `.B ${code}`, escaped(words)]),
    ".SH ENVIRONMENT",
    ...ENVIRONMENT.flatMap(([name, words]) => [".TP", `.B ${name}`, escaped(words)]),
    "",
  ].join("\n");
}

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ["LIMINAL_DATA_DIR", "where everything is stored (default: ~/.liminal-builder)"],
  ["LIMINAL_SERVER", "the server to use, as with --host"],
  ["LIMINAL_TOKEN", "the token of that server; without --host, instead of the stored one"],
  ["LIMINAL_SERVER_CERT", "the certificate of a server elsewhere that is not signed by an authority, as a PEM file"],
  ["NO_COLOR", "print no colours"],
];

function section(command: CommandSpec): readonly string[] {
  const { summary, options, notes = [], examples } = command;
  return [
    `.SS ${escaped(usageOf(command))}`,
    escaped(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ...notes.flatMap((note) => [".PP", escaped(note)]),
    ...options.flatMap(option),
    ...(examples.length > 0 ? [".PP", ".nf", ...examples.map((line) => `  ${escaped(line)}`), ".fi"] : []),
  ];
}

function option({ name, short, value, optionalValue, choices, help }: OptionSpec): readonly string[] {
  const given = choices?.join("|") ?? value;
  const argument = given ? ` \\fI${escaped(given)}\\fR` : optionalValue ? `[=\\fI${escaped(optionalValue)}\\fR]` : "";
  return [".TP", `\\fB${escaped(`${short ? `-${short}, ` : ""}--${name}`)}\\fR${argument}`, escaped(help)];
}

/** A backslash, a hyphen, and a dot or quote at the start of a line are special for `man`. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");
}
