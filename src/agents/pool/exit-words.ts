import type { ExitReport } from "../process/process-host.ts";

/** How a process ended, in words. */
export function describeExit(exit: ExitReport): string {
  return exit.signal ? `killed by ${exit.signal}` : `exit code ${exit.code}`;
}

/** Why a start failed, with what the process complained about last. */
export function reasonOf(error: unknown, exit: ExitReport): string {
  const reason = error instanceof Error ? error.message : String(error);
  return [reason, exit.stderrTail].filter(Boolean).join("\n");
}
