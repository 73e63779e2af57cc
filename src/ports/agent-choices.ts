import type { AgentLimits } from "../protocol/conversations.ts";
import type { CliType } from "../protocol/ids.ts";
import type { ProcessTopology } from "../protocol/process-topology.ts";

/** What the user chose last, by the agent's own id of the option. */
export type Choices = ReadonlyMap<string, string | boolean>;

/** Choices made in a session are how the next one of that agent starts. */
export interface AgentChoices {
  of(cliType: CliType): Promise<Choices>;
  remember(cliType: CliType, configId: string, value: string | boolean): Promise<void>;
}

/** The models of an agent that the user wants to find first, by the agent's own ids. */
export interface ModelFavourites {
  favourites(cliType: CliType): Promise<readonly string[]>;
  setFavourite(cliType: CliType, model: string, isFavourite: boolean): Promise<void>;
}

/**
 * How the user wants each agent's processes to be started; it goes before config.json. Read once at the start: the pool
 * keeps them in memory, since it lists its agents synchronously.
 */
export interface ProcessChoices {
  processes(): Promise<ReadonlyMap<CliType, ProcessTopology>>;
  chooseProcess(cliType: CliType, process: ProcessTopology): Promise<void>;
}

/**
 * What was reported about the accounts of agents, stored for the next server: agents report it only while they work.
 */
export interface KnownLimits {
  limits(): Promise<ReadonlyMap<CliType, AgentLimits>>;
  rememberLimits(cliType: CliType, limits: AgentLimits): Promise<void>;
}
