import type { SessionId } from "../../src/protocol/ids.ts";
import { transaction } from "../../src/store/database/transaction.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench } from "../measure/bench.ts";
import { median, percentile } from "../measure/percentile.ts";
import { type CommitBurst, openStream } from "../scene/next-commit.ts";
import { streamPaced } from "../scene/paced-streams.ts";
import { SeedStore } from "../scene/seed-store.ts";

/** 50 chunks per second and session. */
const CHUNK_EVERY_MS = 20;
const LOADS = [
  { sessions: 1, seconds: 2, p50: 1.1 },
  { sessions: 300, seconds: 3, p50: 0.3 },
] as const;
const ROUNDS = 5;
const ROUNDS_QUICK = 1;
const SECONDS_QUICK = 0.5;

/** How long a streamed chunk takes to be durable: bursts of all sessions together, against a transaction for each. */
export const commit: Bench = {
  name: "commit",
  asks: "a chunk to its commit, with 1 and 300 sessions at 50 chunks/s, against one transaction per burst",
  async run({ quick, report }) {
    await using dir = await tempDir();
    for (const { sessions, seconds, ...targets } of LOADS) {
      const rounds = quick ? ROUNDS_QUICK : ROUNDS;
      const stream = (name: string, begin: Begin) => async (round: number) => {
        using store = new SeedStore(dir.join(`${name}-${sessions}-${round}.db`));
        store.addProject(dir.path);
        const writers: CommitBurst[] = [];
        for (let nth = 0; nth < sessions; nth += 1)
          writers.push(await begin(store, store.createSession(`s${nth}`, "/work")));
        const cpu = process.cpuUsage();
        const waits = await streamPaced(writers, { everyMs: CHUNK_EVERY_MS, seconds: quick ? SECONDS_QUICK : seconds });
        const { user, system } = process.cpuUsage(cpu);
        return { p50: median(waits), p99: percentile(waits, 0.99), cpuUs: (user + system) / waits.length };
      };
      const { ours, bare } = await alternate(rounds, {
        bare: stream("each", each),
        ours: stream("together", together),
      });
      for (const [metric, unit, name] of [
        ["chunk to durable, p50", "ms", "p50"],
        ["chunk to durable, p99", "ms", "p99"],
        ["CPU per chunk", "µs", "cpuUs"],
      ] as const)
        report({
          metric: `${sessions} sessions, ${metric}`,
          unit,
          value: median(ours.map((one) => one[name])),
          baseline: median(bare.map((one) => one[name])),
          ...(name === "p50" && { ratioTarget: targets.p50 }),
          n: rounds,
        });
    }
  },
};

type Begin = (store: SeedStore, sessionId: SessionId) => Promise<CommitBurst>;

/** A transaction for each burst, as it is due. */
const each: Begin = (store, sessionId) =>
  openStream(sessionId, (commit) => transaction(store.db, () => store.log.writeNow(sessionId, commit)));

/** Through the log and its committer. */
const together: Begin = (store, sessionId) => openStream(sessionId, (commit) => store.log.commit(sessionId, commit));
