import { ignore } from "../lib/ignore.ts";
import type { Fact } from "../protocol/facts.ts";
import { GLOBAL_FACTS } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";

/** What clients receive besides the log. Followers of a session get its facts from the log instead, in order. */
export type Broadcast =
  /** For the other followers of a session, excluding the sender. */
  | { readonly kind: "aside"; readonly sessionId: SessionId; readonly from: object; readonly json: string }
  | { readonly kind: "message"; readonly message: PlainServerMessage; readonly json: string }
  | { readonly kind: "fact"; readonly fact: Fact; readonly json: string };

interface Follower {
  readonly wake: () => void;
  readonly isWatching: () => boolean;
}

/**
 * Connects writers to readers. A wake carries no data: a follower reads the log after its own cursor. Everything is
 * delivered in the next turn of the event loop, so a command's answer is available before its echo.
 */
export class Hub {
  readonly #onAudience: (isAny: boolean) => void;
  readonly #listeners = new Set<(batch: readonly Broadcast[]) => void>();
  readonly #followers = new Map<SessionId, Set<Follower>>();
  #woken = new Set<SessionId>();
  #broadcasts: Broadcast[] = [];
  #audience = 0;
  #scheduled = false;

  /** `onAudience` is called when the first client connects and when the last one leaves. */
  constructor(onAudience: (isAny: boolean) => void = ignore("listener changes are ignored")) {
    this.#onAudience = onAudience;
  }

  /** For a client, which counts as audience. */
  listen(listener: (batch: readonly Broadcast[]) => void): Disposable {
    const subscription = this.onBroadcast(listener);
    this.#audience += 1;
    if (this.#audience === 1) this.#onAudience(true);
    return {
      [Symbol.dispose]: () => {
        if (!this.#listeners.has(listener)) return;
        subscription[Symbol.dispose]();
        this.#audience -= 1;
        if (this.#audience === 0) this.#onAudience(false);
      },
    };
  }

  /** For a part of the server, which does not count as audience. */
  onBroadcast(listener: (batch: readonly Broadcast[]) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  follow(sessionId: SessionId, wake: () => void, isWatching: () => boolean = () => true): Disposable {
    const followers = this.#followers.get(sessionId) ?? new Set();
    const follower = { wake, isWatching };
    followers.add(follower);
    this.#followers.set(sessionId, followers);
    return {
      [Symbol.dispose]: () => {
        followers.delete(follower);
        if (followers.size === 0 && this.#followers.get(sessionId) === followers) this.#followers.delete(sessionId);
      },
    };
  }

  /** Whether a follower shows the session now. */
  isWatched(sessionId: SessionId): boolean {
    for (const { isWatching } of this.#followers.get(sessionId) ?? []) if (isWatching()) return true;
    return false;
  }

  isFollowed(sessionId: SessionId): boolean {
    return this.#followers.has(sessionId);
  }

  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    this.#woken.add(sessionId);
    for (const fact of facts) {
      if (GLOBAL_FACTS.has(fact.type)) this.#broadcasts.push({ kind: "fact", fact, json: JSON.stringify(fact) });
    }
    this.#schedule();
  }

  publish(message: PlainServerMessage): void {
    this.#broadcasts.push({ kind: "message", message, json: JSON.stringify(message) });
    this.#schedule();
  }

  /** A message for the followers of one session that is not a fact. */
  notifyFollowers(sessionId: SessionId, from: object, message: PlainServerMessage): void {
    this.#broadcasts.push({ kind: "aside", sessionId, from, json: JSON.stringify(message) });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    this.#scheduled = false;
    const broadcasts = this.#broadcasts;
    const woken = this.#woken;
    this.#broadcasts = [];
    this.#woken = new Set();
    for (const sessionId of woken) {
      for (const { wake } of this.#followers.get(sessionId) ?? []) wake();
    }
    if (broadcasts.length === 0) return;
    for (const listener of this.#listeners) listener(broadcasts);
  }
}
