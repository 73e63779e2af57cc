import { expect, it } from "bun:test";
import { tempDir } from "../support/temp-dir.ts";
import { FAULTS } from "./faults/fault-table.ts";
import { printReport } from "./report.ts";
import { Torture, type TortureOrders, type TortureReport } from "./run-torture.ts";
import { sizeOf } from "./scene-size.ts";

/** The quick ones, each of which stands for a kind; `npm run torture` has them all. */
const SHORT = [
  ...["server-kill", "holder-kill", "journal-corrupt-live", "agent-lie", "client-lossy", "socket-bad-frames"],
  ...["session-move-kill", "merge-kill", "terminal-holder-kill"],
];
/** With agents on another machine. */
const FAR = ["channel-cut", "runner-kill", "clock-skew", "server-kill"];
const SESSIONS = 8;
const FAR_SESSIONS = 3;
const ROUNDS = 5;
/** Each of the faults comes once at least. */
const FAR_ROUNDS = FAR.length;
const MINUTES_MAX = 4;
const TEST_MS_MAX = 6 * 60_000;

async function torture(names: readonly string[], sessions: number, roundsMax: number): Promise<TortureReport> {
  await using dir = await tempDir();
  const orders: TortureOrders = {
    seed: process.env["LIMINAL_SEED"] ?? "1",
    minutes: MINUTES_MAX,
    roundsMax,
    faults: FAULTS.filter(({ name }) => names.includes(name)),
    size: sizeOf(sessions),
    loadMs: 0,
    root: dir.path,
    say: (line) => console.log(line),
    isStopped: () => false,
  };
  const report = await new Torture(orders).run();
  printReport(orders, report);
  return report;
}

it(
  "X-1 X-2 X-19 X-21 [WS-16] [WS-42] a short torture with a fixed seed: nothing lost, doubled, divergent or left behind",
  async () => {
    const report = await torture(SHORT, SESSIONS, ROUNDS);
    expect(report.breaches).toEqual([]);
    expect(report.rounds).toBe(ROUNDS);
    expect(report.factsChecked).toBe(report.factsAcknowledged);
  },
  TEST_MS_MAX,
);

it(
  "[SC-27] [SC-29] [SC-34] a short torture of agents on another machine: nothing lost, doubled, divergent or left behind",
  async () => {
    const report = await torture(FAR, FAR_SESSIONS, FAR_ROUNDS);
    expect(report.breaches).toEqual([]);
    expect(report.rounds).toBe(FAR_ROUNDS);
    expect([...report.injected.keys(), ...report.skipped.keys()].sort()).toEqual([...FAR].sort());
    expect(report.factsChecked).toBe(report.factsAcknowledged);
  },
  TEST_MS_MAX,
);
