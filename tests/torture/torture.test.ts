import { expect, it } from "bun:test";
import { tempDir } from "../support/temp-dir.ts";
import { FAULTS } from "./faults/fault-table.ts";
import { printReport } from "./report.ts";
import { Torture, type TortureOrders } from "./run-torture.ts";
import { sizeOf } from "./scene-size.ts";

/** The quick ones, each of which stands for a kind; `npm run torture` has them all. */
const SHORT = ["server-kill", "holder-kill", "journal-corrupt-live", "agent-lie", "client-lossy", "socket-bad-frames"];
const SESSIONS = 8;
const ROUNDS = 4;
const MINUTES_MAX = 2;
const TEST_MS_MAX = 6 * 60_000;

it(
  "X-1 X-2 X-19 X-21 a short torture with a fixed seed: nothing lost, doubled, divergent or left behind",
  async () => {
    await using dir = await tempDir();
    const orders: TortureOrders = {
      seed: process.env["LIMINAL_SEED"] ?? "1",
      minutes: MINUTES_MAX,
      roundsMax: ROUNDS,
      faults: FAULTS.filter(({ name }) => SHORT.includes(name)),
      size: sizeOf(SESSIONS),
      loadMs: 0,
      root: dir.path,
      say: (line) => console.log(line),
      isStopped: () => false,
    };
    const report = await new Torture(orders).run();
    printReport(orders, report);
    expect(report.breaches).toEqual([]);
    expect(report.rounds).toBeGreaterThan(0);
    expect(report.factsChecked).toBe(report.factsAcknowledged);
  },
  TEST_MS_MAX,
);
