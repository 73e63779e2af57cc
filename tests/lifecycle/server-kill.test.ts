import { expect, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isLockHeld } from "../../src/operations/instance-lock.ts";
import { isTurnActive } from "../../src/protocol/session-schema.ts";
import type { Talk } from "../integration/talk.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { readRecord } from "./agent-record.ts";
import { agentPid } from "./agent-status.ts";
import {
  type Commands,
  commandsOf,
  finishWork,
  inOrder,
  openTalks,
  reopenAll,
  sendAgain,
  startWork,
  WORK,
} from "./kill-work.ts";

const TURNS_FULL = 204;
const ROUNDS = Math.ceil(roundsOf(TURNS_FULL) / WORK.length);
const MESSAGES_UNTIL_KILL_MAX = 120;
const ROUND_MS_MAX = 90_000;
/** Within it lie the catch-up and the first moments after it, on a machine that does other things too. */
const START_MS_MAX = 500;
const STARTS_KILLED_MAX = 2;
const CONTEXT_CHARS = 80;
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
    const bytes = compareWithRecord(server, inOrder(talks));
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

async function setRecord(dataDir: string): Promise<void> {
  const env = { LIMINAL_GUIDE_RECORD: recordOf(dataDir) };
  const agents = { recorded: { ...guideWith(), terminal: false, env } };
  await Bun.write(join(dataDir, "config.json"), JSON.stringify({ agents }));
}

function recordOf(dataDir: string): string {
  return join(dataDir, "agent-record");
}

async function untilChance({ client }: Talk, random: SeededRandom): Promise<void> {
  const count = random.between(0, MESSAGES_UNTIL_KILL_MAX);
  const from = client.mark();
  await client.until(`${count} more messages`, () => client.mark() - from >= count);
}

/** Some of what the user does comes right before the kill: stored or not, on its way to the agent or not. */
function actAtKill({ client }: Talk, commands: Commands, random: SeededRandom, isSent: boolean): number {
  const acts = Object.entries(commands).filter(([name]) => (name === "sent" ? isSent : random.between(0, 1) === 1));
  for (const [, command] of acts) client.post(command);
  return acts.length;
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

/** Byte for byte: what the transcript has is what the agent wrote down that it sent. */
function compareWithRecord({ dataDir }: TestServer, talks: readonly Talk[]): number {
  const record = readRecord(recordOf(dataDir));
  let bytes = 0;
  for (const [index, talk] of talks.entries()) {
    const recorded = record[index];
    const kind = WORK[index]?.kind;
    if (!recorded) throw new Error("the agent has no record of this conversation");
    expect([kind, firstDifference(talk.answer, recorded.text)]).toEqual([kind, null]);
    expect(talk.tools.map(({ toolCallId, result = "" }) => [toolCallId, result])).toEqual([...recorded.outputs]);
    expect(new Set(talk.entries.map(({ entryId }) => entryId)).size).toBe(talk.entries.length);
    expect(recorded.permissions).toBe(kind === "tool" || kind === "permission" ? ROUNDS : 0);
    expect(recorded.questions).toBe(kind === "question" ? ROUNDS : 0);
    if (kind === "queue") expectHeardOnce(recorded.text);
    const turns = new Set(talk.entries.flatMap((entry) => (entry.type === "user" ? [String(entry.turnId)] : [])));
    // Prompted once: its id names the turn, and the agent has answered no turn twice.
    for (const turnId of turns) expect(recorded.answered.filter((id) => id.endsWith(turnId))).toHaveLength(1);
    bytes +=
      Buffer.byteLength(recorded.text) + [...recorded.outputs.values()].reduce((sum, text) => sum + text.length, 0);
  }
  return bytes;
}

/** Where they part, with what is around it: the texts themselves are too long to be read. */
function firstDifference(shown: string, recorded: string): object | null {
  if (shown === recorded) return null;
  let at = 0;
  while (shown[at] === recorded[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(0, at - CONTEXT_CHARS), at + CONTEXT_CHARS);
  return { at, chars: [shown.length, recorded.length], shown: around(shown), recorded: around(recorded) };
}

/** What was steered reached the agent in the turn, or, when that was over, as a message of its own: never twice. */
function expectHeardOnce(text: string): void {
  for (let round = 1; round <= ROUNDS; round++)
    expect(text.split(`I hear you while I work: left ${round}.`).length).toBeLessThanOrEqual(2);
}

function pssOf(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? "0";
  return Number(kilobytes) * 1024;
}

function mb(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
