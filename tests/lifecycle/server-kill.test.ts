import { expect, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isPermission } from "../../src/protocol/pending-request.ts";
import { isTurnActive } from "../../src/protocol/session-state.ts";
import { anotherTalk, reopen, startTalk, type Talk } from "../integration/talk.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { readRecord } from "./agent-record.ts";
import { agentPid } from "./agent-status.ts";

const TURNS_FULL = 200;
const TURNS_PER_ROUND = 4;
const MESSAGES_UNTIL_KILL_MAX = 120;
const ROUND_MS_MAX = 60_000;
const PSS_BYTES_MAX = 15 * 1024 * 1024;
/** So small that what is stored leaves the journal many times in a round. */
const JOURNAL_BYTES = "20000";

it(
  "X-19 kill -9 of the server in the middle of turns: every turn completes with exactly what the agent sent, once",
  async () => {
    const rounds = roundsOf(TURNS_FULL) / TURNS_PER_ROUND;
    const random = seededRandom("kill -9 in the middle of turns");
    const agents = { recorded: { ...guideWith(), terminal: false } };
    await using server = await startTestServer({
      agents,
      prepare: (dataDir) => setRecord(dataDir, agents),
      env: { LIMINAL_JOURNAL_BYTES: JOURNAL_BYTES },
    });
    const first = await startTalk(server, "recorded");
    let talks = [first];
    while (talks.length < TURNS_PER_ROUND) talks.push(await anotherTalk(first.client, first.projectId, "recorded"));
    const pid = await agentPid(server, "recorded");
    const counts = { kills: 0, turns: 0, underWay: 0, sentAtKill: 0, answeredAtKill: 0, cancelledAtKill: 0 };
    for (let round = 1; round <= rounds; round++) {
      const isSentLate = random.between(0, 3) === 0;
      await startWork(talks, round, isSentLate);
      const commands = commandsOf(talks, round);
      await untilChance(talks, random);
      const atKill = { send: isSentLate, answer: random.between(0, 1) === 1, cancel: random.between(0, 1) === 1 };
      for (const kind of ["send", "answer", "cancel"] as const) if (atKill[kind]) talks[0]?.client.post(commands[kind]);
      counts.underWay += talks.filter(({ state }) => isTurnActive(state.turn)).length;
      await server.kill();
      counts.kills++;
      counts.turns += TURNS_PER_ROUND;
      counts.sentAtKill += atKill.send ? 1 : 0;
      counts.answeredAtKill += atKill.answer ? 1 : 0;
      counts.cancelledAtKill += atKill.cancel ? 1 : 0;
      await server.start();
      const client = await server.connect();
      talks = await Promise.all(talks.map((talk) => reopen(client, talk)));
      // Sent again as the page does: whether or not they had arrived, they act once.
      for (const command of Object.values(commands)) await client.ask(ANSWER_OF[command.type], command);
      await finishWork(talks, round);
    }
    const bytes = compareWithRecord(server, talks, rounds);
    const holders = server.holders().map((holder) => pssOf(holder.pid));
    console.log(
      `kill -9 of the server: ${JSON.stringify(counts)}, ${bytes} bytes of output equal to the agent's record, ` +
        `0 lost, 0 twice; agent starts 1; holder PSS ${holders.map(mb).join(", ")} MB`,
    );
    expect(await agentPid(server, "recorded")).toBe(pid);
    expect(holders).toHaveLength(1);
    for (const pss of holders) expect(pss).toBeLessThan(PSS_BYTES_MAX);
  },
  Math.max(1, roundsOf(TURNS_FULL) / TURNS_PER_ROUND) * ROUND_MS_MAX,
);

async function setRecord(dataDir: string, agents: Record<string, object>): Promise<void> {
  const env = { LIMINAL_GUIDE_RECORD: recordOf(dataDir) };
  const recorded = Object.fromEntries(Object.entries(agents).map(([id, agent]) => [id, { ...agent, env }]));
  await Bun.write(join(dataDir, "config.json"), JSON.stringify({ agents: recorded }));
}

function recordOf(dataDir: string): string {
  return join(dataDir, "agent-record");
}

/** One streams, one runs a command of its own, one waits for an answer, one is about to be cancelled. */
async function startWork(talks: readonly Talk[], round: number, isSentLate: boolean): Promise<void> {
  const [text, tool, question, cancel] = talks;
  if (!text || !tool || !question || !cancel) throw new Error("four conversations are needed");
  if (!isSentLate) await text.client.ask("ok", sendOf(text, round));
  await tool.send(`run for i in $(seq 1 60); do echo line $i of ${round}; sleep 0.03; done`, `tool-${round}`);
  await tool.answerWith("allow-once");
  await question.send(`run echo answer ${round}`, `question-${round}`);
  await question.asked();
  await cancel.send("stream 900000 words at 400/s", `cancel-${round}`);
}

async function untilChance(talks: readonly Talk[], random: SeededRandom): Promise<void> {
  const client = random.pick(talks).client;
  const count = random.between(0, MESSAGES_UNTIL_KILL_MAX);
  const from = client.mark();
  await client.until(`${count} more messages`, () => client.mark() - from >= count);
}

const ANSWER_OF = {
  "session:send": "ok",
  "session:cancel": "ok",
  "permission:respond": "permission:resolved",
} as const;

function sendOf({ sessionId }: Talk, round: number) {
  const content = "stream 3000 words at 2000/s";
  return { type: "session:send" as const, sessionId, content, commandId: `text-${round}` };
}

/** What the user does around the kill. The answer names the question by the id it had before. */
function commandsOf([text, , question, cancel]: readonly Talk[], round: number) {
  const permissionId = question?.state.pending.find(isPermission)?.permissionId;
  if (!text || !question || !cancel || !permissionId) throw new Error("a question must be open");
  const answer = { type: "permission:respond" as const, permissionId, optionId: "allow-once" };
  return {
    send: sendOf(text, round),
    answer: { ...answer, sessionId: question.sessionId, commandId: `answer-${round}` },
    cancel: { type: "session:cancel" as const, sessionId: cancel.sessionId, commandId: `cancel-now-${round}` },
  };
}

async function finishWork(talks: readonly Talk[], round: number): Promise<void> {
  for (const [index, talk] of talks.entries()) {
    const { turn } = await talk.until("the turn's end", ({ turn: { state } }) => state === "idle");
    expect(turn.stopReason).toBe(index === 3 ? "cancelled" : "end_turn");
    expect(talk.messages).toHaveLength(round);
    expect(talk.state.pending).toEqual([]);
  }
}

/** Byte for byte: what the transcript has is what the agent wrote down that it sent. */
function compareWithRecord({ dataDir }: TestServer, talks: readonly Talk[], rounds: number): number {
  const record = readRecord(recordOf(dataDir));
  let bytes = 0;
  for (const [index, talk] of talks.entries()) {
    const recorded = record[index];
    if (!recorded) throw new Error("the agent has no record of this conversation");
    expect(talk.answer === recorded.text ? "equal" : [talk.answer, recorded.text]).toBe("equal");
    expect(talk.tools.map(({ toolCallId, result = "" }) => [toolCallId, result])).toEqual([...recorded.outputs]);
    expect(new Set(talk.entries.map(({ entryId }) => entryId)).size).toBe(talk.entries.length);
    expect(recorded.questions).toBe(index === 1 || index === 2 ? rounds : 0);
    const turns = talk.entries.flatMap((entry) => (entry.type === "user" ? [String(entry.turnId)] : []));
    // Prompted once: its id names the turn, and the agent has answered no turn twice.
    for (const turnId of turns) expect(recorded.answered.filter((id) => id.endsWith(turnId))).toHaveLength(1);
    bytes +=
      Buffer.byteLength(recorded.text) + [...recorded.outputs.values()].reduce((sum, text) => sum + text.length, 0);
  }
  return bytes;
}

function pssOf(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? "0";
  return Number(kilobytes) * 1024;
}

function mb(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
