import { CliType } from "../../src/protocol/ids.ts";
import { CAN_SSH } from "../../tests/places/sshd.ts";
import { PostgresPair } from "../../tests/support/postgres-pair.ts";
import { CAN_RUN_POSTGRES } from "../../tests/support/postgres-server.ts";
import type { TestServer } from "../../tests/support/test-server.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench, BenchRun } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { reportLatency } from "../measure/report-latency.ts";
import { waitUntil } from "../measure/wait-until.ts";
import { wallClockMs } from "../measure/wall-clock.ts";
import { AT_THE_PLACE, addressOf, type BenchTeam, openTeam } from "../scene/bench-team.ts";
import { openClient } from "../scene/open-client.ts";
import { pass } from "../scene/passage.ts";
import { openReader, routeThroughServer, routeThroughTeam } from "../scene/stamp-route.ts";
import { PACED, stampsIn } from "../scene/stamps.ts";
import { STAMPING_AGENT } from "../scene/start-server.ts";

/** The databases of tests do not wait for the disk by default. */
const DURABLE = ["fsync=on"];
const TURNS = 40;
const TURNS_QUICK = 5;
const CHUNKS_PER_TURN = 10;
const PACED_MS = 40;
const FIRST_MS_TARGET = 16;
const FIRST_RATIO_TARGET = 8;
/** 10 chunks per second and session. */
const CROWD_EVERY_MS = 100;
/** Each session at a place has a process of its own: this is a number that one machine can run. */
const CROWD = { servers: 3, sessions: 60, chunks: 200 };
const FEW = { servers: 1, sessions: 6, chunks: 100 };
const CROWD_QUICK = { servers: 3, sessions: 12, chunks: 30 };
const FEW_QUICK = { servers: 1, sessions: 3, chunks: 30 };
/** Requests that are sent at once. */
const AT_ONCE = 4;
const MS_PER_S = 1_000;

/** The latency of a team for readers, and whether it loses anything with many active sessions. */
export const team: Bench = {
  name: "team",
  asks: "agent chunk to the socket of a server that stands by, and many sessions on a team of three",
  async run(run) {
    if (!CAN_RUN_POSTGRES || !CAN_SSH) {
      process.stderr.write("team: PostgreSQL or openssh-server is not installed, so nothing is measured\n");
      return;
    }
    await using pair = await PostgresPair.start(DURABLE);
    await firstChunks(run, pair);
    await crowds(run, pair);
  },
};

async function firstChunks({ quick, report }: BenchRun, pair: PostgresPair): Promise<void> {
  await using ours = await routeThroughTeam(pair);
  await using bare = await routeThroughServer();
  const turn = (route: typeof ours) => () => pass(route, 1, PACED(CHUNKS_PER_TURN, PACED_MS), CHUNKS_PER_TURN);
  for (const route of [ours, bare]) await turn(route)();
  const passages = await alternate(quick ? TURNS_QUICK : TURNS, { bare: turn(bare), ours: turn(ours) });
  const [value, baseline] = [passages.ours, passages.bare].map((all) =>
    median(all.flatMap(({ latenciesMs }) => latenciesMs.slice(0, 1))),
  );
  report({
    metric: "first chunk of a turn, SSH, synchronous standby, another server : this machine and SQLite, p50",
    unit: "ms",
    value: value ?? Number.NaN,
    ...(baseline !== undefined && { baseline }),
    target: FIRST_MS_TARGET,
    ratioTarget: FIRST_RATIO_TARGET,
    n: passages.ours.length,
  });
  const [single = [], singleHere = []] = [passages.ours, passages.bare].map((all) =>
    all.flatMap(({ latenciesMs }) => latenciesMs.slice(1)),
  );
  reportLatency(report, "single chunks, the same", single, singleHere);
}

interface Crowd {
  readonly servers: number;
  readonly sessions: number;
  /** Of each session. */
  readonly chunks: number;
}

/** The result of one run. */
interface Outcome {
  readonly latenciesMs: readonly number[];
  /** From the wish to commit to the answer of the database, the mean. */
  readonly commitMs: number;
  readonly written: number;
  /** Chunks that are not stored exactly once, and in their order. */
  readonly wrong: number;
}

async function crowds({ quick, report }: BenchRun, pair: PostgresPair): Promise<void> {
  const few = await streamTogether(pair, quick ? FEW_QUICK : FEW);
  const many = quick ? CROWD_QUICK : CROWD;
  const all = await streamTogether(pair, many);
  const name = `${many.sessions} sessions at 10 chunks/s on ${many.servers} servers : ${(quick ? FEW_QUICK : FEW).sessions} on one`;
  const n = all.latenciesMs.length;
  report({
    metric: `${name}, chunk to socket, p50`,
    unit: "ms",
    value: median(all.latenciesMs),
    baseline: median(few.latenciesMs),
    ratioTarget: 2,
    n,
  });
  report({
    metric: `${name}, commit, mean`,
    unit: "ms",
    value: all.commitMs,
    baseline: few.commitMs,
    ratioTarget: 2,
    n,
  });
  report({
    metric: "chunks lost, doubled or out of order",
    unit: "count",
    value: all.wrong,
    target: 0,
    n: all.written,
  });
}

async function streamTogether(pair: PostgresPair, crowd: Crowd): Promise<Outcome> {
  await using opened = await openTeam(pair, crowd.servers);
  const { team, servers } = opened;
  const [worker] = servers;
  if (!worker) throw new Error("a team has servers");
  using client = openClient(addressOf(worker));
  const { project } = await client.ask({ type: "project:add", path: AT_THE_PLACE }, "project:added");
  const create = { type: "session:create", projectId: project.id, cliType: CliType.parse(STAMPING_AGENT) } as const;
  const sessions = await inGroups(crowd.sessions, async () => (await client.ask(create, "session:created")).sessionId);
  await using readers = new AsyncDisposableStack();
  const seen: { readonly writtenAt: number; readonly at: number }[] = [];
  for (const [nth, sessionId] of sessions.entries()) {
    const server = servers[nth % servers.length] ?? worker;
    const reader = readers.use(await openReader(addressOf(server).socketUrl, sessionId));
    reader.onFrame = (frame, at) => {
      for (const { writtenAt } of stampsIn(frame)) seen.push({ writtenAt, at });
    };
  }
  const before = await commitsOf(worker);
  const firstAt = wallClockMs();
  const content = PACED(crowd.chunks, CROWD_EVERY_MS);
  await inGroups(crowd.sessions, async (nth) => {
    const sessionId = sessions[nth];
    if (sessionId) await client.ask({ type: "session:send", sessionId, content }, "ok");
  });
  const allRunAt = wallClockMs();
  await untilAllEnded(pair, opened);
  const after = await commitsOf(worker);
  // Only while all turns run: the first to start is the first to end.
  const untilAt = firstAt + crowd.chunks * CROWD_EVERY_MS;
  const latenciesMs = seen
    .filter(({ writtenAt }) => writtenAt >= allRunAt && writtenAt < untilAt)
    .map(({ writtenAt, at }) => at - writtenAt);
  const stored = await pair.ask(team.database, "SELECT json FROM entry WHERE type = 'assistant'");
  const right = Array.from({ length: crowd.chunks }, (_, nth) => nth + 1).join();
  const whole = stored.filter(({ json }) => numbersIn(String(json)) === right).length;
  return {
    latenciesMs,
    commitMs: ((after.seconds - before.seconds) * MS_PER_S) / (after.count - before.count),
    written: crowd.sessions * crowd.chunks,
    wrong: (crowd.sessions - whole) * crowd.chunks,
  };
}

function numbersIn(text: string): string {
  return stampsIn(text)
    .map(({ number }) => number)
    .join();
}

async function untilAllEnded(pair: PostgresPair, { team }: BenchTeam): Promise<void> {
  const left = "SELECT count(*)::integer AS left FROM session WHERE unfinished = 1";
  await waitUntil("all turns to end", async () => (await pair.ask(team.database, left))[0]?.["left"] === 0, MS_PER_S);
}

/** The metrics of its commits since its start. */
async function commitsOf(server: TestServer): Promise<{ readonly count: number; readonly seconds: number }> {
  const text = await (await server.fetch("/api/metrics")).text();
  const read = (name: string) => Number(new RegExp(`^liminal_${name} (\\S+)$`, "m").exec(text)?.[1]);
  return { count: read("commits_total"), seconds: read("commit_seconds_total") };
}

/** Runs `each` this many times, a few at once. */
async function inGroups<Item>(count: number, each: (nth: number) => Promise<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let from = 0; from < count; from += AT_ONCE)
    items.push(
      ...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, nth) => each(from + nth)))),
    );
  return items;
}
