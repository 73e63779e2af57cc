import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { TakenOverError } from "../../src/store/postgres/committer.ts";
import { connectionSettings } from "../../src/store/postgres/connection-settings.ts";
import { PostgresDatabase } from "../../src/store/postgres/database.ts";
import { migrate } from "../../src/store/postgres/migrations.ts";
import type { Ownership } from "../../src/store/postgres/ownership.ts";
import { PostgresProjectStore } from "../../src/store/postgres/project-store.ts";
import { aliveReplicas, Replica } from "../../src/store/postgres/replica.ts";
import { PostgresSessionLog } from "../../src/store/postgres/session-log.ts";
import { LogWriter } from "../core/log-writer.ts";
import { BINDING, NOW, PROJECT, SESSION, sessionRow } from "../core/names.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { waitFor } from "../support/wait-for.ts";

const SERVERS = 5;
/** Many beats, so that each has counted, on a busy machine too; longer than a dead one is waited for. */
const WATCHED_MS = 3_000;
const TEST_MS_MAX = 60_000;

let server: PostgresServer;

interface Member {
  readonly db: PostgresDatabase;
  readonly replica: Replica;
  readonly turn: Promise<{ readonly member: number; readonly ownership: Ownership | null }>;
}

async function join(url: string, member: number): Promise<Member> {
  const db = new PostgresDatabase(connectionSettings(url), { connectionsMax: 2 });
  await migrate(db);
  const replica = new Replica({
    ...{
      db,
      id: crypto.randomUUID(),
      name: `server ${member}`,
      origin: `http://server-${member}`,
      certificate: null,
      version: "1.0.0",
    },
    onWorks: () => undefined,
  });
  const turn = replica.succeed().then((ownership) => ({ member, ownership }));
  await replica.start();
  return { db, replica, turn };
}

describe.skipIf(!CAN_RUN_POSTGRES)(`servers of a team on ${POSTGRES}`, () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it(
    "[SC-7] [SC-13] one of many takes over from a dead one, and nothing of that is stored any more",
    async () => {
      const url = await server.createDatabase();
      const members = await Promise.all(Array.from({ length: SERVERS }, (_, nth) => join(url, nth)));
      const waiting = new Map(members.map(({ turn }, nth) => [nth, turn]));
      const owners: { readonly member: number; readonly ownership: Ownership }[] = [];
      // Each owner is dead from the start: it never counts.
      for (let round = 0; round < 3; round += 1) {
        const { member, ownership } = await Promise.race(waiting.values());
        waiting.delete(member);
        if (!ownership) throw new Error("a server was stopped");
        owners.push({ member, ownership });
      }
      expect(owners.map(({ ownership }) => ownership.epoch)).toEqual([1, 2, 3]);
      const [first, , last] = owners;
      const [dead, alive] = [members[first?.member ?? -1], members[last?.member ?? -1]];
      if (!first || !last || !dead || !alive) throw new Error("three have had it");
      last.ownership.start(() => undefined);
      await new PostgresProjectStore(alive.db).add({ id: PROJECT, path: "/work", name: "work", addedAt: NOW });
      const log = new PostgresSessionLog(alive.db, last.ownership.epoch);
      await log.create(sessionRow(SESSION), BINDING, null);
      await new LogWriter(() => log).fill(3);
      const late = new PostgresSessionLog(dead.db, first.ownership.epoch);
      await expect(new LogWriter(() => late).fill(3)).rejects.toThrow(TakenOverError);
      expect(await log.readAfter(SESSION, 0, 9)).toHaveLength(3);
      // Not even what is stored without an epoch.
      const beside = dead.db.beside({});
      beside.mayStore = () => first.ownership.confirm();
      await expect(new PostgresProjectStore(beside).remove(PROJECT)).rejects.toThrow(TakenOverError);
      expect(await new PostgresProjectStore(alive.db).list()).toHaveLength(1);
      // The others see that it is alive, for longer than a dead one is waited for.
      const names = members.map((_, nth) => `server ${nth}`);
      expect(await aliveReplicas(alive.db, WATCHED_MS)).toEqual(names);
      expect(await aliveReplicas(alive.db, WATCHED_MS)).toEqual(names);
      expect(await alive.db.row("SELECT epoch FROM owner")).toEqual({ epoch: 3 });
      // One that is gone is forgotten, whether it said so or not.
      for (const [nth, turn] of waiting) {
        const member = members[nth];
        await member?.replica.stop();
        expect((await turn).ownership).toBeNull();
      }
      expect(await alive.db.rows("SELECT id FROM replica")).toHaveLength(SERVERS - waiting.size);
      await last.ownership.release();
      await Promise.all([log.close(), late.close(), beside.close()]);
      for (const { member } of owners) await members[member]?.replica.stop();
      await waitFor(
        () => alive.db.rows("SELECT id FROM replica"),
        (rows) => rows.length === 0,
        "all to be forgotten",
      );
      for (const { db } of members) await db.close();
    },
    TEST_MS_MAX,
  );
});
