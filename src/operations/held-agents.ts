import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { HolderHost } from "../agents/holder/holder-host.ts";
import type { Lifeline } from "../agents/process/lifeline.ts";
import type { FlowGate } from "../lib/flow-gate.ts";
import type { ServerConfig } from "./config.ts";
import type { DataDir } from "./data-dir.ts";
import { ownCommand } from "./own-program.ts";
import type { Logger } from "./server-log.ts";

/** The directory with the sockets and journals of a data directory's holders. */
function heldDirOf(dataDir: string): string {
  return join(dataDir, "held");
}

/** Number of agents that are held or have output that no server has read yet. */
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
  /** Null if there can be none; otherwise it also finds processes of an earlier server. */
  readonly holders: HolderHost | null;
  /**
   * False if agents end with the server: by choice, by the system's limits, or because the path is too long for a
   * socket.
   */
  readonly holdsAgents: boolean;
}

export function createHolders({ config, dataDir, lifeline, flow, logger, onError }: HolderParts): Holders {
  const { holdMs, checkpointBytes } = config;
  const dir = heldDirOf(dataDir.path);
  if (process.platform === "win32" || (holdMs === 0 && countHeld(dataDir.path) === 0)) return NONE;
  // More than an attached server leaves between two checkpoints.
  const journalBytesMax = UNATTENDED_BYTES_MAX + checkpointBytes;
  if (HolderHost.fits(dir)) {
    const holder = ownCommand("agent-holder");
    const holders = new HolderHost({ dir, holder, holdMs, checkpointBytes, journalBytesMax, lifeline, flow, onError });
    return { holders, holdsAgents: holdMs > 0 };
  }
  logger.warn(
    `The path ${dataDir.path} is too long for a socket, so turns end with the server. ` +
      "Set LIMINAL_DATA_DIR to a shorter path to keep them running.",
  );
  return NONE;
}
