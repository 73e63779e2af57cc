import { type CommandSpec, type Offer, type OptionSpec, offerOf } from "../command-spec.ts";
import { COMMANDS, OPTIONS_OF_ALL } from "../command-table.ts";

/** `source <(liminal completion bash)` */
export function bashScript(): string {
  return `# bash completion of liminal; made by: liminal completion bash
# Titles stand beside the ids while there is a choice; what is inserted is an id.
_liminal_offer() {
  local id title ids=() shown=()
  while IFS=$'\\t' read -r id title; do
    [[ "$id" == "$2"* ]] || continue
    ids+=("$id")
    shown+=("$id  $title")
  done < <(liminal completion offer "$1" 2>/dev/null)
  if (( \${#ids[@]} == 1 )); then COMPREPLY=("\${ids[0]}"); else COMPREPLY=("\${shown[@]}"); fi
}
_liminal() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" cmd="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "${COMMANDS.map(({ name }) => name).join(" ")}" -- "$cur"))
    return
  fi
  case "$cmd" in
${COMMANDS.map(caseOf).join("\n")}
  esac
}
complete -o filenames -F _liminal liminal
`;
}

function caseOf(command: CommandSpec): string {
  const options = [...command.options, ...OPTIONS_OF_ALL];
  const values = options.filter(({ value }) => value !== undefined);
  const byValue = values.map(
    (option) => `        ${spellings(option).join("|")}) ${replyWith(offerOf(option))}; return ;;`,
  );
  const byPlace = command.offers.map((offer, index) => {
    const isLast = index === command.offers.length - 1;
    return `        ${isLast ? "*" : index + 2}) ${replyWith(offer)} ;;`;
  });
  return [
    `    ${command.name})`,
    ...(byValue.length > 0 ? ['      case "$prev" in', ...byValue, "      esac"] : []),
    '      if [[ "$cur" == -* ]]; then',
    `        COMPREPLY=($(compgen -W "${options.flatMap(spellings).join(" ")}" -- "$cur"))`,
    "        return",
    "      fi",
    ...(byPlace.length > 0 ? ["      case $COMP_CWORD in", ...byPlace, "      esac"] : []),
    "      ;;",
  ].join("\n");
}

function spellings({ name, short }: OptionSpec): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

function replyWith(offer: Offer): string {
  const words = (text: string) => `COMPREPLY=($(compgen -W "${text}" -- "$cur"))`;
  if (typeof offer !== "string") return words(offer.join(" "));
  switch (offer) {
    case "files":
      return 'COMPREPLY=($(compgen -f -- "$cur"))';
    case "directories":
      return 'COMPREPLY=($(compgen -d -- "$cur"))';
    case "agents":
    case "sessions":
    case "devices":
    case "requests":
      return `_liminal_offer ${offer} "$cur"`;
    case "commands":
      return words(COMMANDS.map(({ name }) => name).join(" "));
    case "nothing":
      return "COMPREPLY=()";
    default:
      return offer satisfies never;
  }
}
