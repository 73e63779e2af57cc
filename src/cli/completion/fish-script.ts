import { type CommandSpec, type Offer, type OptionSpec, offerOf } from "../command-spec.ts";
import { COMMANDS, OPTIONS_OF_ALL } from "../command-table.ts";

/** `liminal completion fish > ~/.config/fish/completions/liminal.fish` */
export function fishScript(): string {
  const names = COMMANDS.map(
    ({ name, summary }) => `complete -c liminal -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
  );
  return [
    "# fish completion of liminal; made by: liminal completion fish",
    "complete -c liminal -f",
    ...names,
    ...COMMANDS.flatMap(linesOf),
    "",
  ].join("\n");
}

function linesOf(command: CommandSpec): string[] {
  const base = `complete -c liminal -n ${quoted(`__fish_seen_subcommand_from ${command.name}`)}`;
  const places = [...new Set(command.offers.map(offerWords))].filter((words) => words !== "");
  return [
    ...places.map((words) => `${base} ${words}`),
    ...[...command.options, ...OPTIONS_OF_ALL].map((option) => `${base} ${optionWords(option)}`),
  ];
}

function optionWords(option: OptionSpec): string {
  const { name, short, value, help } = option;
  const offer = offerOf(option);
  const spelling = `${short === undefined ? "" : `-s ${short} `}-l ${name} -d ${quoted(help)}`;
  if (value === undefined) return spelling;
  // Exclusive, or fish would offer files beside it.
  const isFile = offer === "files";
  return `${spelling} ${isFile ? "-r" : "-x"} ${offerWords(offer)}`.trimEnd();
}

function offerWords(offer: Offer): string {
  if (typeof offer !== "string") return `-a ${quoted(offer.join(" "))}`;
  switch (offer) {
    case "files":
      return "-F";
    case "directories":
      return `-a ${quoted("(__fish_complete_directories)")}`;
    case "agents":
    case "sessions":
    case "devices":
    case "requests":
      return `-a ${quoted(`(liminal completion offer ${offer} 2>/dev/null)`)}`;
    case "commands":
      return `-a ${quoted(COMMANDS.map(({ name }) => name).join(" "))}`;
    case "nothing":
      return "";
    default:
      return offer satisfies never;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
