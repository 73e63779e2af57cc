import { describe, expect, it } from "bun:test";
import { CAN_RUN_POSTGRES, POSTGRES } from "../../support/postgres-server.ts";
import { roundsOf } from "../../support/seeded-random.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { printReport } from "../report.ts";
import { TeamTorture, type TeamTortureOrders } from "./run-team-torture.ts";
import { TEAM_FAULTS } from "./team-faults.ts";

/** A single one by default: `npm run torture -- --team` has as many as there is time for. */
const ROUNDS = roundsOf(10);
const MINUTES_MAX = 10;
const TEST_MS_MAX = 12 * 60_000;

describe.skipIf(!CAN_RUN_POSTGRES)(`the torture of a team on ${POSTGRES}`, () => {
  it(
    "[SC-48] a short one with a fixed seed: nothing lost, doubled or divergent",
    async () => {
      await using dir = await tempDir();
      const orders: TeamTortureOrders = {
        seed: process.env["LIMINAL_SEED"] ?? "1",
        minutes: MINUTES_MAX,
        roundsMax: ROUNDS,
        faults: TEAM_FAULTS,
        size: { servers: 2, sessions: 3, agents: 1, readers: 1 },
        root: dir.path,
        say: (line) => console.log(line),
        isStopped: () => false,
      };
      const report = await new TeamTorture(orders).run();
      printReport({ ...orders, words: " --team --servers 2" }, report);
      expect(report.breaches).toEqual([]);
      expect(report.rounds).toBe(ROUNDS);
      expect(report.factsChecked).toBe(report.factsAcknowledged);
    },
    TEST_MS_MAX,
  );
});
