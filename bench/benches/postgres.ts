import { PostgresPair } from "../../tests/support/postgres-pair.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../../tests/support/postgres-server.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench, BenchRun } from "../measure/bench.ts";
import { median, percentile } from "../measure/percentile.ts";
import { CHUNK, type CommitBurst, openStream } from "../scene/next-commit.ts";
import { streamPaced } from "../scene/paced-streams.ts";
import { postgresStore, type SessionStore, sqliteStore } from "../scene/session-stores.ts";

const ROUNDS = 5;
const ROUNDS_QUICK = 1;
/** Facts of one burst. */
const BURST = Array.from({ length: 8 }, () => CHUNK);
const LOOP_MS = 1_000;
const LOOP_MS_QUICK = 200;
/** The first bursts are not measured. */
const WARM_UP_MS = 200;
const PACED_SECONDS = 3;
const PACED_SECONDS_QUICK = 0.5;
/** The databases of tests do not wait for the disk by default. */
const DURABLE = ["fsync=on"];

/** The cost of a PostgreSQL database: a commit through its store against one through the SQLite store. */
export const postgres: Bench = {
  name: "postgres",
  asks: "a commit through the PostgreSQL store, with and without a synchronous standby, against the SQLite store",
  async run(run) {
    if (!CAN_RUN_POSTGRES) {
      process.stderr.write(`postgres: nothing is measured: ${POSTGRES}\n`);
      return;
    }
    await using dir = await tempDir();
    await using alone = await PostgresServer.start(DURABLE);
    await using pair = await PostgresPair.start(DURABLE);
    await using local = await postgresStore(await alone.createDatabase());
    await using replicated = await postgresStore(await pair.createDatabase());
    await using full = sqliteStore(dir.join("full.db"), "FULL");
    await using normal = sqliteStore(dir.join("normal.db"), "NORMAL");
    await closedLoops(run, { local, replicated, full, normal });
    await pacedStreams(run, { replicated, normal });
  },
};

type Stores<Names extends string> = Readonly<Record<Names, SessionStore>>;

/** Each session commits again as soon as its last commit is stored. */
async function closedLoops(
  run: BenchRun,
  { local, replicated, full, normal }: Stores<"local" | "replicated" | "full" | "normal">,
): Promise<void> {
  const compare = async (metric: string, sessions: number, ours: SessionStore, bare: SessionStore, target: number) => {
    const side = async (store: SessionStore) => {
      const writers = await writersTo(store, sessions, metric);
      return () => commitAgain(writers, run.quick ? LOOP_MS_QUICK : LOOP_MS);
    };
    const rounds = run.quick ? ROUNDS_QUICK : ROUNDS;
    const waits = await alternate(rounds, { bare: await side(bare), ours: await side(ours) });
    report(run, metric, waits, { p50: target });
  };
  await compare("1 session, disk of its own : SQLite FULL", 1, local, full, 4);
  await compare("1 session, synchronous standby : SQLite FULL", 1, replicated, full, 6);
  await compare("10 sessions at once : SQLite NORMAL", 10, local, normal, 3);
  await compare("100 sessions at once : SQLite NORMAL", 100, local, normal, 1.2);
}

/** Each session commits at a fixed rate. */
async function pacedStreams(run: BenchRun, { replicated, normal }: Stores<"replicated" | "normal">): Promise<void> {
  const seconds = run.quick ? PACED_SECONDS_QUICK : PACED_SECONDS;
  const side = async (store: SessionStore, sessions: number, everyMs: number) => {
    const writers = await writersTo(store, sessions, `every ${everyMs}`);
    return () => streamPaced(writers, { everyMs, seconds });
  };
  const rounds = run.quick ? ROUNDS_QUICK : ROUNDS;
  const fast = await alternate(rounds, { bare: await side(normal, 100, 20), ours: await side(replicated, 100, 20) });
  report(run, "100 sessions at 50 chunks/s, synchronous standby : SQLite NORMAL", fast, { p99: 2 });
  const few = await side(replicated, 100, 100);
  const many = await alternate(rounds, { bare: few, ours: await side(replicated, 1_000, 100) });
  report(run, "1,000 sessions at 10 chunks/s, synchronous standby : 100 of them", many, { p50: 2 });
}

/** The median over the rounds of each percentile. */
function report(
  { report: line }: BenchRun,
  metric: string,
  { ours, bare }: { readonly ours: readonly (readonly number[])[]; readonly bare: readonly (readonly number[])[] },
  targets: Readonly<Partial<Record<"p50" | "p99", number>>>,
): void {
  for (const [name, share] of [
    ["p50", 0.5],
    ["p99", 0.99],
  ] as const) {
    const middle = (rounds: readonly (readonly number[])[]) => median(rounds.map((waits) => percentile(waits, share)));
    const ratioTarget = targets[name];
    line({
      metric: `${metric}, ${name}`,
      unit: "ms",
      value: middle(ours),
      baseline: middle(bare),
      ...(ratioTarget !== undefined && { ratioTarget }),
      n: ours.flat().length,
    });
  }
}

async function commitAgain(writers: readonly CommitBurst[], forMs: number): Promise<readonly number[]> {
  const waits: number[] = [];
  const from = performance.now() + WARM_UP_MS;
  const loop = async (write: CommitBurst) => {
    for (let sentAt = performance.now(); sentAt < from + forMs; ) {
      await write(BURST);
      const answeredAt = performance.now();
      if (sentAt >= from) waits.push(answeredAt - sentAt);
      sentAt = answeredAt;
    }
  };
  await Promise.all(writers.map(loop));
  return waits;
}

/** Each to a new session. */
async function writersTo(store: SessionStore, sessions: number, name: string): Promise<readonly CommitBurst[]> {
  const writers: CommitBurst[] = [];
  for (let nth = 0; nth < sessions; nth += 1) {
    const sessionId = await store.createSession(`${name}, ${sessions}: ${nth}`);
    writers.push(await openStream(sessionId, (commit) => store.log.commit(sessionId, commit)));
  }
  return writers;
}
