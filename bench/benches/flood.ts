import { join } from "node:path";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { cpuMs } from "../measure/process-cost.ts";
import { openBarePipe } from "../scene/bare-pipe.ts";
import { createSession, openClient } from "../scene/open-client.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import { ROOT, startServer } from "../scene/start-server.ts";

const WORDS = 20_000;
const PROMPT = `stream ${WORDS} words`;
const LAST_WORD = `w${WORDS}`;
const ROUNDS = 3;
const ROUNDS_QUICK = 1;
/** From here on a browser calls a frame long: users notice it. */
const LONG_FRAME_MS = 50;

interface Flood {
  readonly tookMs: number;
  readonly serverCpuMs: number;
  readonly browserCpuMs: number;
  readonly mainThreadMs: number;
  readonly longestGapMs: number;
  readonly longestFrameMs: number;
  readonly longestTaskMs: number;
}

/** As much text as an agent can write at once, followed to its end. */
export const flood: Bench = {
  name: "flood",
  asks: "20,000 words as fast as the built-in agent can: CPU and the longest frame, against a bare page on a bare pipe",
  async run({ quick, report }) {
    const n = quick ? ROUNDS_QUICK : ROUNDS;
    const { ours, bare } = await alternate(n, { bare: onBarePage, ours: onOurPage });
    const compare = (of: keyof Flood) =>
      ({ value: middle(ours, of), baseline: middle(bare, of), n, unit: "ms" }) as const;
    report({ metric: "prompt to the last word on the screen", ...compare("tookMs") });
    report({ metric: "CPU of the server", ...compare("serverCpuMs") });
    report({ metric: "CPU of the browser", ...compare("browserCpuMs") });
    report({ metric: "main thread of the page (wall time of its tasks)", ...compare("mainThreadMs") });
    report({ metric: "longest time between frames", ...compare("longestGapMs") });
    report({ metric: "longest frame over 50 ms (0: none)", ...compare("longestFrameMs"), target: LONG_FRAME_MS });
    report({ metric: "longest task (thread time)", ...compare("longestTaskMs"), target: LONG_FRAME_MS });
  },
};

function middle(floods: readonly Flood[], of: keyof Flood): number {
  return median(floods.map((one) => one[of]));
}

async function onOurPage(): Promise<Flood> {
  await using dir = await tempDir();
  await using server = await startServer(dir.path);
  using client = openClient(server);
  const sessionId = await createSession(client, dir.path, "builtin");
  await client.ask({ type: "session:rename", sessionId, title: "flood" }, "session:title-updated");
  await using page = await ProbedPage.open(server.url);
  await page.openEmptySession("flood", sessionId);
  return await measure(page, server.pid, sessionId, async () => {
    await client.ask({ type: "session:send", sessionId, content: PROMPT }, "ok");
  });
}

async function onBarePage(): Promise<Flood> {
  await using pipe = await openBarePipe([process.execPath, join(ROOT, "builtin-agent/main.ts")]);
  await using page = await ProbedPage.open(pipe.pageUrl);
  using reader = await pipe.openReader();
  return await measure(page, pipe.pid, null, async () => reader.send(pipe.promptFrame(PROMPT)));
}

async function measure(
  page: ProbedPage,
  serverPid: number,
  sessionId: string | null,
  begin: () => Promise<void>,
): Promise<Flood> {
  const spent = async () => ({
    server: cpuMs(serverPid),
    browser: await page.browserCpuMs(),
    mainThread: await page.mainThreadMs(),
  });
  const before = await spent();
  const stopTracing = await page.traceTasks();
  const stopWatching = await page.watchFrames();
  const from = performance.now();
  const shown = page.untilText(sessionId, LAST_WORD);
  await begin();
  await shown;
  const tookMs = performance.now() - from;
  const { longestGapMs, longFramesMs } = await stopWatching();
  const longestTaskMs = await stopTracing();
  const after = await spent();
  return {
    tookMs,
    serverCpuMs: after.server - before.server,
    browserCpuMs: after.browser - before.browser,
    mainThreadMs: after.mainThread - before.mainThread,
    longestGapMs,
    longestFrameMs: Math.max(0, ...longFramesMs),
    longestTaskMs,
  };
}
