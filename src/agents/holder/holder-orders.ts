import { join } from "node:path";

/** Holder and server speak this version of their records; another one is not understood. */
export const HOLDER_VERSION = 1;

/** What a holder is told at its start, on its standard input: arguments could be read by everyone. */
export interface HolderOrders {
  /** Its own directory, for its socket and its journal. */
  readonly dir: string;
  /** The mark that the agent and whatever that starts carry. */
  readonly id: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Without a server for this long, the agent is ended. */
  readonly holdMs: number;
  /** With this much in the journal the agent has to wait with what it wants to say. */
  readonly journalBytesMax: number;
  readonly segmentBytesMax: number;
}

export function socketOf(dir: string): string {
  return join(dir, "socket");
}
