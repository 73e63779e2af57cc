import type { LogFrame, SessionLog } from "../ports/session-log.ts";
import type { Hub } from "./hub.ts";
import { Subscription, type SubscriptionOptions } from "./subscription.ts";

/** A stored fact in the very form it leaves the server. */
export type Frame = LogFrame;

/** What readers need: the log to read from, and the wake that tells when to. */
export class Feed {
  readonly hub: Hub;
  readonly #log: SessionLog;

  constructor(hub: Hub, log: SessionLog) {
    this.hub = hub;
    this.#log = log;
  }

  follow(options: Omit<SubscriptionOptions, "log" | "hub">): Subscription {
    return new Subscription({ ...options, log: this.#log, hub: this.hub });
  }
}
