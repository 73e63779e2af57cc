import { expect, it } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { anotherTalk, startTalk, type Talk } from "../integration/talk.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { agentPid } from "./agent-status.ts";

const ROUNDS_FULL = 200;
const ROUND_MS_MAX = 5_000;
/** The first rounds fill caches and let the runtime compile; what grows after them is a leak. */
const WARM_UP_ROUNDS = 5;
const HANDLES_MORE_MAX = 4;
const MEMORY_GROWTH_BYTES_MAX = 40 * 1024 * 1024;

it(
  "W-4 X-1 rounds of crash and restore: nothing lost, nothing twice, no orphan, no leaked handle, no growing memory",
  async () => {
    const rounds = roundsOf(ROUNDS_FULL);
    const random = seededRandom("crash rounds");
    await using server = await startTestServer({ agents: { fragile: { ...guideWith(), retryMs: Array(20).fill(1) } } });
    const talk = await startTalk(server, "fragile");
    const other = await anotherTalk(talk.client, talk.projectId, "fragile");
    let interrupted = 0;
    let warm = measure(server.pid);
    for (let round = 0; round < rounds; round++) {
      interrupted += await crashRound(server, talk, random);
      await other.say("stream 2 words");
      if (round === Math.min(WARM_UP_ROUNDS, rounds - 1)) warm = measure(server.pid);
    }
    // A checkpoint may still be taken, with pipes to its Git; what was leaked stays.
    const settled = await waitFor(
      () => measure(server.pid),
      ({ handles }) => handles <= warm.handles + HANDLES_MORE_MAX,
      `no more than ${warm.handles} handles and ${HANDLES_MORE_MAX} more`,
    );
    const entries = talk.entries.length + other.entries.length;
    console.log(
      `${rounds} crashes, ${interrupted} turns interrupted, ${entries} entries, 0 lost, 0 twice; ` +
        `handles ${warm.handles} → ${settled.handles}, memory ${mb(warm.bytes)} → ${mb(settled.bytes)} MB`,
    );
    expect(new Set(talk.entries.map(({ entryId }) => entryId)).size).toBe(talk.entries.length);
    expect(other.entries.filter(({ type }) => type === "user")).toHaveLength(rounds);
    expect(settled.bytes - warm.bytes).toBeLessThan(MEMORY_GROWTH_BYTES_MAX);
    const fresh = await talk.joinedBy(await server.connect());
    expect(fresh.entries.slice(-50)).toEqual(talk.entries.slice(-50));
  },
  roundsOf(ROUNDS_FULL) * ROUND_MS_MAX,
);

/** Kills the agent somewhere in a stream; the words that had arrived stay, in order, and the next turn is whole. */
async function crashRound(server: TestServer, talk: Talk, random: SeededRandom): Promise<number> {
  const before = talk.entries.length;
  const seq = await talk.send(`stream 400 words at ${random.pick([500, 2_000, 8_000])}/s`);
  const words = random.between(0, 60);
  await talk.until(`${words} words`, ({ turn }) => countWords(talk, before) >= words || turn.state === "idle");
  const mark = talk.client.mark();
  process.kill(await agentPid(server, "fragile"), "SIGKILL");
  // The stream may have ended before: a message sent to a process that is just dying would rightly be interrupted.
  await talk.client.next("agent:status", ({ status }) => status === "disconnected", mark);
  const { turn } = await talk.untilIdle(seq);
  expectWords(talk, before, turn.stopReason === "end_turn" ? 400 : null);
  const next = talk.entries.length;
  await talk.say("stream 20 words");
  expectWords(talk, next, 20);
  return turn.stopReason === "interrupted" ? 1 : 0;
}

function said(talk: Talk, from: number): string[] {
  const text = talk.entries.slice(from).flatMap((entry) => (entry.type === "assistant" ? [entry.content] : []));
  return text.join("").split(/\s+/).filter(Boolean);
}

function countWords(talk: Talk, from: number): number {
  return said(talk, from).length;
}

/** `w1 w2 …` without a gap; the last word may be cut where the agent died. */
function expectWords(talk: Talk, from: number, count: number | null): void {
  const words = said(talk, from);
  const whole = count === null ? words.slice(0, -1) : words;
  expect(whole).toEqual(whole.map((_, index) => `w${index + 1}`));
  if (count !== null) expect(words).toHaveLength(count);
}

function measure(pid: number): { handles: number; bytes: number } {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return { handles: readdirSync(`/proc/${pid}/fd`).length, bytes: Number(kilobytes) * 1024 };
}

function mb(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
