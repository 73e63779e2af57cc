import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { liminalJson } from "../cli/liminal.ts";
import type { Talk } from "../integration/talk.ts";
import { PostgresRelay } from "../support/postgres-relay.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { readRecord } from "./agent-record.ts";
import { Team } from "./team.ts";

const TEST_MS_MAX = 240_000;
const STREAM = "stream 6000 words at 1000/s";
/** It runs until it is stopped, however long the servers take. */
const ENDLESS = "stream 900000 words at 1000/s";

let database: PostgresServer;

/** The words of the only conversation, as the agent wrote them down and as a client has them. */
function expectEveryWord(team: Team, talk: Talk): void {
  const recorded = readRecord(team.record)[0];
  expect(talk.answer === recorded?.text).toBe(true);
  expect(new Set(recorded?.answered).size).toBe(recorded?.answered.length ?? 0);
}

async function streaming(team: Team, server: TestServer, message = STREAM): Promise<Talk> {
  const talk = await team.talk(server);
  await talk.send(message);
  await talk.until("the first words", () => talk.answer.includes("w200 "));
  return talk;
}

/** The same conversation at another server, when its turn has ended. */
async function endedAt(team: Team, server: TestServer, talk: Talk, turns = 1): Promise<Talk> {
  const there = await talk.joinedBy(await team.connect(server));
  await there.untilTurnsEnded(turns);
  return there;
}

describe.skipIf(!CAN_RUN_POSTGRES)(`two servers of a team on ${POSTGRES}`, () => {
  beforeAll(async () => {
    database = await PostgresServer.start();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it(
    "[SC-10] [SC-21] [SC-24] whichever of them a client asks, it sees and does the same, and a command acts once",
    async () => {
      await using team = await Team.start(database);
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await team.talk(standby);
      const other = await talk.joinedBy(await worker.connect());
      const { sessionId } = talk;
      const send = { type: "session:send", sessionId, content: "stream 30 words", commandId: "once" } as const;
      const [first, second] = await Promise.all([talk.client.request(send), other.client.request(send)]);
      expect([first.type, second.type]).toEqual(["ok", "ok"]);
      for (const one of [talk, other]) await one.untilTurnsEnded(1);
      expect(talk.entries).toEqual(other.entries);
      expect(talk.messages).toEqual(["stream 30 words"]);
      // An answer that one gives is seen by the other; so is what is no fact.
      await talk.send("run echo there");
      await other.asked();
      await talk.answerWith("allow-once");
      await other.untilTurnsEnded(2);
      expect(other.state.pending).toEqual([]);
      const mark = talk.client.mark();
      await other.client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, mode: "all" });
      await talk.client.next("policy:state", () => true, mark);
      for (const server of [worker, standby]) {
        expect((await server.fetch("/api/v1/projects")).status).toBe(200);
        expect((await server.fetch("/healthz")).status).toBe(200);
        expect((await server.fetch("/api/v1/projects", { headers: { Authorization: "Bearer wrong" } })).status).toBe(
          401,
        );
        const foreign = { Authorization: `Bearer ${server.token}`, Origin: "https://example.com" };
        expect((await server.fetch("/api/v1/projects", { headers: foreign })).status).toBe(403);
      }
    },
    TEST_MS_MAX,
  );

  it(
    "[SC-14] [SC-19] kill -9 of the one that works: the other goes on with the turn, and every word is there once",
    async () => {
      await using team = await Team.start(database);
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await streaming(team, worker, ENDLESS);
      await worker.kill();
      const killedMs = performance.now();
      const there = await talk.joinedBy(await team.connect(standby));
      console.log(`works again ${Math.round(performance.now() - killedMs)} ms after kill -9`);
      expect(there.state.turn.state).toBe("running");
      await there.cancel();
      await there.untilTurnsEnded(1);
      expectEveryWord(team, there);
      await there.say("stream 3 words");
      // The one that was killed stands by from now on, and takes over in its turn.
      await worker.start();
      await standby.kill();
      expectEveryWord(team, await endedAt(team, worker, talk, 2));
    },
    TEST_MS_MAX,
  );

  it(
    "[SC-7] [SC-13] [SC-15] one that was stopped and goes on changes nothing, stands by, and can take over again",
    async () => {
      await using team = await Team.start(database);
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await streaming(team, worker);
      const epoch = await team.epoch();
      process.kill(worker.pid, "SIGSTOP");
      const there = await talk.joinedBy(await team.connect(standby));
      const taken = await team.epoch();
      expect(taken).toBeGreaterThan(epoch);
      await there.until("more words", () => there.answer.includes("w2000 "));
      process.kill(worker.pid, "SIGCONT");
      await waitFor(
        () => worker.log,
        (log) => log.includes("stands by"),
        "the word that it stands by",
      );
      await there.untilTurnsEnded(1);
      expectEveryWord(team, there);
      expect(await team.epoch()).toBe(taken);
      // It passes on what clients ask, as any other.
      const again = await talk.joinedBy(await team.connect(worker));
      await again.say("stream 5 words");
      await standby.kill();
      expectEveryWord(team, await endedAt(team, worker, talk, 2));
      expect(await team.epoch()).toBeGreaterThan(taken);
    },
    TEST_MS_MAX,
  );

  it(
    "[SC-7] [SC-13] one that is cut off from the database is taken over from, and stands by when it is back",
    async () => {
      let relay: PostgresRelay | null = null;
      await using team = await Team.start(database, {
        urlOf: async (url, nth) => {
          if (nth > 0) return url;
          relay = await PostgresRelay.start(url);
          return relay.url;
        },
      });
      if (relay === null) throw new Error("the first server has a relay");
      await using cut: PostgresRelay = relay;
      const [first, second] = team.servers;
      if (!first || !second) throw new Error("a team of two");
      const talk = await streaming(team, first);
      expect(await team.worker()).toBe(first);
      cut.fateOf = () => "lost";
      await team.untilWorks(second);
      const there = await talk.joinedBy(await team.connect(second));
      await there.until("more words", () => there.answer.includes("w1000 "));
      cut.fateOf = () => "pass";
      await waitFor(
        () => first.log,
        (log) => log.includes("stands by"),
        "the word that it stands by",
      );
      await there.untilTurnsEnded(1);
      expectEveryWord(team, there);
      const again = await endedAt(team, first, talk);
      expect(again.entries).toEqual(there.entries);
    },
    TEST_MS_MAX,
  );

  it(
    "[SC-19] [SC-21] of three, the last one works, and clients of the others are sent on",
    async () => {
      await using team = await Team.start(database, { size: 3 });
      const first = await team.worker();
      const talk = await streaming(team, first);
      const [one, other] = team.servers.filter((server) => server !== first);
      if (!one || !other) throw new Error("a team of three");
      const watching = [await talk.joinedBy(await one.connect()), await talk.joinedBy(await other.connect())];
      const closed = watching.map(({ client }) => client.untilClosed());
      process.kill(first.pid, "SIGSTOP");
      await Promise.all(closed);
      const there = await talk.joinedBy(await team.connect(one));
      const second = await team.worker();
      const last = second === one ? other : one;
      await there.untilTurnsEnded(1);
      process.kill(first.pid, "SIGKILL");
      await first.ended();
      await second.kill();
      const again = await endedAt(team, last, talk);
      await again.say("stream 3 words");
      expectEveryWord(team, again);
    },
    TEST_MS_MAX,
  );

  it(
    "[SC-18] one that is told to end hands over, whichever signal it gets, and the turn goes on",
    async () => {
      await using team = await Team.start(database);
      let [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await streaming(team, worker, ENDLESS);
      for (const end of ["detach", "stop"] as const) {
        expect(await worker[end]()).toBe(0);
        const endedMs = performance.now();
        const there = await talk.joinedBy(await team.connect(standby));
        console.log(`works again ${Math.round(performance.now() - endedMs)} ms after it was told to ${end}`);
        expect(there.state.turn.state).toBe("running");
        await worker.start();
        [worker, standby] = [standby, worker];
      }
      await (await talk.joinedBy(await team.connect(worker))).cancel();
      expectEveryWord(team, await endedAt(team, standby, talk));
    },
    TEST_MS_MAX,
  );

  it(
    "[SC-17] a database that was away leaves the work where it was",
    async () => {
      await using team = await Team.start(database);
      const worker = await team.worker();
      const talk = await streaming(team, worker);
      const epoch = await team.epoch();
      const mark = talk.client.mark();
      await database.kill();
      await talk.client.next("storage:state", ({ writable }) => !writable, mark);
      // Long enough for both to look in vain, more often than a dead owner is looked at.
      await Bun.sleep(4_000);
      await database.resume();
      await talk.untilTurnsEnded(1);
      expectEveryWord(team, talk);
      expect(await team.epoch()).toBe(epoch);
    },
    TEST_MS_MAX,
  );

  it(
    "pass on over TLS to the server whose certificate is in the database, and to no other",
    async () => {
      await using team = await Team.start(database, { env: { LIMINAL_TLS: "on" } });
      const [worker, standby] = [await team.worker(), await team.standby()];
      const tls = { rejectUnauthorized: false };
      const headers = { Authorization: `Bearer ${standby.token}` };
      const ask = async () => (await fetch(`${standby.origin}/api/v1/projects`, { headers, tls })).status;
      expect(standby.origin).toStartWith("https://");
      expect(await ask()).toBe(200);
      const address = `${standby.origin.replace("http", "ws")}/ws?token=${standby.token}`;
      const socket: unknown = Reflect.construct(WebSocket, [address, { tls }]);
      if (!(socket instanceof WebSocket)) throw new Error("a socket");
      const greeting = await new Promise((resolve) => {
        socket.addEventListener("message", ({ data }) => resolve(String(data)));
      });
      expect(greeting).toContain('"type":"hello"');
      socket.close();
      await database.ask(
        team.database,
        `UPDATE replica SET certificate = (SELECT certificate FROM replica WHERE name LIKE '%process ${standby.pid})')
         WHERE name LIKE '%process ${worker.pid})'`,
      );
      await waitFor(ask, (status) => status === 503, "a refusal of another certificate");
    },
    TEST_MS_MAX,
  );

  it(
    "has no agents and projects on the machine of one server, and says where they belong",
    async () => {
      await using team = await Team.start(database);
      const server = await team.worker();
      const client = await server.connect();
      const refused = await client.request({ type: "project:add", path: await server.directory("here") });
      expect(refused).toMatchObject({ type: "error", code: "PROJECT_PATH_INVALID" });
      expect(JSON.stringify(refused)).toContain("agents run at places");
      await using alone = await TestServer.prepare({ env: { LIMINAL_DATABASE_URL: team.url } });
      const { code, stderr } = await alone.startInVain();
      expect(code).toBe(1);
      expect(stderr).toContain(`process ${server.pid}`);
      // Doctor names both.
      const { value } = await liminalJson(alone, ["doctor", "--no-agents"], {
        env: { LIMINAL_DATABASE_URL: team.url },
      });
      const found = z.object({ checks: z.array(z.looseObject({ id: z.string(), message: z.string() })) }).parse(value);
      const message = found.checks.find(({ id }) => id === "database")?.message;
      expect(message).toContain(`process ${server.pid}) works with it. Standing by: `);
      expect(message).toEndWith(`(process ${(await team.standby()).pid}).`);
    },
    TEST_MS_MAX,
  );

  it(
    "one that lacks a place with projects says so when it works",
    async () => {
      await using team = await Team.start(database);
      const [worker, standby] = [await team.worker(), await team.standby()];
      await team.talk(worker);
      writeFileSync(join(standby.dataDir, "config.json"), "{}");
      await worker.kill();
      const { startProblems } = await (await team.connect(standby)).next("hello", () => true, 0);
      expect(startProblems).toEqual([expect.stringContaining("The place box has projects")]);
    },
    TEST_MS_MAX,
  );

  it(
    "[SC-46] the metrics of the one that works have its commits, beats and places; doctor looks at database, standby, clocks and places",
    async () => {
      await using team = await Team.start(database);
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await team.talk(standby);
      const counted = async () => {
        const lines = (await (await standby.fetch("/api/metrics")).text()).split("\n");
        const found = new Map(
          lines
            .filter((line) => !line.startsWith("#"))
            .map((line) => line.split(" "))
            .map(([name, value]) => [name, Number(value)]),
        );
        return (name: string) => found.get(`liminal_${name}`) ?? Number.NaN;
      };
      const before = await counted();
      await talk.say("stream 30 words");
      const metric = await counted();
      // The message is stored before it is answered, and the end of its turn after that.
      expect(metric("commits_total") - before("commits_total")).toBeGreaterThanOrEqual(2);
      expect(metric("commits_total")).toBeGreaterThanOrEqual(metric("commit_statements_total"));
      expect(metric("commit_seconds_total")).toBeGreaterThan(0);
      const rest = ["commits_fenced_total", "beats_missed_total", "places", "places_unreachable"];
      expect(rest.map(metric)).toEqual([0, 0, 1, 0]);
      expect(metric("epoch")).toBe(await team.epoch());
      const { value } = await liminalJson(worker, ["doctor"], {
        env: { LIMINAL_DATABASE_URL: team.url, LIMINAL_DATA_DIR: worker.dataDir },
      });
      const { checks } = z
        .object({ checks: z.array(z.looseObject({ id: z.string(), status: z.string() })) })
        .parse(value);
      const found = new Map(checks.map(({ id, status }) => [id, status]));
      expect(["database", "standby", "clocks", "place:box"].map((id) => found.get(id))).toEqual([
        "ok",
        "ok",
        "ok",
        "ok",
      ]);
    },
    TEST_MS_MAX,
  );

  it("[SC-4] settings that make no team stop the start with one line that says what to do", async () => {
    const inVain = [
      [{ LIMINAL_REPLICA_HOST: "box" }, "Set LIMINAL_DATABASE_URL"],
      [{ LIMINAL_REPLICA_HOST: "box", LIMINAL_DATABASE_URL: "postgres://me@127.0.0.1:1/x" }, "Set LIMINAL_TOKEN"],
      [{ LIMINAL_REPLICA_HOST: "box:3000" }, "without a port"],
    ] as const;
    for (const [env, words] of inVain) {
      await using server = await TestServer.prepare({ env });
      const { code, stderr } = await server.startInVain();
      expect(code).toBe(1);
      expect(stderr).toContain(words);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
  });
});
