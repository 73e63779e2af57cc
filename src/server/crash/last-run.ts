import type { DataDir } from "../data-dir.ts";
import type { InstanceLock } from "../instance-lock.ts";
import type { Logger } from "../logging/logger.ts";
import { CrashReports } from "./crash-reports.ts";

/** Says at the start how the last run ended, where that was not as it should. */
export function tellOfLastRun(dataDir: DataDir, lock: InstanceLock, logger: Logger): CrashReports {
  const crashes = new CrashReports(dataDir.path);
  const [newest] = crashes.names();
  if (newest !== undefined)
    logger.warn(
      `An earlier run ended unexpectedly: ${crashes.pathOf(newest)} says how. It was sent to nobody; delete it when you are done.`,
    );
  else if (lock.wasLeft)
    logger.info("The last run was killed, or the machine went down. Everything that was stored is there.");
  return crashes;
}

/** For whoever opens the page. */
export function lastCrash(dataDir: DataDir): { crashReport?: string } {
  const [newest] = new CrashReports(dataDir.path).names();
  return newest === undefined ? {} : { crashReport: newest };
}
