import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { CommandId, type SessionId } from "../../src/protocol/ids.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench, BenchRun } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { cpuMs, idleMemoryOf } from "../measure/process-cost.ts";
import { type BenchClient, createSession, openClient } from "../scene/open-client.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import type * as seeding from "../scene/seeded-sessions.ts";
import { anotherGuide, type BenchServer, ROOT, startServer } from "../scene/start-server.ts";

const AGENT = "talker";
const CHUNKS_PER_S = 50;
/** More than is received: the turns are cancelled. */
const WORDS = 100_000;
const SESSIONS = 10;
const WATCHED_S = 10;
const WATCHED_S_QUICK = 3;
const ROUNDS = 3;
const ROUNDS_QUICK = 1;
const OPENED_PER_SIZE = 6;
const OPENED_PER_SIZE_QUICK = 2;
const SWITCHES = 30;
const SWITCHES_QUICK = 6;
const MANY_TO_ONE_MAX = 1.5;
const HALF = 0.5;
const MEMORY_SHARE_MAX = 0.7;
const OPENED_SIZES = [2_000, 20_000] as const;

/** The cost of one version, in processor time (ms) and memory (MB). */
type Costs = Record<string, number[]>;

/** Compares this version with the one of `--against`, or only measures it when there is none. */
export const versions: Bench = {
  name: "versions",
  asks: "processor time of ten streaming sessions, of opening and of switching, and memory, against another version",
  async run(run) {
    const roots = run.against === undefined ? [ROOT] : [run.against, ROOT];
    const costs = new Map<string, Costs>(roots.map((root) => [root, {}]));
    for (let round = 0; round < (run.quick ? ROUNDS_QUICK : ROUNDS); round++) {
      for (const [root, taken] of costs) {
        await streamIn(root, run, taken);
        await openIn(root, run, taken);
      }
    }
    reportCosts(run, costs.get(ROOT) ?? {}, run.against === undefined ? undefined : costs.get(run.against));
  },
};

async function streamIn(root: string, { quick }: BenchRun, costs: Costs): Promise<void> {
  await using dir = await tempDir();
  await using server = await startServer(dir.path, { [AGENT]: anotherGuide("Talker", root) }, root);
  using client = openClient(server);
  const sessions = await createSessions(client, dir.path);
  await using page = await ProbedPage.open(server.url);
  const [first] = sessions;
  if (first === undefined) throw new Error("there is a first session");
  await page.openEmptySession(titleOf(0), first);
  note(costs, "renderer memory, one session", "MB", (await idleMemoryOf(await page.rendererPid())).rssMb);
  const watchedMs = (quick ? WATCHED_S_QUICK : WATCHED_S) * 1_000;
  const alone = await costOfStreaming({ client, page, server, sessions: [first], watchedMs });
  note(costs, "one session streams, renderer", "ms", alone.rendererMs);
  note(costs, "one session streams, server", "ms", alone.serverMs);
  for (const [index, sessionId] of sessions.entries())
    if (index > 0) await page.openEmptySession(titleOf(index), sessionId);
  const all = await costOfStreaming({ client, page, server, sessions, watchedMs });
  note(costs, "ten sessions stream, renderer", "ms", all.rendererMs);
  note(costs, "ten sessions stream, server", "ms", all.serverMs);
  note(costs, "ten sessions : one, renderer", "x", all.rendererMs / alone.rendererMs);
}

interface Streaming {
  readonly client: BenchClient;
  readonly page: ProbedPage;
  readonly server: BenchServer;
  readonly sessions: readonly SessionId[];
  readonly watchedMs: number;
}

/** The last session is the one that is shown. */
async function costOfStreaming({ client, page, server, sessions, watchedMs }: Streaming) {
  const shown = sessions.at(-1);
  if (shown === undefined) throw new Error("one session is shown");
  for (const sessionId of sessions) {
    const content = `stream ${WORDS} words at ${CHUNKS_PER_S}/s`;
    await client.ask({ type: "session:send", sessionId, content, commandId: CommandId.parse(randomUUID()) }, "ok");
  }
  await page.untilText(shown, `w${CHUNKS_PER_S}`);
  const rendererPid = await page.rendererPid();
  const before = { renderer: cpuMs(rendererPid), server: cpuMs(server.pid) };
  await Bun.sleep(watchedMs);
  const cost = { rendererMs: cpuMs(rendererPid) - before.renderer, serverMs: cpuMs(server.pid) - before.server };
  for (const sessionId of sessions) await client.ask({ type: "session:cancel", sessionId }, "ok");
  return cost;
}

async function createSessions(client: BenchClient, directory: string): Promise<SessionId[]> {
  const sessions: SessionId[] = [];
  for (let index = 0; index < SESSIONS; index++) {
    const sessionId = await createSession(client, directory, AGENT);
    await client.ask({ type: "session:rename", sessionId, title: titleOf(index) }, "session:title-updated");
    sessions.push(sessionId);
  }
  return sessions;
}

function titleOf(index: number): string {
  return `stream ${index + 1}`;
}

async function openIn(root: string, { quick }: BenchRun, costs: Costs): Promise<void> {
  await using dir = await tempDir();
  const perSize = quick ? OPENED_PER_SIZE_QUICK : OPENED_PER_SIZE;
  // Each version fills its own database: their schemas may differ.
  const { seedSessions }: typeof seeding = await import(join(root, "bench/scene/seeded-sessions.ts"));
  const seeded = seedSessions(dir.path, perSize);
  await using server = await startServer(dir.path, {}, root);
  await using page = await ProbedPage.open(server.url);
  // The first session ever opened also loads the code.
  for (const session of seeded[20]) await page.openSession(session.title, session.id, session.newestEntryId);
  const rendererPid = await page.rendererPid();
  const spent = () => ({ renderer: cpuMs(rendererPid), server: cpuMs(server.pid) });
  for (const size of OPENED_SIZES) {
    for (const session of seeded[size]) {
      await page.rest();
      const open = await page.readyToOpen(session.title, session.id, session.newestEntryId);
      const before = spent();
      const tookMs = await open();
      const after = spent();
      const what = `open ${size.toLocaleString("en-US")} entries`;
      note(costs, `${what}, elapsed`, "ms", tookMs);
      note(costs, `${what}, renderer`, "ms", after.renderer - before.renderer);
      note(costs, `${what}, server`, "ms", after.server - before.server);
    }
  }
  const opened = OPENED_SIZES.flatMap((size) => seeded[size].slice(0, 2));
  for (let count = 0; count < (quick ? SWITCHES_QUICK : SWITCHES); count++) {
    const session = opened[count % opened.length];
    if (!session) continue;
    await page.rest();
    const show = await page.readyToSwitch(session.title, session.id);
    const before = spent();
    note(costs, "switch tabs, elapsed", "ms", await show());
    note(costs, "switch tabs, renderer", "ms", spent().renderer - before.renderer);
  }
}

const UNITS = new Map<string, "ms" | "MB" | "x">();

function note(costs: Costs, metric: string, unit: "ms" | "MB" | "x", value: number): void {
  UNITS.set(metric, unit);
  costs[metric] = [...(costs[metric] ?? []), value];
}

function reportCosts({ report }: BenchRun, ours: Costs, theirs: Costs | undefined): void {
  for (const [metric, samples] of Object.entries(ours)) {
    const value = median(samples);
    const unit = UNITS.get(metric) ?? "ms";
    const known = theirs?.[metric];
    const baseline = known === undefined ? undefined : median(known);
    const target = metric.startsWith("ten sessions :") ? MANY_TO_ONE_MAX : targetOf(metric, baseline);
    report({
      metric,
      unit,
      value,
      n: samples.length,
      ...(baseline !== undefined && { baseline }),
      ...(target !== undefined && { target }),
    });
  }
}

/** The target is a share of what the other version takes. */
function targetOf(metric: string, baseline: number | undefined): number | undefined {
  if (baseline === undefined) return undefined;
  if (metric.startsWith("renderer memory")) return baseline * MEMORY_SHARE_MAX;
  if (metric.startsWith("one session")) return baseline;
  return baseline * HALF;
}
