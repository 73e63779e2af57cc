import type { Commit } from "../../ports/session-log.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { columnSources } from "./session-columns.ts";

const SESSIONS_MAX = 2_000;

/**
 * The columns of each session as this process stored them last. Streamed text changes only a few numbers of them: the
 * others, some of them long, need not be written again with every burst.
 */
export class KnownColumns {
  readonly #sources = new Map<SessionId, readonly unknown[]>();

  /** The columns are stored already as this commit has them, but for the numbers that every commit raises. */
  has(sessionId: SessionId, commit: Commit): boolean {
    const known = this.#sources.get(sessionId);
    return known !== undefined && columnSources(commit).every((source, nth) => source === known[nth]);
  }

  /** The commit is stored. */
  keep(sessionId: SessionId, commit: Commit): void {
    this.#sources.delete(sessionId);
    this.#sources.set(sessionId, columnSources(commit));
    const oldest = this.#sources.keys().next().value;
    if (this.#sources.size > SESSIONS_MAX && oldest !== undefined) this.#sources.delete(oldest);
  }

  forget(sessionId: SessionId): void {
    this.#sources.delete(sessionId);
  }
}
