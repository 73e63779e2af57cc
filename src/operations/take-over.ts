import { createHash } from "node:crypto";
import type { HolderHost } from "../agents/holder/holder-host.ts";
import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { ProcessLedger } from "../agents/process/process-ledger.ts";
import { type Kept, type Leftover, sweepLeftovers } from "../agents/process/sweep-leftovers.ts";
import type { Places } from "../places/places.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { DataDir } from "./data-dir.ts";
import type { Logger } from "./server-log.ts";

const OWNER_CHARS = 16;

interface TakeOverParts {
  readonly owner: string;
  readonly ledger: ProcessLedger;
  readonly holders: HolderHost | null;
  readonly places: Pick<Places, "survivors">;
  readonly pool: AgentPool;
  readonly sessions: SessionService;
  readonly logger: Logger;
}

/** The mark that all processes of one data directory carry. */
export function ownerOf({ path }: DataDir): string {
  return createHash("sha256").update(path).digest("hex").slice(0, OWNER_CHARS);
}

/**
 * Resumes where the last server stopped. Held agents and their turns continue. Processes without a holder are ended
 * first, so that they do not interfere with new ones.
 */
export async function takeOver({
  owner,
  ledger,
  holders,
  places,
  pool,
  sessions,
  logger,
}: TakeOverParts): Promise<void> {
  const found = await holders?.findSurvivors();
  for (const { pid, command } of sweepAll(owner, ledger, found?.kept))
    logger.warn(`Killed leftover agent process ${pid}: ${command}`);
  const atPlaces = await places.survivors(() => sessions.unfinishedDirectories());
  await pool.resumeSurvivors([...(found?.survivors ?? []), ...atPlaces]);
  const { goOn, interrupted } = await sessions.recover();
  if (goOn > 0) logger.info(`${goOn} turn(s) of the last run continue.`);
  if (interrupted > 0)
    logger.info(`${interrupted} turn(s) of the last run were interrupted. Output received so far was kept.`);
}

/** Repeats until nothing new is found: an ended process may have started another just before. */
function sweepAll(owner: string, ledger: ProcessLedger, kept: Kept | undefined): readonly Leftover[] {
  const ended = new Map<number, Leftover>();
  let written = ledger.takeOver();
  for (let before = -1; ended.size > before; written = []) {
    before = ended.size;
    for (const leftover of sweepLeftovers(owner, written, kept)) ended.set(leftover.pid, leftover);
  }
  return [...ended.values()];
}
