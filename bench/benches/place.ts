import { CAN_SSH } from "../../tests/places/sshd.ts";
import { type Alternated, alternate } from "../measure/alternate.ts";
import type { Bench, BenchRun } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { reportLatency } from "../measure/report-latency.ts";
import { type Passage, pass } from "../scene/passage.ts";
import { placesOver, routeThroughServer, routeThroughSsh, type StampRoute } from "../scene/stamp-route.ts";
import { AT_RATE, PACED } from "../scene/stamps.ts";
import { ROOT, startServer } from "../scene/start-server.ts";
import { fetchPage, type Start, startOnce } from "./start.ts";

const PACED_MS = 40;
const TURNS = 40;
const TURNS_QUICK = 10;
const CHUNKS_PER_TURN = 10;
const WARM_UP = AT_RATE(1_000, 2_000);
const WARM_UP_CHUNKS = 1_000;
const STARTS = 5;
const STARTS_QUICK = 1;
const US_PER_MS = 1_000;
/** Two hops of SSH and one more process on the way; the screen waits 16 ms for its next frame. */
const FIRST_MS_TARGET = 16;

/** The cost of another machine for a user of it, and for a user who only has it in the settings. */
export const place: Bench = {
  name: "place",
  asks: "agent chunk to socket from a place over SSH, and the start with a place in the settings, against without",
  async run(run) {
    await starts(run);
    if (!CAN_SSH) {
      process.stderr.write("place: openssh-server is not installed, so nothing is measured over SSH\n");
      return;
    }
    await using ours = await routeThroughSsh();
    await using bare = await routeThroughServer();
    for (const route of [ours, bare]) await pass(route, 1, WARM_UP, WARM_UP_CHUNKS);
    await chunks(run, ours, bare);
  },
};

async function chunks({ quick, report }: BenchRun, ours: StampRoute, bare: StampRoute): Promise<void> {
  const turn = (route: StampRoute) => pass(route, 1, PACED(CHUNKS_PER_TURN, PACED_MS), CHUNKS_PER_TURN);
  const turns = quick ? TURNS_QUICK : TURNS;
  const passages = await alternate(turns, { bare: () => turn(bare), ours: () => turn(ours) });
  const latencies = (of: (all: readonly number[]) => readonly number[]) =>
    [passages.ours, passages.bare].map((all) => all.flatMap(({ latenciesMs }) => of(latenciesMs)));
  const [first = [], firstHere] = latencies((all) => all.slice(0, 1));
  reportLatency(report, "first chunk of a turn over SSH", first, firstHere, FIRST_MS_TARGET);
  const [single = [], singleHere] = latencies((all) => all.slice(1));
  reportLatency(report, "single chunks over SSH", single, singleHere, FIRST_MS_TARGET);
  const perChunk = (all: Alternated<Passage>["ours"]) =>
    (median(all.map(({ cpuMs }) => cpuMs)) * US_PER_MS) / CHUNKS_PER_TURN;
  const cost = { value: perChunk(passages.ours), baseline: perChunk(passages.bare), n: turns * CHUNKS_PER_TURN };
  report({ metric: "single chunks over SSH: CPU of the server per chunk", unit: "µs", ...cost });
}

/** Nothing of places is loaded before one is used. */
async function starts({ quick, report }: BenchRun): Promise<void> {
  const places = placesOver({ bin: "/usr/bin" });
  const start = (configured: object) => startOnce((dir) => startServer(dir(), {}, ROOT, null, configured), fetchPage);
  const n = quick ? STARTS_QUICK : STARTS;
  const { ours, bare } = await alternate(n, { bare: () => start({}), ours: () => start(places) });
  const middle = (all: readonly Start[], of: keyof Start) => median(all.map((one) => one[of]));
  const compare = (of: keyof Start) => ({ value: middle(ours, of), baseline: middle(bare, of), n });
  report({ metric: "CPU to the first page, a place in the settings", unit: "ms", ...compare("cpuMs") });
  report({ metric: "idle memory (PSS), a place in the settings", unit: "MB", ...compare("pssMb") });
}
