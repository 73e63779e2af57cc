import { Feed } from "../../src/fanout/feed.ts";
import { Hub } from "../../src/fanout/hub.ts";
import type { Subscription } from "../../src/fanout/subscription.ts";
import { entriesOf, foldMessage } from "../../src/protocol/fold-message.ts";
import { FactMessage } from "../../src/protocol/server-messages.ts";
import { EMPTY_SESSION, type SessionState } from "../../src/protocol/session-schema.ts";
import type { SessionScene } from "./session-scene.ts";

/** A client that follows a session through the log and folds what it is sent, as the page does. */
export class SessionReader {
  readonly #scene: SessionScene;
  readonly #limit: number;
  #subscription: Subscription | null = null;
  #hasGap = false;
  state: SessionState = EMPTY_SESSION;
  /** How often it was given everything instead of what it missed. */
  histories = 0;

  constructor(scene: SessionScene, limit: number) {
    this.#scene = scene;
    this.#limit = limit;
  }

  get isFollowing(): boolean {
    return this.#subscription !== null;
  }

  /** With its cursor when it has one. */
  async open(): Promise<void> {
    const { service, sessionId, store } = this.#scene;
    const after = this.state === EMPTY_SESSION ? undefined : this.state.seq;
    const start = await service.open(sessionId, after, this.#limit);
    if (!start) throw new Error("the session is gone");
    if (start.type === "session:history") this.histories += 1;
    this.state = foldMessage(this.state, start);
    this.#subscription = new Feed(new Hub(), store.log, raise).follow({
      sessionId,
      after: this.state.seq,
      ready: () => true,
      send: ({ json }) => {
        this.state = foldMessage(this.state, FactMessage.parse(JSON.parse(json)));
      },
      onGap: () => {
        this.#hasGap = true;
      },
    });
    await this.catchUp();
  }

  async catchUp(): Promise<void> {
    this.#subscription?.pump();
    await this.#subscription?.settled();
    if (!this.#hasGap) return;
    this.#hasGap = false;
    await this.open();
  }

  leave(): void {
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = null;
  }

  /** Asks for one page before what it has, if there is more. */
  async page(limit: number): Promise<void> {
    const first = entriesOf(this.state)[0];
    if (!this.state.hasMore || !first) return;
    const { service, sessionId } = this.#scene;
    const page = await service.page({ type: "session:page", sessionId, before: first.entryId, limit });
    if (page) this.state = foldMessage(this.state, page);
  }
}

function raise(error: unknown): never {
  throw error;
}

/** All that a reader can show; where it keeps its entries, and how many it fetched, is its own affair. */
export function shown(state: SessionState): object {
  const { settled: _, open: __, hasMore: ___, ...rest } = state;
  return { ...rest, entries: entriesOf(state) };
}

/** The same for one that fetched only the newest entries. */
export function shownTail(state: SessionState, count: number): object {
  return { ...shown(state), entries: count === 0 ? [] : entriesOf(state).slice(-count) };
}
