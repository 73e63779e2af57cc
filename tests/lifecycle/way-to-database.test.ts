import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { z } from "zod";
import { generateCertificate } from "../../src/operations/tls/generate-certificate.ts";
import { liminalJson } from "../cli/liminal.ts";
import { startTalk } from "../integration/talk.ts";
import { freePort } from "../support/free-port.ts";
import { CAN_POOL, PGBOUNCER, PgBouncer } from "../support/pgbouncer.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { startTestServer, TestServer } from "../support/test-server.ts";
import { readRecord } from "./agent-record.ts";
import { Team } from "./team.ts";

const TEST_MS_MAX = 120_000;

async function startInVain(LIMINAL_DATABASE_URL: string): Promise<string> {
  await using server = await TestServer.prepare({ env: { LIMINAL_DATABASE_URL } });
  const { code, stderr } = await server.startInVain();
  expect(code).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  return stderr;
}

async function doctor(LIMINAL_DATABASE_URL: string): Promise<unknown> {
  await using server = await TestServer.prepare();
  const { value } = await liminalJson(server, ["doctor", "--no-agents"], { env: { LIMINAL_DATABASE_URL } });
  const { checks } = z.object({ checks: z.array(z.looseObject({ id: z.string() })) }).parse(value);
  return checks.find(({ id }) => id === "database");
}

describe.skipIf(!CAN_RUN_POSTGRES)(`TLS to ${POSTGRES}`, () => {
  it(
    "[SC-42] with verify-full a server trusts the certificate that it was told of, and only under its own name",
    async () => {
      const urls = async (names: readonly string[]) => {
        const certificate = await generateCertificate(names, Date.now());
        const port = await freePort();
        const server = await PostgresServer.startWithPort(port, certificate);
        const { pathname } = new URL(await server.createDatabase());
        const plain = `postgres://app@localhost:${port}${pathname}?sslmode=verify-full`;
        const root = await server.keep("root.crt", certificate.cert);
        return { server, plain, trusting: `${plain}&sslrootcert=${encodeURIComponent(root)}` };
      };
      const right = await urls(["localhost"]);
      await using database = right.server;
      await using server = await startTestServer({ env: { LIMINAL_DATABASE_URL: right.trusting } });
      await (await startTalk(server)).say("stream 3 words");
      const encrypted = await database.ask(
        "postgres",
        "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'liminal'",
      );
      expect([...encrypted]).toEqual([{ ssl: true }]);
      // Nobody has told it whom to trust.
      const untrusted = "add sslrootcert=<file> to the URL";
      expect(await startInVain(right.plain)).toContain(untrusted);
      expect(await startInVain(`${right.plain}&sslrootcert=/nowhere.crt`)).toContain("Correct sslrootcert");

      const wrong = await urls(["db.example"]);
      await using _ = wrong.server;
      expect(await startInVain(wrong.trusting)).toContain(
        "Use a name in the URL that the certificate of the database has",
      );
    },
    TEST_MS_MAX,
  );
});

describe.skipIf(!CAN_POOL)(`behind ${PGBOUNCER}`, () => {
  let database: PostgresServer;
  beforeAll(async () => {
    database = await PostgresServer.start();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it(
    "[SC-23] in session mode a team works, and takes over, and every word arrives",
    async () => {
      await using pooled = await PgBouncer.start(database, "session");
      await using team = await Team.start(database, { urlOf: async (url) => pooled.urlOf(url) });
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await team.talk(standby);
      const beside = await talk.joinedBy(await worker.connect());
      await talk.send("stream 2000 words at 1000/s");
      await beside.until("the first words", () => beside.answer.includes("w200 "));
      await worker.kill();
      const there = await talk.joinedBy(await team.connect(standby));
      await there.untilTurnsEnded(1);
      expect(there.answer === readRecord(team.record)[0]?.text).toBe(true);
    },
    TEST_MS_MAX,
  );

  it(
    "[SC-23] in transaction mode a server refuses to start in one sentence, and doctor repeats it",
    async () => {
      await using pooled = await PgBouncer.start(database, "transaction");
      const url = pooled.urlOf(await database.createDatabase());
      const said = "A pooler in front of the database gives connections away after each transaction";
      const stderr = await startInVain(url);
      expect(stderr).toContain(said);
      expect(stderr).toContain("Set pool_mode = session");
      expect(await doctor(url)).toMatchObject({
        status: "problem",
        message: expect.stringContaining(said),
        fix: expect.stringContaining("pool_mode = session"),
      });
    },
    TEST_MS_MAX,
  );
});
