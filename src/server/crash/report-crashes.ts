import type { ServerLog } from "../logging/server-log.ts";
import { VERSION } from "../version.ts";
import { CrashReports } from "./crash-reports.ts";

/** What nobody caught ends the server: what it was stays in a file, for the user alone. */
export function reportCrashes(dataDir: string, logger: ServerLog): void {
  const crash = (what: string) => (error: unknown) => {
    const details = logger.clean(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const at = new Date().toISOString();
    const log = [...logger.recent];
    try {
      const path = new CrashReports(dataDir).write({ what, details, at, version: VERSION, log });
      logger.error(`${what} It ended the server. ${path} says more; it is sent to nobody.`);
    } catch (failure) {
      logger.error(`${what} It ended the server: ${details}`, failure);
    }
    process.exit(1);
  };
  process.on("uncaughtException", crash("An error that nobody had expected."));
  process.on("unhandledRejection", crash("Something failed that nobody had waited for."));
}
