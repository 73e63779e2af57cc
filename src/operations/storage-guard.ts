import type { Hub } from "../fanout/hub.ts";
import { FlowGate } from "../lib/flow-gate.ts";
import type { StorageState } from "../protocol/storage.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { storageFaultOf } from "../store/database/storage-watch.ts";
import type { Logger } from "./server-log.ts";

type Listener = (state: StorageState) => void;

/** What follows for everyone when nothing can be stored, and when it can again. */
export class StorageGuard {
  /** Agents are not read any further than can be stored. */
  readonly flow = new FlowGate();
  readonly #logger: Logger;
  readonly #listeners: Listener[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Clients hear of it after agents are held up, and what waits is stored before these go on. */
  tell(hub: Hub, sessions: SessionService): void {
    this.#listeners.push((state) => {
      hub.publish({ type: "storage:state", ...state });
      if (state.writable) sessions.flush();
    });
  }

  /** How agents end must be heard, whether or not it can be stored. */
  letEnd(): void {
    this.flow.open();
  }

  readonly changed = (state: StorageState): void => {
    if (state.writable) this.#logger.info("Database is writable again.");
    else this.#logger.error(`Nothing can be stored: everything is read-only. ${state.message}`);
    if (!state.writable) this.flow.close();
    for (const listener of this.#listeners) listener(state);
    if (state.writable) this.flow.open();
  };
}

/** Said when the server ends before everything could be stored. */
export function warnOfUnstored(sessions: SessionService, holdMs: number, logger: Logger): void {
  const unstored = sessions.loaded().filter((session) => !session.tryFlush()).length;
  if (unstored === 0) return;
  const kept = holdMs === 0 ? "" : ` It is kept for ${Math.round(holdMs / 1000)} s: free some space and start again.`;
  logger.error(`Output of ${unstored} ${unstored === 1 ? "session" : "sessions"} was not saved.${kept}`);
}

/** For faults that nobody else deals with. What the disk does to the database is told once, by the guard. */
export function faultReporter(logger: Logger, words: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error) || storageFaultOf(error) === null) logger.error(words, error);
    else if (!("errcode" in error)) logger.warn(`Could not be written: ${error.message}`);
  };
}
