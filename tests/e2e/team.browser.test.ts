import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { Team } from "../lifecycle/team.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { picturesOf } from "./pictures.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const TEST_MS_MAX = 120_000;
const TITLE = "stream 3 words";

const chromium = useChromium();
let database: PostgresServer;

describe.skipIf(!CAN_RUN_POSTGRES)(`pages at two servers of a team on ${POSTGRES}`, () => {
  beforeAll(async () => {
    database = await PostgresServer.start();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it(
    "[SC-14] [SC-21] show one session: what is asked in one is answered in the other, and both go on when the server that works is killed",
    async () => {
      await using team = await Team.start(database);
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await team.talk(worker);
      await talk.say(TITLE);
      await using at = await chromium.open(worker, { losesServer: true });
      await using beside = await chromium.open(standby, { losesServer: true, isRefused: true });
      const [one, other] = [await at.open(TITLE), await beside.open(TITLE)];
      await one.say("run echo both");
      await other.permission.waitFor();
      await one.permission.waitFor();
      await picturesOf(beside.page)("team asks");
      await other.permission.getByRole("button", { name: "Allow once", exact: true }).click();
      await expectSoon(() => one.permission.count()).toBe(0);
      await one.untilIdle();
      await expectSoon(() => other.entries("user").count()).toBe(2);

      await other.say("stream 900000 words at 200/s");
      await one.untilSaid("w5");
      await worker.kill();
      await picturesOf(beside.page)("team taken over");
      // The page of the server that is left needs no help, and what it says from now on is of the same turn.
      await (await talk.joinedBy(await team.connect(standby))).cancel();
      await other.untilIdle();
      await worker.start();
      await other.ask("stream 4 words", "w4");
      await expectSoon(() => one.entries("user").count()).toBe(4);
      const words = (view: SessionView) => view.entries("assistant").locator("p").allTextContents();
      await expectSoon(() => words(one)).toEqual(await words(other));
      expect((await words(one)).at(-1)).toBe("w1 w2 w3 w4");
    },
    TEST_MS_MAX,
  );
});
