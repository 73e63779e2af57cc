import { HolderHost } from "../agents/holder/holder-host.ts";
import type { Lifeline } from "../agents/process/lifeline.ts";
import type { FlowGate } from "../lib/flow-gate.ts";
import type { ServerConfig } from "./config.ts";
import type { DataDir } from "./data-dir.ts";
import type { Logger } from "./logger.ts";

const UNATTENDED_BYTES_MAX = 64 * 1024 * 1024;

interface HolderParts {
  readonly config: ServerConfig;
  readonly dataDir: DataDir;
  readonly lifeline: Lifeline;
  readonly flow: FlowGate;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
}

/** Null where agents end with the server: the user or the system wants it so, or the path is too long for a socket. */
export function createHolders({ config, dataDir, lifeline, flow, logger, onError }: HolderParts): HolderHost | null {
  const { holdMs, checkpointBytes } = config;
  if (holdMs === 0 || process.platform === "win32") return null;
  const dir = dataDir.file("held");
  // More than what a server that is there leaves between two checkpoints.
  const journalBytesMax = UNATTENDED_BYTES_MAX + checkpointBytes;
  if (HolderHost.fits(dir))
    return new HolderHost({ dir, holdMs, checkpointBytes, journalBytesMax, lifeline, flow, onError });
  logger.warn(
    `The path of ${dataDir.path} is too long for a socket, so turns end when the server does. ` +
      "Set LIMINAL_DATA_DIR to a shorter one to have them go on.",
  );
  return null;
}
