import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { reportLatency } from "../measure/report-latency.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import { reportGrowth } from "../scene/report-growth.ts";
import { SIZES, type Size, seedSessions } from "../scene/seeded-sessions.ts";
import { startServer } from "../scene/start-server.ts";

const SWITCHES = 20;
const SWITCHES_QUICK = 4;
const FRAMES_TARGET = 1;
const SWITCH_MS_TARGET = 100;

/** TC-4.2b: between long and short sessions that are all open. */
export const tabSwitch: Bench = {
  name: "tab-switch",
  asks: "click on a tab to its session on the screen at 20, 2,000 and 20,000 entries, against showing an empty box",
  async run({ quick, report }) {
    await using dir = await tempDir();
    const sessions = seedSessions(dir.path, 1);
    await using server = await startServer(dir.path);
    await using page = await ProbedPage.open(server.url);
    for (const { title, id, newestEntryId } of SIZES.flatMap((size) => sessions[size]))
      await page.openSession(title, id, newestEntryId);
    const frameMs = median(await page.frameIntervals());
    const times: Record<Size, number[]> = { 20: [], 2000: [], 20000: [] };
    const bare: number[] = [];
    for (let count = 0; count < (quick ? SWITCHES_QUICK : SWITCHES); count++) {
      for (const size of SIZES) {
        const [session] = sessions[size];
        if (!session) continue;
        bare.push(await page.showBox());
        times[size].push(await page.switchTab(session.title, session.id));
      }
    }
    const ours = SIZES.flatMap((size) => times[size]);
    reportLatency(report, "switched", ours, bare, SWITCH_MS_TARGET);
    const inFrames = (samples: readonly number[]) => samples.map((sample) => sample / frameMs);
    reportLatency(report, "switched", inFrames(ours), inFrames(bare), FRAMES_TARGET, "frames");
    reportGrowth(report, "switched", times, SWITCH_MS_TARGET);
  },
};
