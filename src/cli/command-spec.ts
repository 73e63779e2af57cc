/** What completion offers in a place: words of its own, or what the program looks up. */
export type Offer =
  | readonly string[]
  | "files"
  | "directories"
  | "agents"
  | "sessions"
  | "devices"
  | "requests"
  | "commands"
  | "nothing";

export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** What stands after it, in words; without it the option is a switch. */
  readonly value?: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** What completion offers; the choices where it has some. */
  readonly offer?: Offer;
  readonly help: string;
}

export function offerOf({ choices, offer }: OptionSpec): Offer {
  return choices ?? offer ?? "files";
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** What follows the name, as help shows it. */
  readonly args: string;
  readonly argsMin: number;
  readonly argsMax: number;
  /** What completion offers for the arguments, in order; the last one counts for all after it. */
  readonly offers: readonly Offer[];
  readonly options: readonly OptionSpec[];
  /** More than the summary says: what happens when. */
  readonly notes?: readonly string[];
  /** What `--json` prints; null where there is nothing to print. */
  readonly json: string | null;
  readonly examples: readonly string[];
}
