import { describe, expect, it } from "bun:test";
import { PostgresPair } from "../support/postgres-pair.ts";
import { CAN_RUN_POSTGRES, POSTGRES } from "../support/postgres-server.ts";
import { roundsOf } from "../support/seeded-random.ts";
import { readRecord } from "./agent-record.ts";
import { Team } from "./team.ts";

const TEST_MS_MAX = 240_000;
/** It runs until it is stopped, however long the database is away. */
const ENDLESS = "stream 900000 words at 400/s";

describe.skipIf(!CAN_RUN_POSTGRES)(`a team on ${POSTGRES} with a synchronous standby`, () => {
  it(
    "[SC-5] the primary is killed and the standby promoted, again and again: nothing that was shown is lost, and the turn goes on",
    async () => {
      await using pair = await PostgresPair.start();
      await using team = await Team.start(pair);
      const talk = await team.talk(await team.standby());
      await talk.send(ENDLESS);
      const rounds = roundsOf(10);
      const awayMs: number[] = [];
      const engineMs: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await talk.until("more words", () => talk.answer.includes(`w${(round + 1) * 300} `));
        const [epoch, mark, failedMs] = [await team.epoch(), talk.client.mark(), performance.now()];
        await pair.failOver();
        engineMs.push(Math.round(performance.now() - failedMs));
        const [{ seq }, answer] = [talk.state, talk.answer];
        // Whatever was shown before is what a new reader gets from the database that took over.
        await talk.client.next("storage:state", ({ writable }) => writable, mark);
        awayMs.push(Math.round(performance.now() - failedMs));
        const fresh = await talk.joinedBy(await team.connect(await team.standby()));
        expect(fresh.state.seq).toBeGreaterThanOrEqual(seq);
        expect(fresh.answer.startsWith(answer)).toBe(true);
        expect(await team.epoch()).toBe(epoch);
        fresh.client[Symbol.dispose]();
        await pair.pairUp();
      }
      await talk.cancel();
      await talk.untilTurnsEnded(1);
      const there = await talk.joinedBy(await team.connect(await team.worker()));
      expect(there.entries).toEqual(talk.entries);
      expect(talk.answer === readRecord(team.record)[0]?.text).toBe(true);
      // The servers follow the database: one takes over from another on the promoted one as before.
      const [worker, standby] = [await team.worker(), await team.standby()];
      await worker.kill();
      const last = await talk.joinedBy(await team.connect(standby));
      await last.say("stream 3 words");
      expect(last.answer.endsWith("w1 w2 w3")).toBe(true);
      console.log(
        `database fail-over: ${rounds} times, killed and promoted after ms ${engineMs.join(" ")}, writable again after ms ${awayMs.join(" ")}`,
      );
    },
    TEST_MS_MAX,
  );
});
