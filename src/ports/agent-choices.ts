import type { CliType } from "../protocol/ids.ts";
import type { ProcessTopology } from "../protocol/server-messages.ts";

/** What the user chose last, by the agent's own id of the option. */
export type Choices = ReadonlyMap<string, string | boolean>;

/** Choices made in a session are how the next one of that agent starts. */
export interface AgentChoices {
  of(cliType: CliType): Choices;
  remember(cliType: CliType, configId: string, value: string | boolean): void;
}

/** How the user wants each agent's processes to be started; it goes before config.json. */
export interface ProcessChoices {
  processOf(cliType: CliType): ProcessTopology | null;
  chooseProcess(cliType: CliType, process: ProcessTopology): void;
}
