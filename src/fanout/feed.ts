import type { LogFrame, SessionLog } from "../ports/session-log.ts";
import type { Hub } from "./hub.ts";
import { Subscription, type SubscriptionOptions } from "./subscription.ts";

/** A stored fact in the form in which it is sent. */
export type Frame = LogFrame;

/** What readers need: the log, and the hub that wakes them. */
export class Feed {
  readonly hub: Hub;
  readonly #log: SessionLog;
  readonly #onError: (error: unknown) => void;

  /** `onError` receives failed reads. */
  constructor(hub: Hub, log: SessionLog, onError: (error: unknown) => void) {
    this.hub = hub;
    this.#log = log;
    this.#onError = onError;
  }

  follow(options: Omit<SubscriptionOptions, "log" | "hub" | "onError">): Subscription {
    return new Subscription({ ...options, log: this.#log, hub: this.hub, onError: this.#onError });
  }
}
