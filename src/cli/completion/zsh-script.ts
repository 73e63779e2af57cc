import { type CommandSpec, type Offer, type OptionSpec, offerOf } from "../command-spec.ts";
import { COMMANDS, OPTIONS_OF_ALL } from "../command-table.ts";

/** `liminal completion zsh > ~/.zfunc/_liminal` */
export function zshScript(): string {
  const commands = COMMANDS.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join("\n");
  return `#compdef liminal
# zsh completion of liminal; made by: liminal completion zsh
_liminal_offer() {
  local -a offered
  local one
  for one in \${(f)"$(liminal completion offer $1 2>/dev/null)"}; do
    offered+=("\${\${one%%$'\\t'*}//:/\\\\:}:\${one#*$'\\t'}")
  done
  _describe -V $1 offered
}

_liminal() {
  local -a commands
  commands=(
${commands}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${COMMANDS.map(caseOf).join("\n")}
  esac
}

if [[ "$funcstack[1]" == _liminal ]]; then _liminal "$@"; else compdef _liminal liminal; fi
`;
}

function caseOf(command: CommandSpec): string {
  const specs = [
    ...[...command.options, ...OPTIONS_OF_ALL].flatMap(optionSpecs),
    ...command.offers.map((offer, index) => {
      const place =
        index === command.offers.length - 1 && command.argsMax > command.offers.length ? "*" : String(index + 1);
      return quoted(`${place}:argument:${action(offer)}`);
    }),
  ];
  return `    ${command.name}) _arguments \\\n      ${specs.join(" \\\n      ")} ;;`;
}

function optionSpecs(option: OptionSpec): string[] {
  const { name, short, value, help } = option;
  const tail = `[${help.replace(/[[\]:]/g, (sign) => `\\${sign}`)}]${value === undefined ? "" : `:${value}:${action(offerOf(option))}`}`;
  const spellings = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
  return spellings.map((spelling) => quoted(spelling + tail));
}

function action(offer: Offer): string {
  if (typeof offer !== "string") return `(${offer.join(" ")})`;
  switch (offer) {
    case "files":
      return "_files";
    case "directories":
      return "_files -/";
    case "agents":
    case "sessions":
    case "devices":
    case "requests":
      // Without the space zsh would put arguments of its own before ours.
      return ` _liminal_offer ${offer}`;
    case "commands":
      return `(${COMMANDS.map(({ name }) => name).join(" ")})`;
    case "nothing":
      return " ";
    default:
      return offer satisfies never;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
