import { randomUUID } from "node:crypto";
import { CommandId, type SessionId } from "../../src/protocol/ids.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { reportLatency } from "../measure/report-latency.ts";
import { type BenchClient, createSession, openClient } from "../scene/open-client.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import { anotherGuide, startServer } from "../scene/start-server.ts";

const AGENTS = ["one", "two", "three", "four", "five"];
const CHUNKS_PER_S = 200;
/** More than is sent while typing: the turns are cancelled. */
const WORDS = 100_000;
const ROUNDS = 3;
const ROUNDS_QUICK = 1;
const KEYS = 40;
const FRAMES_TARGET = 2;

/** What five active agents cost a user who writes the next message. */
export const fiveAgents: Bench = {
  name: "five-agents",
  asks: "key to paint in the active composer while five agents say 200 chunks/s each, against the same keys at rest",
  async run({ quick, report }) {
    await using dir = await tempDir();
    await using server = await startServer(
      dir.path,
      Object.fromEntries(AGENTS.map((name) => [name, anotherGuide(name)])),
    );
    using client = openClient(server);
    const sessions: SessionId[] = [];
    await using page = await ProbedPage.open(server.url);
    for (const name of AGENTS) {
      const sessionId = await createSession(client, dir.path, name);
      await client.ask({ type: "session:rename", sessionId, title: name }, "session:title-updated");
      await page.openEmptySession(name, sessionId);
      sessions.push(sessionId);
    }
    const active = sessions.at(-1);
    if (!active) throw new Error("there is a last session");
    const frameMs = median(await page.frameIntervals());
    const times = { ours: [] as number[], bare: [] as number[] };
    const work = { ours: [] as number[], bare: [] as number[] };
    for (let round = 0; round < (quick ? ROUNDS_QUICK : ROUNDS); round++) {
      times.bare.push(...(await page.typeKeys(active, KEYS)));
      work.bare.push(...(await page.workOfKeys(active, KEYS)));
      for (const sessionId of sessions) await startTalking(client, sessionId);
      await page.untilText(active, `w${CHUNKS_PER_S * (round + 1)}`);
      times.ours.push(...(await page.typeKeys(active, KEYS)));
      work.ours.push(...(await page.workOfKeys(active, KEYS)));
      for (const sessionId of sessions) await client.ask({ type: "session:cancel", sessionId }, "ok");
    }
    reportLatency(report, "key to paint", times.ours, times.bare);
    const inFrames = (samples: readonly number[]) => samples.map((sample) => sample / frameMs);
    reportLatency(report, "key to paint", inFrames(times.ours), inFrames(times.bare), FRAMES_TARGET, "frames");
    reportLatency(report, "thread time from key to paint", work.ours, work.bare, FRAMES_TARGET * frameMs);
  },
};

async function startTalking(client: BenchClient, sessionId: SessionId): Promise<void> {
  const content = `stream ${WORDS} words at ${CHUNKS_PER_S}/s`;
  await client.ask({ type: "session:send", sessionId, content, commandId: CommandId.parse(randomUUID()) }, "ok");
}
