import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import { reportGrowth } from "../scene/report-growth.ts";
import { SIZES, type Size, seedSessions } from "../scene/seeded-sessions.ts";
import { startServer } from "../scene/start-server.ts";

const SESSIONS_PER_SIZE = 5;
const SESSIONS_PER_SIZE_QUICK = 2;
const VISIBLE_MS_TARGET = 500;

/** NFR-3 and X-3 as the user experiences them: each session is opened for the first time, in one window. */
export const openPage: Bench = {
  name: "open-page",
  asks: "click in the sidebar to the newest entry on the screen at 20, 2,000 and 20,000 entries",
  async run({ quick, report }) {
    await using dir = await tempDir();
    const perSize = quick ? SESSIONS_PER_SIZE_QUICK : SESSIONS_PER_SIZE;
    // One more of each to begin with: the first one ever also loads the code.
    const seeded = seedSessions(dir.path, perSize + 1);
    await using server = await startServer(dir.path);
    await using page = await ProbedPage.open(server.url);
    const times: Record<Size, number[]> = { 20: [], 2000: [], 20000: [] };
    for (const index of seeded[20].keys()) {
      for (const size of SIZES) {
        const session = seeded[size][index];
        if (!session) continue;
        const tookMs = await page.openSession(session.title, session.id, session.newestEntryId);
        if (index > 0) times[size].push(tookMs);
      }
    }
    reportGrowth(report, "on the screen", times, VISIBLE_MS_TARGET);
  },
};
