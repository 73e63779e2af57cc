import { createHash } from "node:crypto";
import type { HolderHost } from "../agents/holder/holder-host.ts";
import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { ProcessLedger } from "../agents/process/process-ledger.ts";
import { type Kept, type Leftover, sweepLeftovers } from "../agents/process/sweep-leftovers.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { DataDir } from "./data-dir.ts";
import type { Logger } from "./server-log.ts";

const OWNER_CHARS = 16;

interface TakeOverParts {
  readonly owner: string;
  readonly ledger: ProcessLedger;
  readonly holders: HolderHost | null;
  readonly pool: AgentPool;
  readonly sessions: SessionService;
  readonly logger: Logger;
}

/** The mark by which processes of a data directory are found again. */
export function ownerOf({ path }: DataDir): string {
  return createHash("sha256").update(path).digest("hex").slice(0, OWNER_CHARS);
}

/**
 * Goes on where an earlier server stopped, however it did. Agents that are held go on, and their turns with them; what
 * nobody holds is ended first, so that it does not meet what is started now.
 */
export async function takeOver({ owner, ledger, holders, pool, sessions, logger }: TakeOverParts): Promise<void> {
  const found = await holders?.findLeft();
  for (const { pid, command } of sweepAll(owner, ledger, found?.kept))
    logger.warn(`Ended a leftover agent process ${pid}: ${command}`);
  await pool.adopt(found?.left ?? []);
  const { goOn, interrupted } = sessions.recover();
  if (goOn > 0) logger.info(`${goOn} turn(s) of the last run go on.`);
  if (interrupted > 0)
    logger.info(`${interrupted} turn(s) of the last run were interrupted; what had arrived is kept.`);
}

/** Again until nothing new is there: one that is ended may have started another a moment before. */
function sweepAll(owner: string, ledger: ProcessLedger, kept: Kept | undefined): readonly Leftover[] {
  const ended = new Map<number, Leftover>();
  let written = ledger.takeOver();
  for (let before = -1; ended.size > before; written = []) {
    before = ended.size;
    for (const leftover of sweepLeftovers(owner, written, kept)) ended.set(leftover.pid, leftover);
  }
  return [...ended.values()];
}
