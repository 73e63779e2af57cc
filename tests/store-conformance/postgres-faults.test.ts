import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { SessionId } from "../../src/protocol/ids.ts";
import { connectionSettings } from "../../src/store/postgres/connection-settings.ts";
import { PostgresDatabase } from "../../src/store/postgres/database.ts";
import { migrate } from "../../src/store/postgres/migrations.ts";
import { Ownership } from "../../src/store/postgres/ownership.ts";
import { PostgresProjectStore } from "../../src/store/postgres/project-store.ts";
import { PostgresSessionLog } from "../../src/store/postgres/session-log.ts";
import { factsOf, idle, LogWriter, running, update } from "../core/log-writer.ts";
import { BINDING, entryId, NOW, PROJECT, SESSION, sessionRow } from "../core/names.ts";
import { assistantEntry, userEntry } from "../core/some-entries.ts";
import { PostgresPair } from "../support/postgres-pair.ts";
import { type Fate, PostgresRelay } from "../support/postgres-relay.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { waitFor } from "../support/wait-for.ts";

const OTHER = SessionId.parse("builtin:session-2");

/** Marks what a commit sends: nothing else has facts in it. */
const FACT = Buffer.from("session:turn");

interface Opened extends AsyncDisposable {
  readonly db: PostgresDatabase;
  readonly log: PostgresSessionLog;
  readonly ownership: Ownership;
}

let server: PostgresServer;

async function openAt(url: string, deadlineMs = 60_000): Promise<Opened> {
  const db = new PostgresDatabase(connectionSettings(url), { deadlineMs });
  await migrate(db);
  await db.run("UPDATE owner SET name = NULL");
  const ownership = await Ownership.take(db, "test");
  const log = new PostgresSessionLog(db, ownership.epoch);
  return {
    ...{ db, log, ownership },
    async [Symbol.asyncDispose]() {
      await log.close();
      await db.close();
    },
  };
}

/** A database with one project and sessions in it. */
async function sceneAt(...ids: readonly SessionId[]): Promise<string> {
  const url = await server.createDatabase();
  await prepareAt(url, ...ids);
  return url;
}

async function prepareAt(url: string, ...ids: readonly SessionId[]): Promise<void> {
  await using at = await openAt(url);
  await new PostgresProjectStore(at.db).add({ id: PROJECT, path: "/work", name: "work", addedAt: NOW });
  for (const id of ids) await at.log.create(sessionRow(id), { ...BINDING, agentSessionId: `agent of ${id}` }, null);
}

const receiptOf = (round: number) => ({ commandId: `command-${round}`, answer: `answer ${round}`, at: NOW });

describe.skipIf(!CAN_RUN_POSTGRES)(`${POSTGRES}, when things go wrong`, () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("[SC-7] nothing that a server sends is stored once another one has taken over", async () => {
    const url = await sceneAt(SESSION, OTHER);
    await using earlier = await openAt(url);
    const before = new LogWriter(() => earlier.log);
    await before.fill(3);
    await using later = await openAt(url);
    expect(later.ownership.epoch).toBeGreaterThan(earlier.ownership.epoch);
    const commit = { ...before.prepare([{ type: "session:archived" }]), receipt: receiptOf(0) };
    await expect(earlier.log.commit(SESSION, commit)).rejects.toThrow("Another server has taken over");
    await expect(new LogWriter(() => earlier.log, OTHER).fill(1)).rejects.toThrow("Another server has taken over");
    await expect(earlier.log.create(sessionRow(SessionId.parse("builtin:new")), BINDING, null)).rejects.toThrow();
    await expect(earlier.log.delete(SESSION, null)).rejects.toThrow();
    expect(factsOf(earlier.log.recentAfter(SESSION, 0, 9) ?? [])).toEqual(before.facts);
    expect(factsOf(await later.log.readAfter(SESSION, 0, 9))).toEqual(before.facts);
    expect([await later.log.receipt("command-0"), (await later.log.row(SESSION))?.archived]).toEqual([null, false]);
    expect(await later.log.rows(PROJECT, true)).toHaveLength(2);
    await later.log.commit(SESSION, commit);
    expect(await later.log.readAfter(SESSION, 0, 9)).toHaveLength(4);
  });

  it("[SC-9] a session that something else changed is refused, and holds up no other in the same statement", async () => {
    const ids = Array.from({ length: 6 }, (_, nth) => SessionId.parse(`builtin:session-${nth}`));
    const url = await sceneAt(...ids);
    await using at = await openAt(url);
    const writers = ids.map((id) => new LogWriter(() => at.log, id));
    await Promise.all(writers.map((writer) => writer.fill(2)));
    await at.db.run("UPDATE session SET last_seq = 9 WHERE id = $1", [ids[3] ?? ""]);
    const outcomes = await Promise.allSettled(writers.map((writer) => writer.fill(2)));
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, true, true, false, true, true]);
    for (const writer of writers) expect(factsOf(await at.log.readAfter(writer.sessionId, 0, 9))).toEqual(writer.facts);
  });

  it("sessions that commit again at once share one statement with each other and with those that waited", async () => {
    const ids = Array.from({ length: 10 }, (_, nth) => SessionId.parse(`builtin:session-${nth}`));
    await using at = await openAt(await sceneAt(...ids));
    const writers = ids.map((id) => new LogWriter(() => at.log, id));
    for (const writer of writers) await writer.fill(1);
    const { commits, statements } = at.log.figures;
    await Promise.all(
      writers.map(async (writer) => {
        await writer.fill(1);
        await writer.fill(1);
      }),
    );
    // The first one alone; then all, the first one again among them; then the others again.
    expect(at.log.figures).toMatchObject({ commits: commits + 20, statements: statements + 3 });
  });

  it("[SC-8] a commit whose connection is cut, before it is stored or after, is stored once", async () => {
    const url = await sceneAt(SESSION, OTHER);
    await using relay = await PostgresRelay.start(url);
    await using at = await openAt(relay.url);
    const random = seededRandom("cut connections");
    const cuts = { lost: 0, unanswered: 0 };
    relay.fateOf = (sent): Fate => {
      if (!sent.includes(FACT)) return "pass";
      const fate = random.pick(["pass", "lost", "unanswered"] as const);
      if (fate !== "pass") cuts[fate] += 1;
      return fate;
    };
    const writers = [SESSION, OTHER].map((id) => new LogWriter(() => at.log, id));
    const enough = roundsOf(1_000) / 2;
    for (let round = 0; Math.min(cuts.lost, cuts.unanswered) < enough; round += 1)
      await Promise.all(
        writers.map((writer, nth) =>
          writer.write([running(`t${round}`), update(userEntry(`u${round}`)), idle(`t${round}`)], {
            receipt: receiptOf(round * writers.length + nth),
          }),
        ),
      );
    for (const writer of writers) {
      const stored: unknown[] = [];
      for (let frames = await at.log.readAfter(writer.sessionId, 0, 900); frames.length > 0; ) {
        stored.push(...factsOf(frames));
        frames = await at.log.readAfter(writer.sessionId, stored.length, 900);
      }
      expect(stored).toEqual(writer.facts);
      expect(await at.log.userMessageCount(writer.sessionId)).toBe(writer.facts.length / 3);
    }
    const count = await at.db.row("SELECT count(*) AS count FROM receipt");
    expect(Number(count?.["count"])).toBe(((writers[0]?.facts.length ?? 0) / 3) * 2);
  });

  it("[SC-6] a database that is killed has all that was acknowledged, and of what was not all or nothing", async () => {
    const url = await sceneAt(SESSION);
    await using at = await openAt(url);
    const writer = new LogWriter(() => at.log);
    let round = 0;
    const write = async () => {
      const receipt = receiptOf(round);
      await writer.write([running(`t${round}`), update(userEntry(`u${round}`)), idle(`t${round}`)], { receipt });
      round += 1;
    };
    for (let kill = 0; kill < roundsOf(30); kill += 1) {
      for (let nth = 0; nth < 5; nth += 1) await write();
      const beside = write();
      await server.kill();
      await server.resume();
      await beside;
    }
    const facts = await at.log.readAfter(SESSION, 0, 4_000);
    expect(factsOf(facts)).toEqual(writer.facts);
    expect(await at.log.userMessageCount(SESSION)).toBe(round);
    for (let nth = 0; nth < round; nth += 1) expect(await at.log.receipt(`command-${nth}`)).toBe(`answer ${nth}`);
  });

  it("[SC-12] long and odd texts come back as they were", async () => {
    const url = await sceneAt(SESSION);
    await using at = await openAt(url);
    const writer = new LogWriter(() => at.log);
    const odd = "zero \u0000, mark \u0001 and \u00011, half \ud83d, \\u0000, 👑, '{}\"\n";
    const long = odd.repeat(Math.ceil(30_000_000 / odd.length));
    await writer.write([
      running("t"),
      update(userEntry("u", { content: odd })),
      update(assistantEntry("a", { content: long })),
    ]);
    await at.log.saveReceipt({ commandId: odd, answer: odd.toWellFormed(), at: NOW });
    const [, , fact] = await at.log.readAfter(SESSION, 0, 9);
    expect(fact?.json === JSON.stringify(writer.facts[2])).toBe(true);
    await writer.write([idle("t")]);
    const entry = await at.log.settledEntry(SESSION, entryId("a"));
    expect(entry?.type === "assistant" && entry.content === long).toBe(true);
    expect(await at.log.settledEntry(SESSION, entryId("u"))).toMatchObject({ content: odd });
    expect(await at.log.receipt(odd.toWellFormed())).toBe(odd.toWellFormed());
  });

  it("[SC-44] servers that start at once bring the schema to its version once", async () => {
    const url = await server.createDatabase();
    const databases = Array.from({ length: 4 }, () => new PostgresDatabase(connectionSettings(url)));
    await Promise.all(databases.map(migrate));
    expect(await databases[0]?.rows("SELECT version FROM schema_version")).toHaveLength(1);
    expect(await databases[0]?.rows("SELECT epoch FROM owner")).toHaveLength(1);
    await Promise.all(databases.map((db) => db.close()));
  });

  it("a database that hangs is given up in time, and used again when it continues", async () => {
    const url = await server.createDatabase();
    await using relay = await PostgresRelay.start(url);
    const db = new PostgresDatabase(connectionSettings(relay.url), { deadlineMs: 1_000 });
    const failures: unknown[] = [];
    db.onFailed = (error) => failures.push(error);
    // A busy machine may need longer than that for a connection and an answer: then it is asked again.
    const answered = (number: number) =>
      waitFor(
        () => db.row(`SELECT ${number} AS number`).catch(() => null),
        (row) => row !== null,
        "an answer",
      );
    expect(await answered(1)).toEqual({ number: 1 });
    const before = failures.length;
    relay.fateOf = () => "held";
    await expect(db.row("SELECT 2 AS two")).rejects.toThrow("did not answer within 1 s");
    expect(failures).toHaveLength(before + 1);
    relay.fateOf = () => "pass";
    expect(await answered(3)).toEqual({ number: 3 });
    await db.close();
  });

  it("one server at a time has a database: a second is refused while the first is alive, and takes over when it is not", async () => {
    const url = await sceneAt(SESSION);
    const db = new PostgresDatabase(connectionSettings(url));
    const first = await Ownership.take(db, "first", 10);
    const lost = Promise.withResolvers<void>();
    first.start(lost.resolve, 10);
    await expect(Ownership.take(db, "second", 1_000)).rejects.toThrow("The server first works with this database");
    await first.release();
    const second = await Ownership.take(db, "second", 60_000);
    expect(second.epoch).toBeGreaterThan(first.epoch);
    // It counts no more: it stands still.
    const third = await Ownership.take(db, "third", 10);
    expect(third.epoch).toBeGreaterThan(second.epoch);
    second.start(lost.resolve, 10);
    await lost.promise;
    await third.release();
    await db.close();
  });
});

describe.skipIf(!CAN_RUN_POSTGRES)(`a commit on ${POSTGRES} with a synchronous standby`, () => {
  it("[SC-5] whose answer was lost counts as stored only when the standby has it", async () => {
    await using pair = await PostgresPair.start();
    const [url = ""] = await pair.createForEach();
    await prepareAt(url, SESSION);
    const database = new URL(url).pathname.slice(1);
    await using at = await openAt(url);
    const writer = new LogWriter(() => at.log);
    await writer.fill(1);
    const waiting = () =>
      pair.ask(database, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'").catch(() => []);
    pair.standby.signal("SIGSTOP");
    let isStored = false;
    const storing = writer.fill(1).then(() => {
      isStored = true;
    });
    await waitFor(waiting, ({ length }) => length > 0, "the commit to wait for the standby");
    await pair.primary.kill("SIGKILL");
    await pair.primary.resume();
    // The primary has it, alone.
    expect(await pair.ask(database, "SELECT last_seq FROM session")).toEqual([{ last_seq: 2 }]);
    await waitFor(waiting, ({ length }) => length > 0, "the question to wait for the standby");
    expect(isStored).toBe(false);
    pair.standby.signal("SIGCONT");
    await storing;
    expect(await at.log.readAfter(SESSION, 0, 9)).toHaveLength(2);
  });
});
