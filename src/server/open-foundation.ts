import { ProcessLedger } from "../agents/process/process-ledger.ts";
import { Hub } from "../fanout/hub.ts";
import { AbsenceWatch } from "../lib/absence-watch.ts";
import type { ServerConfig } from "../operations/config.ts";
import { loadConfigFile } from "../operations/config-file.ts";
import type { DataDir } from "../operations/data-dir.ts";
import { openStores } from "../operations/open-stores.ts";
import type { Logger } from "../operations/server-log.ts";
import { faultReporter, StorageGuard } from "../operations/storage-guard.ts";
import type { World } from "../ports/world.ts";
import { ownerOf } from "./take-over.ts";

interface Ground {
  readonly config: ServerConfig;
  readonly dataDir: DataDir;
  readonly world: World;
  readonly logger: Logger;
  /** The app's own token. */
  readonly token: string;
}

export type Foundation = ReturnType<typeof openFoundation>;

/** What the parts stand on: what is stored, what is set, who listens. */
export function openFoundation(ground: Ground) {
  const { config, dataDir, world, logger } = ground;
  const guard = new StorageGuard(logger);
  const stores = openStores(dataDir, world, logger, guard.changed);
  const absence = new AbsenceWatch(config.questionUnwatchedMs);
  const file = loadConfigFile(dataDir.file("config.json"));
  for (const problem of file.problems) logger.warn(problem);
  return {
    ...ground,
    guard,
    stores,
    absence,
    file,
    hub: new Hub((isAny) => absence.setPresent(isAny)),
    owner: ownerOf(dataDir),
    ledger: new ProcessLedger(dataDir.file("agent-processes")),
    onError: faultReporter(logger, "Unexpected fault"),
  };
}
