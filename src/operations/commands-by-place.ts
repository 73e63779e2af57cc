import type { CommandMachine } from "../ports/project-commands.ts";
import { ByPlace, type ByPlaceParts } from "./by-place.ts";

/** Commands run where their directory is: on this machine, or at the place its path names. */
export class CommandsByPlace implements CommandMachine {
  readonly #parts: ByPlace<CommandMachine>;

  constructor(parts: ByPlaceParts<CommandMachine>) {
    this.#parts = new ByPlace(parts);
  }

  async read(directory: string): ReturnType<CommandMachine["read"]> {
    return (await this.#parts.in(directory)).read(directory);
  }

  async isFree(directory: string, port: number): Promise<boolean> {
    return (await this.#parts.in(directory)).isFree(directory, port);
  }

  async answersOn(directory: string, port: number): Promise<boolean> {
    return (await this.#parts.in(directory)).answersOn(directory, port);
  }
}
