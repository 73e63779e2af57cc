import { failureMessage, withAdvice } from "../acp/connection/failure-message.ts";
import type { ExitReport } from "../process/process-host.ts";

/** How a process ended, in words. */
export function describeExit(exit: ExitReport): string {
  return exit.signal ? `killed by ${exit.signal}` : `exit code ${exit.code}`;
}

export function lastStderrLine({ stderrTail }: ExitReport): string {
  return stderrTail.trimEnd().split("\n").at(-1)?.trim() ?? "";
}

/** Why a start failed, with what the process complained about last. */
export function reasonOf(error: unknown, stderrTail: string): string {
  const reason = error instanceof Error ? failureMessage(error.message, Reflect.get(error, "data")) : String(error);
  return withAdvice([reason, stderrTail].filter(Boolean).join("\n"));
}
