import type { LogFrame, SessionLog } from "../ports/session-log.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { Hub } from "./hub.ts";
import { Subscription } from "./subscription.ts";

/** A stored fact in the very form it leaves the server. */
export type Frame = LogFrame;

export interface FollowOptions {
  readonly sessionId: SessionId;
  /** The last seq the reader has. */
  readonly after: number;
  readonly ready: () => boolean;
  readonly send: (frame: Frame) => void;
  /** Facts the reader has not got are no longer kept. */
  readonly onGap: () => void;
}

/** What readers need: the log to read from, and the wake that tells when to. */
export class Feed {
  readonly hub: Hub;
  readonly #log: SessionLog;

  constructor(hub: Hub, log: SessionLog) {
    this.hub = hub;
    this.#log = log;
  }

  follow(options: FollowOptions): Subscription {
    return new Subscription({ ...options, log: this.#log, hub: this.hub });
  }
}
