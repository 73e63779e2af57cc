import { expect, test } from "bun:test";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { expectKept, expectUnbrokenWords } from "./expect-kept.ts";
import { anotherTalk, reopen, startTalk, Talk } from "./talk.ts";

const ROUNDS_FULL = 20;
const MESSAGES_UNTIL_KILL_MAX = 100;
const ROUND_MS_MAX = 30_000;

const isAgent = ({ commandLine }: { commandLine: string }) => commandLine.includes("builtin-agent/main.ts");

/** Three conversations at work: one streams, one runs a command, one waits for an answer; messages wait behind them. */
async function startWork(talks: readonly Talk[], round: number): Promise<void> {
  const [streaming, running, asking] = talks;
  if (!streaming || !running || !asking) throw new Error("three conversations are needed");
  await streaming.send("stream 100000 words at 1000/s", `stream-${round}`);
  await streaming.send("stream 3 words", `queued-${round}`);
  await running.send("run i=0; while true; do i=$((i+1)); echo line $i; sleep 0.05; done", `run-${round}`);
  await running.answerWith("allow-once");
  await asking.send("run echo never", `ask-${round}`);
  await asking.asked();
  await running.until("output", () => talks[1]?.tools.at(-1)?.result !== undefined);
}

/** Waits for a number of messages that chance decides: the moment of the kill. */
async function untilChance(talk: Talk, random: SeededRandom): Promise<number> {
  const count = random.between(1, MESSAGES_UNTIL_KILL_MAX);
  const from = talk.client.mark();
  await talk.client.until(`${count} more messages`, () => talk.client.mark() - from >= count);
  return count;
}

/** Every message whose send was answered is in the transcript or in the queue, once. */
function expectSentOnce(talk: Talk, commandId: string): void {
  const entries = talk.entries.filter((entry) => entry.type === "user" && entry.commandId === commandId);
  const queued = talk.state.queue.filter((item) => item.commandId === commandId);
  expect({ commandId, times: entries.length + queued.length }).toEqual({ commandId, times: 1 });
}

function expectInterrupted(talk: Talk): void {
  const { turn, pending } = talk.state;
  expect(turn).toMatchObject({ state: "idle", stopReason: "interrupted" });
  expect(pending).toEqual([]);
  expect(talk.tools.filter(({ status }) => status === "running")).toEqual([]);
}

/** A client that was there comes back with its cursor; it must end where one ends that opens afresh. */
async function comeBack(server: TestServer, seen: Talk): Promise<Talk> {
  const client = await server.connect(seen.client.sessions.states);
  const { sessionId, projectId } = seen;
  await client.ask("session:resumed", { type: "session:open", sessionId, after: seen.state.seq });
  const back = new Talk(client, projectId, sessionId);
  expectKept(seen.entries, back.entries);
  return back;
}

/** The turns that were under way come to the end they would have had. */
async function goOn(talks: readonly Talk[], wasAsked: string, rest: readonly string[]): Promise<void> {
  const [streaming, running, asking] = talks;
  if (!streaming || !running || !asking) throw new Error("three conversations are needed");
  const words = streaming.answer.length;
  await streaming.until("more words", () => streaming.answer.length > words);
  // A command that ran in a terminal of the server's has ended with it, and the agent was notified.
  await running.until("the end of the command", () => running.tools.at(-1)?.status === "error");
  const { permissionId } = await asking.asked();
  expect<string>(permissionId).toBe(wasAsked);
  await asking.answerWith("allow-once");
  await streaming.cancel();
  for (const [index, talk] of talks.entries()) {
    const commandId = rest[index] ?? "";
    // What was on its way when the server died is sent again, as the page does: it acts once, whichever way it went.
    await talk.send("stream 2 words", commandId);
    // If it had been queued, the cancel held it back; a further message lets the queue go on.
    await talk.send("stream 1 words", `further-${commandId}`);
    await talk.untilAllSaid([commandId, `further-${commandId}`]);
    expectSentOnce(talk, commandId);
  }
}

test(
  "X-1 X-19 kill -9 of the server in the middle of everything loses nothing, and every turn goes on",
  async () => {
    const random = seededRandom("kill -9 of the server");
    const rounds = roundsOf(ROUNDS_FULL);
    await using server = await startTestServer();
    const first = await startTalk(server);
    let talks = [
      first,
      await anotherTalk(first.client, first.projectId),
      await anotherTalk(first.client, first.projectId),
    ];
    const counts = { rounds, entriesChecked: 0, agents: 0, commandsLeft: 0 };
    const agents = new Set<number>();
    for (let round = 1; round <= rounds; round += 1) {
      const watching = await Promise.all(talks.map(async (talk) => reopen(await server.connect(), talk)));
      await startWork(talks, round);
      await untilChance(random.pick([talks[0] ?? first, watching[0] ?? first]), random);
      const question = await talks[2]?.asked();
      const rest = talks.map(({ sessionId }) => `last-${round}-${sessionId.slice(-8)}`);
      for (const [index, { client, sessionId }] of talks.entries())
        client.post({ type: "session:send", sessionId, content: "stream 2 words", commandId: rest[index] ?? "" });
      await server.kill();
      await server.start();
      for (const { pid } of server.agentProcesses().filter(isAgent)) agents.add(pid);
      counts.commandsLeft += server
        .agentProcesses()
        .filter(({ commandLine }) => commandLine.includes("echo line")).length;

      const back: Talk[] = [];
      for (const [index, talk] of talks.entries()) {
        const other = watching[index];
        if (other) await comeBack(server, other);
        back.push(await comeBack(server, talk));
        counts.entriesChecked += talk.entries.length + (other?.entries.length ?? 0);
      }
      await goOn(back, question?.permissionId ?? "", rest);
      const [streaming, running, asking] = back;
      for (const commandId of [`stream-${round}`, `queued-${round}`]) expectSentOnce(streaming ?? first, commandId);
      expectSentOnce(running ?? first, `run-${round}`);
      expectSentOnce(asking ?? first, `ask-${round}`);
      const streamed = streaming?.entries.findLast(
        (entry) => entry.type === "assistant" && entry.content.includes("w4"),
      );
      if (streamed) expectUnbrokenWords(streamed.content);
      talks = back;
    }
    counts.agents = agents.size;
    console.log(`kill -9 of the server: ${JSON.stringify(counts)}`);
    expect(counts).toMatchObject({ agents: 1, commandsLeft: 0 });
  },
  roundsOf(ROUNDS_FULL) * ROUND_MS_MAX,
);

test(
  "X-1 W-4 kill -9 of the agent loses nothing it had said, and the next message goes on",
  async () => {
    const random = seededRandom("kill -9 of the agent");
    const rounds = roundsOf(ROUNDS_FULL);
    await using server = await startTestServer();
    const first = await startTalk(server);
    const talks = [
      first,
      await anotherTalk(first.client, first.projectId),
      await anotherTalk(first.client, first.projectId),
    ];
    const counts = { rounds, entriesChecked: 0, commandsLeft: 0 };
    for (let round = 1; round <= rounds; round += 1) {
      await startWork(talks, round);
      await untilChance(first, random);
      const before = talks.map((talk) => talk.entries);
      const [agent] = server.agentProcesses().filter(isAgent);
      process.kill(agent?.pid ?? 0, "SIGKILL");
      for (const [index, talk] of talks.entries()) {
        await talk.until("the interruption", ({ turn }) => turn.state === "idle");
        expectInterrupted(talk);
        expectKept(before[index] ?? [], talk.entries);
        counts.entriesChecked += talk.entries.length;
      }
      expectUnbrokenWords(first.entries.findLast(({ type }) => type === "assistant")?.content ?? "");
      await Promise.all(
        talks.map((talk) =>
          talk.client.ask("ok", { type: "session:queue-edit", sessionId: talk.sessionId, items: [] }),
        ),
      );
      await Promise.all(talks.map((talk) => talk.say("stream 2 words")));
      for (const talk of talks) expect(talk.entries.at(-1)).toMatchObject({ type: "assistant", content: "w1 w2" });
      counts.commandsLeft += server
        .agentProcesses()
        .filter(({ commandLine }) => commandLine.includes("echo line")).length;
    }
    console.log(`kill -9 of the agent: ${JSON.stringify(counts)}`);
    expect(counts.commandsLeft).toBe(0);
  },
  roundsOf(ROUNDS_FULL) * ROUND_MS_MAX,
);
