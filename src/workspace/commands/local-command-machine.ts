import type { CommandMachine } from "../../ports/project-commands.ts";
import { readLiminalText } from "./liminal-json.ts";
import { answersOn, isFreePort } from "./service-ports.ts";

/** Commands that run on this machine. */
export const LOCAL_COMMAND_MACHINE: CommandMachine = {
  read: readLiminalText,
  isFree: (_directory, port) => isFreePort(port),
  answersOn: (_directory, port) => answersOn(port),
};
