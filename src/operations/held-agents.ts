import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { HolderHost } from "../agents/holder/holder-host.ts";
import type { Lifeline } from "../agents/process/lifeline.ts";
import type { FlowGate } from "../lib/flow-gate.ts";
import type { ServerConfig } from "./config.ts";
import type { DataDir } from "./data-dir.ts";
import type { Logger } from "./server-log.ts";

/** Where the holders of a data directory's agents have their sockets and journals. */
function heldDirOf(dataDir: string): string {
  return join(dataDir, "held");
}

/** How many agents are held, or have left something that no server has read yet. */
export function countHeld(dataDir: string): number {
  const dir = heldDirOf(dataDir);
  return existsSync(dir) ? readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length : 0;
}

const NONE = { holders: null, holdsAgents: false } as const;
const UNATTENDED_BYTES_MAX = 64 * 1024 * 1024;

interface HolderParts {
  readonly config: ServerConfig;
  readonly dataDir: DataDir;
  readonly lifeline: Lifeline;
  readonly flow: FlowGate;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
}

interface Holders {
  /** Null where there can be none; else it also finds what an earlier server left. */
  readonly holders: HolderHost | null;
  /** False where agents end with the server: the user or the system wants it so, or the path is too long for a socket. */
  readonly holdsAgents: boolean;
}

export function createHolders({ config, dataDir, lifeline, flow, logger, onError }: HolderParts): Holders {
  const { holdMs, checkpointBytes } = config;
  const dir = heldDirOf(dataDir.path);
  if (process.platform === "win32" || (holdMs === 0 && countHeld(dataDir.path) === 0)) return NONE;
  // More than what a server that is there leaves between two checkpoints.
  const journalBytesMax = UNATTENDED_BYTES_MAX + checkpointBytes;
  if (HolderHost.fits(dir)) {
    const holders = new HolderHost({ dir, holdMs, checkpointBytes, journalBytesMax, lifeline, flow, onError });
    return { holders, holdsAgents: holdMs > 0 };
  }
  logger.warn(
    `The path ${dataDir.path} is too long for a socket, so turns end with the server. ` +
      "Set LIMINAL_DATA_DIR to a shorter path to keep them running.",
  );
  return NONE;
}
