import { type Alternated, alternate } from "../measure/alternate.ts";
import type { Bench, BenchRun } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { reportLatency } from "../measure/report-latency.ts";
import { type Passage, pass } from "../scene/passage.ts";
import { routeThroughPipe, routeThroughServer, type StampRoute } from "../scene/stamp-route.ts";
import { AT_RATE, PACED } from "../scene/stamps.ts";

/** Far enough apart that each chunk is the first after a quiet spell, so nothing is held back to be merged. */
const PACED_MS = 40;
const PACED_CHUNKS = 400;
const PACED_CHUNKS_QUICK = 50;
const TURNS = 40;
const TURNS_QUICK = 10;
const FAST_PER_SECOND = 2_000;
const FAST_CHUNKS = 12_000;
const FAST_CHUNKS_QUICK = 2_000;
const ROUNDS = 5;
const WARM_UP_CHUNKS = 1_000;
const READERS = [1, 10] as const;
/** NFR-2 allows two frames from the agent to the screen: the server may use one of them. */
const FIRST_HALF_MS_TARGET = 1_000 / 60;
const US_PER_MS = 1_000;

/** NFR-2, the server's half: how long a chunk takes to a socket, and what it costs. */
export const stream: Bench = {
  name: "stream",
  asks: "agent chunk to socket, and CPU per chunk, against a bare pipe-to-socket copy",
  async run(run) {
    await using ours = await routeThroughServer();
    await using bare = await routeThroughPipe();
    for (const route of [ours, bare]) await pass(route, 1, AT_RATE(WARM_UP_CHUNKS, FAST_PER_SECOND), WARM_UP_CHUNKS);
    await firstChunks(run, ours, bare);
    await pacedLatency(run, ours, bare);
    for (const readers of READERS) await fastStream(run, ours, bare, readers);
  },
};

/** An agent that answers at once: its first text arrives while the user's own message is still on its way. */
async function firstChunks({ quick, report }: BenchRun, ours: StampRoute, bare: StampRoute): Promise<void> {
  // Two chunks: the end of the turn, which hurries everything before it, must not help the first.
  const first = async (route: StampRoute) => {
    const { latenciesMs, ...rest } = await pass(route, 1, PACED(2, PACED_MS), 2);
    return { ...rest, latenciesMs: latenciesMs.slice(0, 1) };
  };
  const passages = await alternate(quick ? TURNS_QUICK : TURNS, { bare: () => first(bare), ours: () => first(ours) });
  reportLatency(report, "first chunk of a turn to the socket", ...latencies(passages), FIRST_HALF_MS_TARGET);
}

async function pacedLatency({ quick, report }: BenchRun, ours: StampRoute, bare: StampRoute): Promise<void> {
  const chunks = (quick ? PACED_CHUNKS_QUICK : PACED_CHUNKS) / ROUNDS;
  // Without the first of each turn, which is a case of its own.
  const paced = async (route: StampRoute) => {
    const { latenciesMs, ...rest } = await pass(route, 1, PACED(chunks, PACED_MS), chunks);
    return { ...rest, latenciesMs: latenciesMs.slice(1) };
  };
  const passages = await alternate(ROUNDS, { bare: () => paced(bare), ours: () => paced(ours) });
  reportLatency(report, "single chunks to the socket", ...latencies(passages), FIRST_HALF_MS_TARGET);
  reportCost(report, "single chunks", passages, chunks);
}

async function fastStream({ quick, report }: BenchRun, ours: StampRoute, bare: StampRoute, readers: number) {
  const chunks = (quick ? FAST_CHUNKS_QUICK : FAST_CHUNKS) / ROUNDS;
  const fast = (route: StampRoute) => pass(route, readers, AT_RATE(chunks, FAST_PER_SECOND), chunks);
  const passages = await alternate(ROUNDS, { bare: () => fast(bare), ours: () => fast(ours) });
  const at = `${FAST_PER_SECOND.toLocaleString("en-US")} chunks/s, ${readers} reader${readers > 1 ? "s" : ""}`;
  reportLatency(report, `${at}: to the socket`, ...latencies(passages));
  reportCost(report, at, passages, chunks);
}

function reportCost(
  report: BenchRun["report"],
  what: string,
  { ours, bare }: Alternated<Passage>,
  chunks: number,
): void {
  const perChunk = (passages: readonly Passage[]) =>
    (median(passages.map(({ cpuMs: spent }) => spent)) * US_PER_MS) / chunks;
  report({
    metric: `${what}: CPU per chunk`,
    unit: "µs",
    value: perChunk(ours),
    baseline: perChunk(bare),
    n: chunks * ours.length,
  });
}

function latencies({ ours, bare }: Alternated<Passage>): [readonly number[], readonly number[]] {
  const all = (passages: readonly Passage[]) => passages.flatMap(({ latenciesMs }) => latenciesMs);
  return [all(ours), all(bare)];
}
