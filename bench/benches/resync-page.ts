import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { causeOutage, unseenText } from "../scene/outage.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import { SeedStore } from "../scene/seed-store.ts";
import { seedTranscript } from "../scene/seed-transcript.ts";
import { startServer } from "../scene/start-server.ts";

const OUTAGES_MS = [0, 4_000] as const;
const ROUNDS = 5;
const ROUNDS_QUICK = 2;
const RESYNC_MS_TARGET = 2_000;
const ENTRIES = 2_000;

/** NFR-4 as the user experiences it. */
export const resyncPage: Bench = {
  name: "resync-page",
  asks: "server back after kill -9 to what the page missed on the screen",
  async run({ quick, report }) {
    await using dir = await tempDir();
    const session = seedOne(dir.path);
    let server = await startServer(dir.path);
    try {
      await using page = await ProbedPage.open(server.url);
      await page.openSession(session.title, session.id, session.newestEntryId);
      let outages = 0;
      for (const downMs of OUTAGES_MS) {
        const times: number[] = [];
        for (let round = 0; round < (quick ? ROUNDS_QUICK : ROUNDS); round++) {
          outages += 1;
          const shown = page.untilText(session.id, unseenText(outages));
          const outage = await causeOutage(server, session.id, downMs, outages);
          server = outage.server;
          times.push(Math.max(0, (await shown) - outage.acceptingAt));
        }
        const metric = `on the screen after ${downMs / 1_000} s down, slowest`;
        report({ metric, unit: "ms", value: Math.max(...times), target: RESYNC_MS_TARGET, n: times.length });
      }
    } finally {
      await server.stop();
    }
  },
};

function seedOne(dataDir: string) {
  using store = SeedStore.of(dataDir);
  store.addProject(dataDir);
  return seedTranscript(store, "resync", dataDir, ENTRIES);
}
