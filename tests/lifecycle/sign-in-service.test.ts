import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CompanyService, Visitor } from "../support/company-service.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { Team } from "./team.ts";

const TEST_MS_MAX = 60_000;
let database: PostgresServer;

describe.skipIf(!CAN_RUN_POSTGRES)(`a team on ${POSTGRES}`, () => {
  beforeAll(async () => {
    database = await PostgresServer.start();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it(
    "people come back from the sign-in service to a server that stands by, also when another one works by then",
    async () => {
      await using service = await CompanyService.start({
        ann: { email: "ann@example.com", email_verified: true, name: "Ann" },
      });
      await using team = await Team.start(database);
      const [first, second] = [await team.worker(), await team.standby()];
      service.serve(first.origin);
      const oidc = service.setting({ address: first.origin, allow: ["@example.com"] });
      for (const { dataDir } of [first, second]) writeFileSync(join(dataDir, "config.json"), JSON.stringify({ oidc }));
      await first.stop();
      await team.untilWorks(second);
      await first.start();

      const before = new Visitor();
      const whole = await before.comeBack(await before.signIn(await before.toService(first.origin), "ann"));
      expect(whole.headers).not.toBeNull();

      const visitor = new Visitor();
      const begun = await visitor.toService(first.origin);
      const back = await visitor.signIn(begun, "ann");
      await second.kill();
      await team.untilWorks(first);
      await team.connect(first);
      expect((await visitor.comeBack(back)).headers).not.toBeNull();
      const { people } = await (await first.fetch("/api/v1/people")).json();
      expect(people.map(({ name }: { name: string }) => name)).toEqual(["Owner", "Ann"]);
    },
    TEST_MS_MAX,
  );
});
