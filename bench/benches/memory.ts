import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import { SIZES, seedSessions } from "../scene/seeded-sessions.ts";
import { startServer } from "../scene/start-server.ts";

const SESSIONS_PER_SIZE = 4;
const SESSIONS_PER_SIZE_QUICK = 2;
const GROWTH_TARGET = 2;

/** The cost of an open tab. */
export const memory: Bench = {
  name: "memory",
  asks: "script memory of the page per open session at 20, 2,000 and 20,000 entries",
  async run({ quick, report }) {
    await using dir = await tempDir();
    const n = quick ? SESSIONS_PER_SIZE_QUICK : SESSIONS_PER_SIZE;
    // One more of the shortest to begin with: the first one ever also loads the code.
    const seeded = seedSessions(dir.path, n + 1);
    await using server = await startServer(dir.path);
    await using page = await ProbedPage.open(server.url);
    const [first] = seeded[20];
    if (first) await page.openSession(first.title, first.id, first.newestEntryId);
    let before = await page.heapMb();
    report({ metric: "the page with one session open", unit: "MB", value: before, n: 1 });
    const perSession: number[] = [];
    for (const size of SIZES) {
      for (const { title, id, newestEntryId } of seeded[size].slice(1))
        await page.openSession(title, id, newestEntryId);
      const after = await page.heapMb();
      perSession.push((after - before) / n);
      before = after;
      const [shortest = Number.NaN] = perSession;
      report({
        metric: `each open session of ${size.toLocaleString("en-US")} entries`,
        unit: "MB",
        value: perSession.at(-1) ?? Number.NaN,
        ...(size !== 20 && { baseline: shortest }),
        n,
      });
    }
    // What is sent and kept is the newest page of a session, so a longer history must not cost more than a full page.
    const [, full = Number.NaN, longest = Number.NaN] = perSession;
    report({ metric: "20,000 : 2,000 entries", unit: "x", value: longest / full, target: GROWTH_TARGET, n });
  },
};
