import { describe, expect, it } from "bun:test";
import { LogWriter } from "../../tests/core/log-writer.ts";
import { BINDING, SESSION, sessionRow } from "../../tests/core/names.ts";
import { openStore } from "../../tests/core/open-store.ts";
import { roundsOf, seededRandom } from "../../tests/support/seeded-random.ts";
import { Feed } from "./feed.ts";
import { Hub } from "./hub.ts";
import { Subscription } from "./subscription.ts";

function raise(error: unknown): never {
  throw error;
}

/** A client's position in the log: what it received, and whether it accepts more now. */
class Reader {
  readonly seen: number[] = [];
  readonly #feed: Feed;
  #subscription: Subscription;
  takes: () => boolean = () => true;
  gaps = 0;

  constructor(feed: Feed, after: number) {
    this.#feed = feed;
    this.#subscription = this.#follow(after);
  }

  pump(): void {
    this.#subscription.pump();
  }

  leave(): void {
    this.#subscription[Symbol.dispose]();
  }

  /** Reconnects with the last number it received. */
  comeBack(): void {
    this.#subscription = this.#follow(this.seen.at(-1) ?? 0);
  }

  #follow(after: number): Subscription {
    return this.#feed.follow({
      sessionId: SESSION,
      after,
      ready: () => this.takes(),
      send: ({ seq }) => void this.seen.push(seq),
      onGap: () => void this.gaps++,
    });
  }
}

async function scene() {
  const store = await openStore();
  await store.log.create(sessionRow(), BINDING, null);
  const hub = new Hub();
  const feed = new Feed(hub, store.log, raise);
  const writer = new LogWriter(() => store.log);
  return Object.assign(store, {
    writer,
    reader: (after: number) => new Reader(feed, after),
    async commit(count: number) {
      await writer.fill(count);
      hub.committed(SESSION, []);
    },
  });
}

function delivered(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

describe("Subscription", () => {
  it("[SC-21] a read that failed is tried again, though nothing more happens in the session", async () => {
    await using at = await scene();
    await at.commit(10);
    const errors: unknown[] = [];
    let isAway = true;
    const log = {
      recentAfter: () => null,
      readAfter: async (sessionId: typeof SESSION, after: number, limit: number) => {
        if (isAway) throw new Error("the database is away");
        return at.log.readAfter(sessionId, after, limit);
      },
    };
    const all = Promise.withResolvers<void>();
    const seen: number[] = [];
    using subscription = new Subscription({
      ...{ log, hub: new Hub(), sessionId: SESSION },
      after: 4,
      ready: () => true,
      send: ({ seq }) => void seen.push(seq),
      onGap: () => undefined,
      onRead: () => (seen.length > 0 ? all.resolve() : undefined),
      onError: (error) => {
        errors.push(error);
        isAway = errors.length < 2;
      },
    });
    subscription.pump();
    await all.promise;
    expect([seen, errors.length]).toEqual([range(5, 10), 2]);
  });

  it("X-2 a reader that is slower than facts are kept is notified, and gets nothing out of order", async () => {
    await using at = await scene();
    await at.commit(10);
    const reader = at.reader(0);
    reader.takes = () => reader.seen.length < 5;
    reader.pump();
    await at.commit(12_000);
    reader.takes = () => true;
    await delivered();
    expect(reader.seen).toEqual(range(1, 5));
    expect(reader.gaps).toBeGreaterThan(0);
  });

  it("sends everything after the cursor, then new facts, each once and in order", async () => {
    await using at = await scene();
    await at.commit(1_000);
    const reader = at.reader(200);
    reader.pump();
    expect(reader.seen).toEqual(range(201, 1_000));
    await at.commit(3);
    await at.commit(300);
    await delivered();
    expect(reader.seen).toEqual(range(201, 1_303));
  });

  it("stops when the reader is full and continues exactly there", async () => {
    await using at = await scene();
    await at.commit(10);
    const reader = at.reader(0);
    reader.takes = () => reader.seen.length < 4;
    reader.pump();
    expect(reader.seen).toEqual(range(1, 4));
    await at.commit(5);
    await delivered();
    expect(reader.seen).toEqual(range(1, 4));
    reader.takes = () => true;
    reader.pump();
    expect(reader.seen).toEqual(range(1, 15));
  });

  it("facts that current readers do not understand are skipped without delaying the rest", async () => {
    await using at = await scene();
    await at.writer.write([
      { type: "session:archived" },
      { type: "session:raw", update: { sessionUpdate: "from_the_future" } },
      { type: "session:unarchived" },
    ]);
    const reader = at.reader(0);
    reader.pump();
    reader.pump();
    expect(reader.seen).toEqual([1, 3]);
  });

  it("a reader that left receives nothing more", async () => {
    await using at = await scene();
    const reader = at.reader(0);
    reader.leave();
    await at.commit(1);
    await delivered();
    expect(reader.seen).toEqual([]);
  });

  it("X-2 readers that join, stall and leave at any moment see every fact once and in order", async () => {
    await using at = await scene();
    const random = seededRandom("subscriptions");
    const readers = [at.reader(0), at.reader(0), at.reader(0)];
    for (let round = 0; round < roundsOf(300); round += 1) {
      await at.commit(random.between(1, 40));
      const reader = random.pick(readers);
      let room = random.pick([0, 7, 10_000]);
      reader.takes = () => room-- > 0;
      if (random.fraction() < 0.2) {
        reader.leave();
        reader.comeBack();
      }
      if (random.fraction() < 0.5) reader.pump();
      if (random.fraction() < 0.3) await delivered();
    }
    for (const reader of readers) {
      reader.takes = () => true;
      reader.pump();
      expect(reader.seen).toEqual(range(1, at.writer.state.seq));
    }
  });
});
