import { SessionFeed } from "../../src/client/session-feed.ts";
import type { SessionId } from "../../src/protocol/ids.ts";
import type { SessionState } from "../../src/protocol/session-schema.ts";
import { within } from "../measure/wait-until.ts";
import { wallClockMs } from "../measure/wall-clock.ts";
import type { BenchClient } from "./open-client.ts";

/** A session as a client sees it, and the times at which it changed. */
export class FollowedSession implements Disposable {
  readonly #feed: SessionFeed;
  #look: (state: SessionState) => void = () => undefined;

  constructor({ connection }: BenchClient, sessionId: SessionId) {
    this.#feed = new SessionFeed({ connection, sessionId, onChange: (state) => this.#look(state) });
  }

  get state(): SessionState {
    return this.#feed.state;
  }

  /** When the state first satisfied the condition. */
  until(what: string, holds: (state: SessionState) => boolean): Promise<number> {
    const reached = Promise.withResolvers<number>();
    this.#look = (state) => {
      if (holds(state)) reached.resolve(wallClockMs());
    };
    this.#look(this.state);
    return within(what, reached.promise);
  }

  [Symbol.dispose](): void {
    this.#feed[Symbol.dispose]();
  }
}
