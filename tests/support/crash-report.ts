import { CrashReports } from "../../src/operations/crash-reports.ts";

/** What a run that ended unexpectedly leaves in a data directory. */
export function leaveCrashReport(dataDir: string): void {
  new CrashReports(dataDir).write({
    what: "Uncaught exception.",
    details: "Error: made up for a test",
    at: "2026-01-02T03:04:05.678Z",
    version: "0.0.0",
    log: ["the last line of its log"],
  });
}
