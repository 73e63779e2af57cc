import type { Hub } from "../fanout/hub.ts";
import { FlowGate } from "../lib/flow-gate.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { StorageState } from "../protocol/storage.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { storageFaultOf } from "../store/database/storage-watch.ts";
import type { Logger } from "./server-log.ts";

interface StorageGuardOptions {
  readonly logger: Logger;
  readonly hub: Hub;
  /** Stores the pending facts of sessions. */
  readonly flushSessions: () => Promise<void>;
}

/** Pauses agents while nothing can be stored, and resumes them when it can. */
export class StorageGuard {
  /** Closed while nothing can be stored: agent output is not read. */
  readonly flow = new FlowGate();
  readonly #options: StorageGuardOptions;
  #isWritable = true;

  constructor(options: StorageGuardOptions) {
    this.#options = options;
  }

  /** Lets agents end although nothing can be stored. */
  letEnd(): void {
    this.flow.open();
  }

  /** Agents are paused before clients are notified, and resumed only after pending facts are stored. */
  readonly changed = (state: StorageState): void => {
    const { logger, hub } = this.#options;
    if (state.writable) logger.info("Database is writable again.");
    else logger.error(`Database is not writable; the server is read-only. ${state.message}`);
    this.#isWritable = state.writable;
    if (!state.writable) this.flow.close();
    hub.publish({ type: "storage:state", ...state });
    if (state.writable) this.#resume().catch((error) => logger.error("Could not store pending output", error));
  };

  /** Pending facts are stored before agents are read again. */
  async #resume(): Promise<void> {
    await this.#options.flushSessions();
    if (this.#isWritable) this.flow.open();
  }
}

/** Logged if the server ends before everything could be stored. */
export async function warnOfUnstored(sessions: SessionService, holdMs: number, logger: Logger): Promise<void> {
  const stored = await Promise.all(sessions.loaded().map((session) => session.tryFlush()));
  const unstored = stored.filter((isStored) => !isStored).length;
  if (unstored === 0) return;
  const kept = holdMs === 0 ? "" : ` It is kept for ${Math.round(holdMs / 1000)} s: free some space and restart.`;
  logger.error(`Output of ${unstored} ${unstored === 1 ? "session" : "sessions"} was not saved.${kept}`);
}

/** For otherwise unhandled errors. Disk errors of the database are reported once, by the guard. */
export function faultReporter(logger: Logger, words: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error) || storageFaultOf(error) === null) logger.error(words, error);
    else if (!("errcode" in error || "storageFault" in error)) logger.warn(`Write failed: ${error.message}`);
  };
}

/** Limits the warnings that clients can cause. */
const WARNINGS_MAX = 100;

/**
 * SQLite silently drops the end of a damaged write-ahead log. Pages remember their last fact: a page that has seen more
 * than is stored is the only sign of a loss, so it is logged once per session.
 */
export function warnOfShortLogs(logger: Logger): (sessionId: SessionId, known: number, stored: number) => void {
  const warned = new Set<SessionId>();
  return (sessionId, known, stored) => {
    if (warned.has(sessionId) || warned.size >= WARNINGS_MAX) return;
    warned.add(sessionId);
    logger.warn(
      `A page has newer data of session ${sessionId} than the database (${known} facts shown, ${stored} stored). ` +
        "Unless you deleted the database or restored an older copy, the disk lost data: check the disk. The session continues from the stored data.",
    );
  };
}
