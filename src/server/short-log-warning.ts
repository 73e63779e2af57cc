import type { SessionId } from "../protocol/ids.ts";
import type { Logger } from "./logging/logger.ts";

/** Whatever clients claim, the log does not fill up with it. */
const WARNINGS_MAX = 100;

/**
 * SQLite drops the end of a write-ahead log that it cannot trust and says nothing. Pages remember how far they had come:
 * one that knows more than is stored is the only witness that something is gone, so it is told, once per session.
 */
export function warnOfShortLogs(logger: Logger): (sessionId: SessionId, known: number, stored: number) => void {
  const warned = new Set<SessionId>();
  return (sessionId, known, stored) => {
    if (warned.has(sessionId) || warned.size >= WARNINGS_MAX) return;
    warned.add(sessionId);
    logger.warn(
      `The database is older than what a page has shown of session ${sessionId} (${known} facts shown, ${stored} stored). ` +
        "Unless you have deleted it or put back an older copy, the disk has lost some of it: check the disk. What is stored goes on from here.",
    );
  };
}
