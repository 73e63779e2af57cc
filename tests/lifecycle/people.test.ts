import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { ask, TestPerson } from "../support/person.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { Team } from "./team.ts";

const TEST_MS_MAX = 120_000;
let database: PostgresServer;

describe.skipIf(!CAN_RUN_POSTGRES)(`people of a team of servers on ${POSTGRES}`, () => {
  beforeAll(async () => {
    database = await PostgresServer.start();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it(
    "[SC-40] whoever is disabled is cut at every server of the team, and stays out when another one takes over",
    async () => {
      await using team = await Team.start(database);
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await team.talk(worker);
      const roles = { [talk.projectId]: "member" } as const;
      const [mia, ben] = [
        await TestPerson.add(worker, "Mia", { roles }),
        await TestPerson.add(worker, "Ben", { roles }),
      ];
      using there = await mia.connect(standby);
      using here = await mia.connect(worker);
      using other = await ben.connect(standby);
      for (const client of [there, here, other])
        await client.ask("session:history", { type: "session:open", sessionId: talk.sessionId });
      await ask(standby, `/api/v1/people/${mia.id}`, { disabled: true }, "PATCH");
      await Promise.all([there.untilClosed(), here.untilClosed()]);
      expect(other.isOpen).toBe(true);
      for (const server of [worker, standby])
        expect(
          (await server.fetch("/api/v1/projects", { headers: { Authorization: `Bearer ${mia.token}` } })).status,
        ).toBe(401);
      await worker.kill();
      using again = await team.connect(standby);
      expect(again.received[0]).toMatchObject({ person: { role: "owner" } });
      await expect(mia.connect(standby)).rejects.toThrow();
      using back = await ben.connect(standby);
      expect(back.received[0]).toMatchObject({ person: { name: "Ben" }, projects: [{ id: talk.projectId }] });
    },
    TEST_MS_MAX,
  );
});
