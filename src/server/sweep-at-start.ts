import { createHash } from "node:crypto";
import { ProcessLedger } from "../agents/process/process-ledger.ts";
import { sweepLeftovers } from "../agents/process/sweep-leftovers.ts";
import type { DataDir } from "./data-dir.ts";
import type { Logger } from "./logger.ts";

const OWNER_CHARS = 16;

/** Ends what an earlier run left behind; the mark and the ledger by which a later run will find what this one leaves. */
export function sweepAtStart(dataDir: DataDir, logger: Logger): { owner: string; ledger: ProcessLedger } {
  const owner = createHash("sha256").update(dataDir.path).digest("hex").slice(0, OWNER_CHARS);
  const ledger = new ProcessLedger(dataDir.file("agent-processes"));
  for (const { pid, command } of sweepLeftovers(owner, ledger.takeOver()))
    logger.warn(`Ended a leftover agent process ${pid}: ${command}`);
  return { owner, ledger };
}
