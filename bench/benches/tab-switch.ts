import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { reportLatency } from "../measure/report-latency.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import { seedSessions } from "../scene/seeded-sessions.ts";
import { startServer } from "../scene/start-server.ts";

const SWITCHES = 60;
const SWITCHES_QUICK = 10;
const FRAMES_TARGET = 1;
const SWITCH_MS_TARGET = 100;

/** TC-4.2b: between two long sessions that are both open. */
export const tabSwitch: Bench = {
  name: "tab-switch",
  asks: "click on a tab to its session on the screen, against showing an empty box",
  async run({ quick, report }) {
    await using dir = await tempDir();
    const sessions = seedSessions(dir.path, 2)[2_000];
    await using server = await startServer(dir.path);
    await using page = await ProbedPage.open(server.url);
    for (const { title, id, newestEntryId } of sessions) await page.openSession(title, id, newestEntryId);
    const frameMs = median(await page.frameIntervals());
    const times = { ours: [] as number[], bare: [] as number[] };
    for (let count = 0; count < (quick ? SWITCHES_QUICK : SWITCHES); count++) {
      const session = sessions[count % sessions.length];
      if (!session) continue;
      times.bare.push(await page.showBox());
      times.ours.push(await page.switchTab(session.title, session.id));
    }
    reportLatency(report, "switched", times.ours, times.bare, SWITCH_MS_TARGET);
    const inFrames = (samples: readonly number[]) => samples.map((sample) => sample / frameMs);
    reportLatency(report, "switched", inFrames(times.ours), inFrames(times.bare), FRAMES_TARGET, "frames");
  },
};
