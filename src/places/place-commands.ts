import type { CommandMachine } from "../ports/project-commands.ts";
import { PartCaller } from "./ask-part.ts";
import { COMMAND_CALLS } from "./command-calls.ts";
import { PlaceError } from "./place-error.ts";
import type { PlaceLink } from "./place-link.ts";
import { PlaceNames } from "./place-names.ts";

/** What the commands of `liminal.json` have to know of a place, by its runner. */
export class PlaceCommands implements CommandMachine {
  readonly #names: PlaceNames;
  readonly #calls: PartCaller<typeof COMMAND_CALLS>;

  constructor(link: PlaceLink, place: string, onError: (error: unknown) => void) {
    this.#names = new PlaceNames(place);
    this.#calls = new PartCaller(link, "commands", COMMAND_CALLS, onError);
  }

  read(directory: string): ReturnType<CommandMachine["read"]> {
    return this.#calls.call("read", this.#names.pathThere(directory));
  }

  isFree(directory: string, port: number): Promise<boolean> {
    return this.#calls.call("isFree", this.#names.pathThere(directory), port);
  }

  /** Not from here, while the place is away. */
  async answersOn(directory: string, port: number): Promise<boolean> {
    try {
      return await this.#calls.ask("answersOn", this.#names.pathThere(directory), port);
    } catch (error) {
      if (error instanceof PlaceError) return false;
      throw error;
    }
  }
}
