import { expect, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isLockHeld } from "../../src/operations/instance-lock.ts";
import type { FactBody } from "../../src/protocol/facts.ts";
import type { SessionId } from "../../src/protocol/ids.ts";
import { isTurnActive } from "../../src/protocol/session-schema.ts";
import { openDatabase } from "../../src/store/database/open-database.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { LogWriter } from "../core/log-writer.ts";
import { commandId } from "../core/names.ts";
import { startTalk } from "../integration/talk.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { readRecord } from "./agent-record.ts";
import { agentPid } from "./agent-status.ts";
import { compareWithRecord } from "./kill-record.ts";
import {
  actAtKill,
  commandsOf,
  finishWork,
  inOrder,
  openTalks,
  reopenAll,
  sendAgain,
  startWork,
  untilChance,
  WORK,
} from "./kill-work.ts";

const TURNS_FULL = 204;
const ROUNDS = Math.ceil(roundsOf(TURNS_FULL) / WORK.length);
const ROUND_MS_MAX = 90_000;
/** Within it lie the catch-up and the first moments after it, on a machine that does other things too. */
const START_MS_MAX = 500;
const STARTS_KILLED_MAX = 2;
const PSS_BYTES_MAX = 15 * 1024 * 1024;
/** So small that what is stored leaves the journal many times in a round. */
const JOURNAL_BYTES = "20000";

it(
  "X-19 kill -9 of the server in the middle of turns, and of their catching up: every turn completes with exactly what the agent sent, once",
  async () => {
    const random = seededRandom("kill -9 in the middle of turns");
    await using server = await startTestServer({
      prepare: setRecord,
      env: { LIMINAL_JOURNAL_BYTES: JOURNAL_BYTES },
    });
    let talks = await openTalks(server, "recorded");
    const pid = await agentPid(server, "recorded");
    const counts = { turns: 0, underWay: 0, kills: 0, killedAtStart: 0, actsAtKill: 0 };
    for (let round = 1; round <= ROUNDS; round++) {
      const isSentLate = random.between(0, 3) === 0;
      await startWork(talks, round, isSentLate);
      const commands = commandsOf(talks, round);
      await untilChance(talks.text, random);
      counts.actsAtKill += actAtKill(talks.text, commands, random, isSentLate);
      counts.underWay += inOrder(talks).filter(({ state }) => isTurnActive(state.turn)).length;
      await server.kill();
      counts.turns += WORK.length;
      const more = random.between(0, STARTS_KILLED_MAX);
      for (let again = 0; again < more; again++) counts.killedAtStart += await killAtStart(server, random);
      counts.kills += 1 + more;
      await server.start();
      const client = await server.connect();
      talks = await reopenAll(client, talks);
      await sendAgain(client, commands);
      await finishWork(talks, round);
    }
    const bytes = compareWithRecord(recordOf(server.dataDir), inOrder(talks), ROUNDS);
    const holders = server.holders().map((holder) => pssOf(holder.pid));
    console.log(
      `kill -9 of the server: ${JSON.stringify(counts)}, ${bytes} bytes of output equal to the agent's record, ` +
        `0 lost, 0 twice; agent starts 1; holder PSS ${holders.map(mb).join(", ")} MB`,
    );
    expect(await agentPid(server, "recorded")).toBe(pid);
    expect(holders).toHaveLength(1);
    for (const pss of holders) expect(pss).toBeLessThan(PSS_BYTES_MAX);
  },
  ROUNDS * ROUND_MS_MAX,
);

it.each([true, false])(
  "X-19 a message that was to join a turn and was stored but not sent is said once after that turn (its agent lives on: %p)",
  async (livesOn) => {
    await using server = await startTestServer({ prepare: setRecord });
    const record = recordOf(server.dataDir);
    const talk = await startTalk(server, "recorded");
    await talk.send("stream 200 words at 200/s");
    await talk.untilAnswer("w10");
    const agent = await agentPid(server, "recorded");
    const endOfTurn = () =>
      waitFor(
        () => readRecord(record)[0]?.answered.length,
        (answered) => answered === 1,
        "the end of the turn",
      );
    // The turn has ended before the next server is there; without its agent it has ended for the server, too.
    if (!livesOn) await talk.untilIdle();
    await server.kill();
    const item = { commandId: commandId("late"), content: "stream 3 words", steering: true } as const;
    await appendFacts(server.dataDir, talk.sessionId, [{ type: "session:queue", items: [item], paused: false }]);
    await endOfTurn();
    if (!livesOn) {
      for (const { pid } of server.holders()) process.kill(pid, "SIGKILL");
      await waitFor(
        () => server.processes.alive(),
        (alive) => alive.length === 0,
        "the end of the agent",
      );
    }
    await server.start();
    const again = await talk.joinedBy(await server.connect());
    if (!livesOn) {
      const { queue, queuePaused } = await again.until("the message to wait", ({ queue }) => !queue[0]?.steering);
      expect([queue, queuePaused]).toEqual([[{ commandId: item.commandId, content: item.content }], true]);
      await again.client.ask("ok", { type: "session:queue-resume", sessionId: talk.sessionId });
    }
    await again.untilAllSaid([item.commandId]);
    expect(again.messages).toEqual(["stream 200 words at 200/s", item.content]);
    const answers = readRecord(record).flatMap(({ answered }) => answered);
    expect(new Set(answers).size).toBe(livesOn ? 2 : answers.length);
    expect((await agentPid(server, "recorded")) === agent).toBe(livesOn);
  },
);

/** As a server leaves them that is killed right after its commit, before what follows from it. */
async function appendFacts(dataDir: string, sessionId: SessionId, facts: readonly FactBody[]): Promise<void> {
  const { db } = openDatabase(join(dataDir, "liminal.db"), "stamp");
  const log = new SqliteSessionLog(db);
  const stored = await log.load(sessionId);
  if (!stored) throw new Error("the session is not stored");
  const writer = new LogWriter(() => log, sessionId);
  writer.state = stored.state;
  await writer.write(facts, { continuation: stored.continuation });
  db.close();
}

async function setRecord(dataDir: string): Promise<void> {
  const env = { LIMINAL_GUIDE_RECORD: recordOf(dataDir) };
  const agents = { recorded: { ...guideWith(), terminal: false, env } };
  await Bun.write(join(dataDir, "config.json"), JSON.stringify({ agents }));
}

function recordOf(dataDir: string): string {
  return join(dataDir, "agent-record");
}

/** 1 when it had not got as far as to say that it runs. */
async function killAtStart(server: TestServer, random: SeededRandom): Promise<number> {
  const hasStarted = await server.startAndKill(async () => {
    await waitFor(
      () => isLockHeld(server.dataDir),
      (isHeld) => isHeld,
      "a server that is starting",
    );
    await Bun.sleep(random.between(0, START_MS_MAX));
  });
  return hasStarted ? 0 : 1;
}

function pssOf(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? "0";
  return Number(kilobytes) * 1024;
}

function mb(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
