import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { SessionId } from "../../src/protocol/ids.ts";
import { ScheduleId } from "../../src/protocol/schedules.ts";
import type { SearchRequest } from "../../src/protocol/search.ts";
import { EMPTY_SESSION } from "../../src/protocol/session-schema.ts";
import { connectionSettings } from "../../src/store/postgres/connection-settings.ts";
import { PostgresDatabase } from "../../src/store/postgres/database.ts";
import { migrate } from "../../src/store/postgres/migrations.ts";
import { Ownership } from "../../src/store/postgres/ownership.ts";
import { PostgresProjectStore } from "../../src/store/postgres/project-store.ts";
import { PostgresScheduleStore } from "../../src/store/postgres/schedule-store.ts";
import { PostgresSearchBacklog } from "../../src/store/postgres/search-backlog.ts";
import { PostgresSearchIndex } from "../../src/store/postgres/search-index.ts";
import { PostgresSessionLog } from "../../src/store/postgres/session-log.ts";
import { PostgresTransferStore } from "../../src/store/postgres/transfer-store.ts";
import { LogWriter } from "../core/log-writer.ts";
import { BINDING, BUILTIN, NOW, PROJECT, SESSION, sessionRow } from "../core/names.ts";
import { assistantEntry, toolEntry } from "../core/some-entries.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";

const ADOPTED = SessionId.parse("builtin:adopted");

let server: PostgresServer;

/** One session in one project, and all that searches. */
async function openScene() {
  const db = new PostgresDatabase(connectionSettings(await server.createDatabase()));
  await migrate(db);
  const ownership = await Ownership.take(db, "test");
  const log = new PostgresSessionLog(db, ownership.epoch);
  await new PostgresProjectStore(db).add({ id: PROJECT, path: "/work", name: "work", addedAt: NOW });
  await log.create(sessionRow(), BINDING, null);
  const index = new PostgresSearchIndex(db);
  const openBacklog = () =>
    new PostgresSearchBacklog(db, {
      now: Date.now,
      onError: (error) => {
        throw error;
      },
    });
  const search = (query: string, filters: Partial<SearchRequest> = {}) =>
    index.search({ query, ...filters }, Date.parse(NOW));
  return {
    ...{ db, log, openBacklog, search, writer: new LogWriter(() => log) },
    found: async (query: string): Promise<string[]> =>
      (await search(query)).map(({ entryId, kind }) => entryId ?? kind),
    rowsOf: async (table: string) => Number((await db.row(`SELECT count(*) AS n FROM ${table}`))?.["n"]),
    /** A session with so many entries, `plum 0` and so on. */
    adopt: (count: number) =>
      new PostgresTransferStore(db, log).adopt({
        row: { ...sessionRow(ADOPTED), title: "Adopted" },
        binding: { ...BINDING, agentSessionId: "elsewhere" },
        state: { ...EMPTY_SESSION, title: "Adopted", seq: 1 },
        entries: Array.from({ length: count }, (_, nth) => assistantEntry(`p${nth}`, { content: `plum ${nth}` })),
        digest: null,
      }),
    async [Symbol.asyncDispose]() {
      await log.close();
      await db.close();
    },
  };
}

describe.skipIf(!CAN_RUN_POSTGRES)(`search and schedules in ${POSTGRES}`, () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("[X-10] what comes in whole is read in small steps, newest first, over a restart in the middle", async () => {
    await using at = await openScene();
    await at.adopt(230);
    await at.writer.writeTurn(assistantEntry("fresh", { content: "plum fresh" }));
    const first = at.openBacklog();
    expect(await first.progress()).toEqual({ entriesLeft: 230, textsIndexed: 2 });
    expect(await first.step()).toBe(true);
    expect([await at.found('"plum 229"'), await at.found('"plum 0"')]).toEqual([["p229"], []]);
    const next = at.openBacklog();
    while (await next.step());
    expect(await next.progress()).toEqual({ entriesLeft: 0, textsIndexed: 232 });
    expect(await at.found('"plum 0"')).toEqual(["p0"]);
    const newest = await at.db.rows("SELECT entry_id FROM search_text WHERE kind <> 'title' ORDER BY key DESC LIMIT 3");
    expect(newest.map((row) => row["entry_id"])).toEqual(["fresh", "p229", "p228"]);
  });

  it("[X-10] two servers that read on at once read nothing twice and nothing never", async () => {
    await using at = await openScene();
    await at.adopt(400);
    const read = async (): Promise<void> => {
      const backlog = at.openBacklog();
      while ((await backlog.progress()).entriesLeft > 0) await backlog.step();
    };
    await Promise.all([read(), read()]);
    expect(await at.rowsOf("search_text")).toBe(401);
    expect(await at.found('"plum 0"')).toEqual(["p0"]);
  });

  it("[X-10] of a very long text the beginning and the end can be found; a deleted session leaves no row", async () => {
    await using at = await openScene();
    const long = `beginning ${"filler ".repeat(20_000)} middleword ${"filler ".repeat(20_000)} ending`;
    await at.writer.writeTurn(
      toolEntry("t", { status: "complete", result: long, locations: [{ path: "/projects/demo" }] }),
    );
    expect([await at.found("beginning"), await at.found("ending"), await at.found("middleword")]).toEqual([
      ["t"],
      ["t"],
      [],
    ]);
    const [hit] = await at.search("ending");
    expect(hit?.snippet.at(-1)).toEqual({ text: "ending", hit: true });
    await at.log.delete(SESSION, null);
    for (const table of ["search_text", "search_file", "entry", "fact"]) expect(await at.rowsOf(table), table).toBe(0);
  });

  it("CV-40 of many that claim a due time at once, on connections of their own, one gets it", async () => {
    await using at = await openScene();
    const schedules = new PostgresScheduleStore(at.db);
    const scheduleId = ScheduleId.parse("nightly");
    await schedules.save({
      ...{ id: scheduleId, projectId: PROJECT, enabled: true, createdAt: NOW, settledUntil: NOW },
      definition: {
        name: "Nightly",
        cadence: { kind: "cron", cron: "0 9 * * *", zone: "UTC" },
        target: { kind: "new", cliType: BUILTIN, worktree: true, policy: "edits" },
        ...{ prompt: "Look for bugs", budget: {}, missed: "latest" },
      },
    });
    for (let day = 2; day < 10; day += 1) {
      const dueAt = `2026-01-0${day}T09:00:00.000Z`;
      const run = { scheduleId, dueAt, sessionId: null, state: "starting", detail: null, startedAt: NOW } as const;
      const claims = Array.from({ length: 8 }, () => schedules.claimDue({ ...run, endedAt: null, spentBefore: null }));
      expect((await Promise.all(claims)).filter((isClaimed) => isClaimed)).toEqual([true]);
    }
    expect(await schedules.runs(scheduleId, 99)).toHaveLength(8);
  });
});
