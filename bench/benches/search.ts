import type { SessionId } from "../../src/protocol/ids.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench } from "../measure/bench.ts";
import { percentile } from "../measure/percentile.ts";
import { FollowedSession } from "../scene/followed-session.ts";
import { type BenchClient, createSession, openClient } from "../scene/open-client.ts";
import { RawReader } from "../scene/raw-reader.ts";
import { seedWords, wordAt } from "../scene/seed-words.ts";
import { startServer } from "../scene/start-server.ts";

const WORDS = 1_000_000;
const WORDS_QUICK = 100_000;
const ROUNDS = 12;
const ROUNDS_QUICK = 2;
const RATIO_MAX = 5;
const USUAL = 0.5;
const SLOW = 0.95;
/** As people type: a frequent word, a rare one, several, the beginning of one, a phrase, and one that is not there. */
const QUERIES = [
  wordAt(3),
  wordAt(17_000),
  `${wordAt(9)} ${wordAt(40)}`,
  `${wordAt(12)} ${wordAt(300)} ${wordAt(5)}`,
  wordAt(600).slice(0, 3),
  `${wordAt(20)} ${wordAt(700).slice(0, 2)}`,
  `"${wordAt(2)} ${wordAt(3)}"`,
  "absent",
] as const;

/** a search over everything is fast, also while an agent is active. */
export const search: Bench = {
  name: "search",
  asks: "search to search:results over 1,000,000 words, at rest and while a session streams",
  async run({ quick, report }) {
    await using dir = await tempDir();
    seedWords(dir.path, quick ? WORDS_QUICK : WORDS);
    await using server = await startServer(dir.path);
    using client = openClient(server);
    using reader = await RawReader.open(server.socketUrl);
    const sessionId = await createSession(client, dir.path, "builtin");
    using followed = new FollowedSession(client, sessionId);
    await searchAll(reader);
    const rounds = quick ? ROUNDS_QUICK : ROUNDS;
    const taken = await alternate(rounds, {
      bare: () => searchAll(reader),
      ours: () => whileStreaming(client, followed, sessionId, () => searchAll(reader)),
    });
    const [rest, busy] = [taken.bare.flat(), taken.ours.flat()];
    const n = rest.length;
    report({ metric: "at rest, p50", unit: "ms", value: percentile(rest, USUAL), n });
    report({ metric: "at rest, p95", unit: "ms", value: percentile(rest, SLOW), n });
    const [slowAtRest, slowWhenBusy] = [percentile(rest, SLOW), percentile(busy, SLOW)];
    report({
      metric: "while a session streams, p50",
      unit: "ms",
      value: percentile(busy, USUAL),
      baseline: percentile(rest, USUAL),
      n,
    });
    report({ metric: "while a session streams, p95", unit: "ms", value: slowWhenBusy, baseline: slowAtRest, n });
    report({
      metric: "p95 streaming : p95 at rest",
      unit: "x",
      value: slowWhenBusy / slowAtRest,
      target: RATIO_MAX,
      n,
    });
  },
};

async function searchAll(reader: RawReader): Promise<number[]> {
  const times: number[] = [];
  for (const query of QUERIES) {
    const { tookMs } = await reader.exchange(
      JSON.stringify({ type: "search", query, requestId: "s" }),
      '"search:results"',
    );
    times.push(tookMs);
  }
  return times;
}

/** A turn that streams as long as the searches take. */
async function whileStreaming(
  client: BenchClient,
  followed: FollowedSession,
  sessionId: SessionId,
  act: () => Promise<number[]>,
): Promise<number[]> {
  const { seq = 0 } = await client.ask(
    { type: "session:send", sessionId, content: "stream 1000000 words at 2000/s" },
    "ok",
  );
  await followed.until("the agent to talk", ({ open }) => open.some(({ type }) => type === "assistant"));
  const times = await act();
  await client.ask({ type: "session:cancel", sessionId }, "ok");
  await followed.until("the turn to end", ({ turn, seq: at }) => turn.state === "idle" && at > seq);
  return times;
}
