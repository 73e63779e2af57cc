import { describe, expect, it } from "bun:test";
import { LogWriter } from "../../tests/core/log-writer.ts";
import { SESSION } from "../../tests/core/names.ts";
import { BINDING, openStore, sessionRow } from "../../tests/core/open-store.ts";
import { roundsOf, seededRandom } from "../../tests/support/seeded-random.ts";
import { Feed } from "./feed.ts";
import { Hub } from "./hub.ts";
import type { Subscription } from "./subscription.ts";

function raise(error: unknown): never {
  throw error;
}

/** A client's place in the log: what it saw, and whether it takes more just now. */
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

  /** Comes back with the last number it saw. */
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
  it("X-2 a reader that was slower than facts are kept is told so, and gets nothing out of order", async () => {
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

  it("sends what lies after the cursor, however much, then what comes, each once and in order", async () => {
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

  it("stops in the middle when the reader is full and goes on exactly there", async () => {
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

  it("what no reader of today understands is passed over without holding up the rest", async () => {
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

  it("a reader that left hears nothing more", async () => {
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
