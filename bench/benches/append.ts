import type { DatabaseSync } from "node:sqlite";
import type { FactBody } from "../../src/protocol/facts.ts";
import type { SessionId } from "../../src/protocol/ids.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { CHUNK, openStream } from "../scene/next-commit.ts";
import { SeedStore } from "../scene/seed-store.ts";

/** How many facts are committed together, and how many of them make a round that is long against the timer. */
const BURSTS = [
  { burst: 1, facts: 4_000 },
  { burst: 64, facts: 32_000 },
] as const;
const ROUNDS = 7;
const ROUNDS_QUICK = 3;
const MS_PER_S = 1_000;

/** everything is on disk before it is sent; this is what that costs. */
export const append: Bench = {
  name: "append",
  asks: "facts per second through the session log, against raw inserts with the same pragmas",
  async run({ quick, report }) {
    await using dir = await tempDir();
    using ours = new SeedStore(dir.join("ours.db"));
    using bare = new SeedStore(dir.join("bare.db"));
    for (const store of [ours, bare]) store.addProject(dir.path);
    const n = quick ? ROUNDS_QUICK : ROUNDS;
    for (const { burst, facts } of BURSTS) {
      const rate =
        (begin: (store: SeedStore, id: SessionId) => Promise<StoreBurst> | StoreBurst, store: SeedStore) =>
        async (round: number) =>
          perSecond(facts, await begin(store, store.createSession(`${burst}-${round}`, dir.path)), burst);
      const rates = await alternate(n, { bare: rate(insertRaw, bare), ours: rate(commitThroughLog, ours) });
      report({
        metric: `facts per second, ${burst} at a time`,
        unit: "per s",
        value: median(rates.ours),
        baseline: median(rates.bare),
        n,
      });
    }
  },
};

/** Stores one burst; returns when it is as durable as the pragmas make it. */
type StoreBurst = (burst: readonly FactBody[]) => Promise<void> | void;

async function perSecond(facts: number, store: StoreBurst, burst: number): Promise<number> {
  const chunks = Array.from({ length: burst }, () => CHUNK);
  const from = performance.now();
  for (let stored = 0; stored < facts; stored += burst) await store(chunks);
  return (facts * MS_PER_S) / (performance.now() - from);
}

/** As in a session with an active agent: the state is folded, the row of the session is kept up to date. */
function commitThroughLog(store: SeedStore, sessionId: SessionId): Promise<StoreBurst> {
  return openStream(sessionId, (commit) => store.log.commit(sessionId, commit));
}

/** The minimum of a durable log: each fact as JSON into the same table, one transaction for the burst. */
function insertRaw({ db }: SeedStore, sessionId: SessionId): StoreBurst {
  const insert = db.prepare("INSERT INTO fact (session_key, seq, type, json) VALUES (?, ?, ?, ?)");
  const key = keyOf(db, sessionId);
  let seq = 0;
  return (burst) => {
    db.exec("BEGIN IMMEDIATE");
    for (const body of burst) {
      seq += 1;
      insert.run(key, seq, body.type, JSON.stringify({ ...body, sessionId, seq }));
    }
    db.exec("COMMIT");
  };
}

function keyOf(db: DatabaseSync, sessionId: SessionId): number {
  return Number(db.prepare("SELECT key FROM session WHERE id = ?").get(sessionId)?.["key"]);
}
