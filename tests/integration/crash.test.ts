import { expect, test } from "bun:test";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { expectKept, expectUnbrokenWords } from "./expect-kept.ts";
import { anotherTalk, reopen, startTalk, Talk } from "./talk.ts";

const ROUNDS_FULL = 20;
const MESSAGES_UNTIL_KILL_MAX = 100;
const ROUND_MS_MAX = 30_000;
const LEFT_AFTER_KILL_MS = 10_000;

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
  const fresh = await reopen(await server.connect(), seen);
  const back = new Talk(client, projectId, sessionId);
  await back.until("what was missed", ({ seq }) => seq === fresh.state.seq);
  expect(back.entries).toEqual(fresh.entries);
  expectKept(seen.entries, fresh.entries);
  return back;
}

test(
  "X-1 kill -9 of the server in the middle of everything loses nothing that any client had received",
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
    const counts = { rounds, entriesChecked: 0, agentsAlive: 0, agentsLeft: 0 };
    for (let round = 1; round <= rounds; round += 1) {
      const watching = await Promise.all(talks.map(async (talk) => reopen(await server.connect(), talk)));
      await startWork(talks, round);
      await untilChance(random.pick([talks[0] ?? first, watching[0] ?? first]), random);
      counts.agentsAlive += server.agentProcesses().filter(isAgent).length;
      const unanswered = talks.map((talk) => ({ talk, commandId: `last-${round}` }));
      for (const { talk, commandId } of unanswered)
        talk.client.post({
          type: "session:send",
          sessionId: talk.sessionId,
          content: "stream 2 words",
          commandId: `${commandId}-${talk.sessionId.slice(-8)}`,
        });
      await server.kill();
      counts.agentsLeft += (await server.processes.leftAfter(LEFT_AFTER_KILL_MS)).length;
      await server.start();

      const back: Talk[] = [];
      for (const [index, talk] of talks.entries()) {
        const other = watching[index];
        if (other) await comeBack(server, other);
        const again = await comeBack(server, talk);
        expectInterrupted(again);
        counts.entriesChecked += talk.entries.length + (other?.entries.length ?? 0);
        back.push(again);
      }
      const [streaming, running, asking] = back;
      for (const commandId of [`stream-${round}`, `queued-${round}`]) expectSentOnce(streaming ?? first, commandId);
      expectSentOnce(running ?? first, `run-${round}`);
      expectSentOnce(asking ?? first, `ask-${round}`);
      // What was on its way when the server died is sent again, as the page does: it acts once, whichever way it went.
      for (const talk of back) {
        const commandId = `last-${round}-${talk.sessionId.slice(-8)}`;
        await talk.send("stream 2 words", commandId);
        // If it had been queued, it was held back with the rest; a further message lets the queue go on.
        await talk.send("stream 1 words", `further-${commandId}`);
        await talk.untilAllSaid([commandId, `further-${commandId}`]);
        expectSentOnce(talk, commandId);
      }
      const streamed = streaming?.entries.findLast(
        (entry) => entry.type === "assistant" && entry.content.includes("w4"),
      );
      if (streamed) expectUnbrokenWords(streamed.content);
      talks = back;
    }
    console.log(`kill -9 of the server: ${JSON.stringify(counts)}`);
    expect({ ...counts, agentsAlive: counts.agentsAlive > 0 }).toMatchObject({ agentsAlive: true, agentsLeft: 0 });
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
