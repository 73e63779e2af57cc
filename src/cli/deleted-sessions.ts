import { ignore } from "../lib/ignore.ts";
import type { SessionId } from "../protocol/ids.ts";
import { CliError, EXIT } from "./exit-codes.ts";

/** Ends the wait for a session that someone has deleted: nothing more will be heard of it. */
export class DeletedSessions {
  readonly #ends = new Map<SessionId, PromiseWithResolvers<never>>();

  heard(sessionId: SessionId): void {
    const words = "The session was deleted. liminal ls lists those there are.";
    this.#endOf(sessionId).reject(new CliError(EXIT.failed, words, "SESSION_NOT_FOUND"));
  }

  /** Rejects with the words for the user; never resolves. */
  until(sessionId: SessionId): Promise<never> {
    return this.#endOf(sessionId).promise;
  }

  #endOf(sessionId: SessionId): PromiseWithResolvers<never> {
    const known = this.#ends.get(sessionId);
    if (known) return known;
    const end = Promise.withResolvers<never>();
    end.promise.catch(ignore("most sessions are deleted while nobody here waits for them"));
    this.#ends.set(sessionId, end);
    return end;
  }
}
