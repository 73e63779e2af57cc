import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RUN_VARIABLE } from "../process/sweep-leftovers.ts";
import { type HolderOrders, socketOf } from "./holder-orders.ts";
import { launchHolder } from "./launch-holder.ts";

const LABEL_FILE = "label";
const SEGMENT_BYTES_MAX = 1024 * 1024;
/** The system's limit for a socket path. */
const SOCKET_PATH_BYTES_MAX = 100;
const ID_CHARS_MAX = 36;

export interface HolderLimits {
  readonly holdMs: number;
  readonly checkpointBytes: number;
  /** Limit of output kept while no server is connected. An agent that exceeds it is paused. */
  readonly journalBytesMax: number;
}

/** Socket paths have to be short; below a longer directory nothing can be held. */
export function holdersFit(dir: string): boolean {
  return Buffer.byteLength(socketOf(join(dir, "x".repeat(ID_CHARS_MAX)))) <= SOCKET_PATH_BYTES_MAX;
}

interface HeldCommand extends Pick<HolderOrders, "id" | "command" | "cwd" | "env"> {
  readonly label: string;
}

/** Makes the directory of a new holder. Throws if there is one with this id. */
export function prepareHolder(
  parent: string,
  { holdMs, checkpointBytes, journalBytesMax }: HolderLimits,
  { id, label, command, cwd, env }: HeldCommand,
): HolderOrders {
  const dir = join(parent, id);
  mkdirSync(dir, { mode: 0o700 });
  writeFileSync(join(dir, LABEL_FILE), label, { mode: 0o600 });
  return {
    dir,
    id,
    command: [...command],
    cwd,
    env: { ...env },
    holdMs,
    journalBytesMax,
    // Only whole files can be removed, so there must be several.
    segmentBytesMax: Math.min(SEGMENT_BYTES_MAX, checkpointBytes, journalBytesMax / 4),
  };
}

/** Resolves once the holder listens. */
export async function runHolder(holder: readonly string[], orders: HolderOrders): Promise<void> {
  const { [RUN_VARIABLE]: _, ...env } = orders.env;
  const problem = await launchHolder({ command: holder, dir: orders.dir, env, orders });
  if (problem !== null) throw new Error(`Its holder process could not start: ${problem}`);
}

/** An unreadable label matches no agent. */
export function readLabel(dir: string): string {
  try {
    return readFileSync(join(dir, LABEL_FILE), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}
