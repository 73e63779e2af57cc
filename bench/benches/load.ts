import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import { seedSessions } from "../scene/seeded-sessions.ts";
import { startServer } from "../scene/start-server.ts";

const ROUNDS = 5;
const ROUNDS_QUICK = 1;
/** The projects have arrived over the socket and a session can be opened. */
const OUR_SIGN = "nav[aria-label=Projects] .session-row";
const BARE_SIGN = "button";
const BARE_PAGE = `<!doctype html><title>bare</title><button>New session</button>`;

/** The first visit, in a browser without a cache. */
export const load: Bench = {
  name: "load",
  asks: "navigation to the first paint, and to a sidebar that can be used, against a page that is one button",
  async run({ quick, report }) {
    await using dir = await tempDir();
    seedSessions(dir.path, 1);
    await using server = await startServer(dir.path);
    const bareServer = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(BARE_PAGE, { headers: { "content-type": "text/html" } }),
    });
    const n = quick ? ROUNDS_QUICK : ROUNDS;
    const { ours, bare } = await alternate(n, {
      bare: () => loadOnce(bareServer.url.href, BARE_SIGN),
      ours: () => loadOnce(server.url, OUR_SIGN),
    });
    await bareServer.stop(true);
    for (const [metric, of] of [
      ["first paint", "paintedMs"],
      ["interactive", "usableMs"],
    ] as const)
      report({
        metric,
        unit: "ms",
        value: median(ours.map((one) => one[of])),
        baseline: median(bare.map((one) => one[of])),
        n,
      });
  },
};

async function loadOnce(url: string, sign: string) {
  await using page = await ProbedPage.open(url);
  return await page.sinceStart(sign);
}
