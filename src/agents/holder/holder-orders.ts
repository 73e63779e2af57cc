import { join } from "node:path";

/** Version of the records between holder and server; other versions are rejected. */
export const HOLDER_VERSION = 1;

/** Sent to a holder on its standard input at start, because arguments are visible to everyone. */
export interface HolderOrders {
  /** The holder's directory, for its socket and its journal. */
  readonly dir: string;
  /** The mark that the agent and its child processes carry. */
  readonly id: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Without a server for this long, the agent is ended. */
  readonly holdMs: number;
  /** At this journal size the agent's output is paused. */
  readonly journalBytesMax: number;
  readonly segmentBytesMax: number;
}

export function socketOf(dir: string): string {
  return join(dir, "socket");
}
