import type { FactBody } from "../../src/protocol/facts.ts";
import { EntryId, type SessionId, TurnId } from "../../src/protocol/ids.ts";
import { EMPTY_SESSION } from "../../src/protocol/session-schema.ts";
import { transaction } from "../../src/store/database/transaction.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench } from "../measure/bench.ts";
import { median, percentile } from "../measure/percentile.ts";
import { SEED_TIME, SeedStore } from "../scene/seed-store.ts";

const ENTRY = EntryId.parse("entry");
const TURN = TurnId.parse("turn");
const CHUNK: FactBody = {
  type: "session:chunk",
  entryId: ENTRY,
  content: "Forty-eight characters of text, more or less.",
};
/** 50 chunks per second and session. */
const CHUNK_EVERY_MS = 20;
const LOADS = [
  { sessions: 1, seconds: 2 },
  { sessions: 300, seconds: 3 },
] as const;
const ROUNDS = 5;
const ROUNDS_QUICK = 1;

/** How long a streamed chunk takes to be durable: bursts of all sessions together, against a transaction for each. */
export const commit: Bench = {
  name: "commit",
  asks: "a chunk to its commit, with 1 and 300 sessions at 50 chunks/s, against one transaction per burst",
  async run({ quick, report }) {
    await using dir = await tempDir();
    for (const { sessions, seconds } of LOADS) {
      const rounds = quick ? ROUNDS_QUICK : ROUNDS;
      const stream = (name: string, begin: Begin) => async (round: number) => {
        using store = new SeedStore(dir.join(`${name}-${sessions}-${round}.db`));
        store.addProject(dir.path);
        const cpu = process.cpuUsage();
        const waits = await streamAll(store, sessions, quick ? 0.5 : seconds, begin);
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
          n: rounds,
        });
    }
  },
};

/** Commits one burst of a session; resolves when it is durable. */
type CommitBurst = (bodies: readonly FactBody[]) => Promise<void>;
type Begin = (store: SeedStore, sessionId: SessionId) => CommitBurst;

function begun(store: SeedStore, sessionId: SessionId) {
  return store.commit(sessionId, EMPTY_SESSION, [
    { type: "session:turn", turn: { state: "running", turnId: TURN } },
    { type: "session:update", entry: { entryId: ENTRY, type: "assistant", content: "", timestamp: SEED_TIME } },
  ]);
}

/** A transaction for each burst, as it is due. */
function each(store: SeedStore, sessionId: SessionId): CommitBurst {
  let state = begun(store, sessionId);
  return async (bodies) => {
    const { commit: burst, working } = store.prepare(sessionId, state, bodies);
    transaction(store.db, () => store.log.writeNow(sessionId, burst));
    state = working;
  };
}

/** Through the log and its committer. */
function together(store: SeedStore, sessionId: SessionId): CommitBurst {
  let state = begun(store, sessionId);
  return async (bodies) => {
    const { commit: burst, working } = store.prepare(sessionId, state, bodies);
    await store.log.commit(sessionId, burst);
    state = working;
  };
}

/** How long each chunk waited, in ms. Sessions speak at even distances; chunks that are overdue form one burst. */
async function streamAll(store: SeedStore, count: number, seconds: number, begin: Begin): Promise<number[]> {
  const waits: number[] = [];
  const chunks = Math.round((seconds * 1_000) / CHUNK_EVERY_MS);
  const from = performance.now() + CHUNK_EVERY_MS;
  const stream = async (index: number) => {
    const write = begin(store, store.createSession(`s${index}`, "/work"));
    const dueAt = (chunk: number) => from + (chunk + index / count) * CHUNK_EVERY_MS;
    for (let chunk = 0; chunk < chunks; ) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt(chunk) - performance.now())));
      const now = performance.now();
      let burst = 1;
      while (chunk + burst < chunks && dueAt(chunk + burst) <= now) burst += 1;
      await write(Array.from({ length: burst }, () => CHUNK));
      const durableAt = performance.now();
      // A timer of a quiet machine fires up to a millisecond early or late: what counts for one session is the commit.
      for (let at = chunk; at < chunk + burst; at += 1) waits.push(durableAt - (count === 1 ? now : dueAt(at)));
      chunk += burst;
    }
  };
  await Promise.all(Array.from({ length: count }, (_, index) => stream(index)));
  return waits;
}
